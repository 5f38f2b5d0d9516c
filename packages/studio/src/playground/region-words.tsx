import { formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { TableHead } from "@vouch/views/internal/page/tables";
import { type DecisionRegions, findCell } from "./decision-regions.js";
import type { ModelStructure, PlaneStump } from "./model-structure.js";
import { CLASS_LETTERS } from "./plane-problem.js";
import type { PlaygroundRows, TrainingFrame } from "./training-events.js";

/** A region of the picture and the rows in it. */
export interface RegionFacts {
  readonly name: string;
  /** Share of the picture. */
  readonly area: number;
  readonly training: { readonly rows: number; readonly errors: number };
  readonly test: { readonly rows: number; readonly errors: number };
}

/** Counts the cells, rows and errors of a region. */
function regionFacts(
  name: string,
  cells: readonly boolean[],
  isInside: (row: number) => boolean,
  rows: PlaygroundRows,
  { predicted }: TrainingFrame,
): RegionFacts {
  const counts = [
    { rows: 0, errors: 0 },
    { rows: 0, errors: 0 },
  ];
  rows.classOf.forEach((letter, i) => {
    if (!isInside(i)) return;
    const own = counts[rows.heldOut[i]];
    own.rows++;
    if (rows.letters[predicted[i]] !== letter) own.errors++;
  });
  const area = cells.filter((inside) => inside).length / cells.length;
  return { name, area, training: counts[0], test: counts[1] };
}

/** Lists the region of each predicted class. */
export function classRegions(rows: PlaygroundRows, frame: TrainingFrame): RegionFacts[] {
  return rows.letters.map((letter, k) => {
    const cells = Array.from(frame.regions.classes, (predicted) => predicted === letter);
    return regionFacts(
      `predicted ${CLASS_LETTERS[letter]}`,
      cells,
      (row) => frame.predicted[row] === k,
      rows,
      frame,
    );
  });
}

/** Lists the regions that the parts of a model decide. */
export function partRegions(
  structure: ModelStructure,
  rows: PlaygroundRows,
  frame: TrainingFrame,
): RegionFacts[] {
  const parts = structure.leaves.length > 0 ? structure.leaves : structure.nodes;
  return parts.flatMap((part) =>
    part.outcomes.map((words, side) => {
      const where = part.outcomes.length === 1 ? "" : side === 0 ? ", left" : ", right";
      const cells = Array.from(part.cells, (outcome) => outcome === side + 1);
      return regionFacts(
        `${part.name}${where}: ${words}`,
        cells,
        (row) => part.rows[row] === side + 1,
        rows,
        frame,
      );
    }),
  );
}

/** Describes the picture, one sentence per class. */
export function describePicture(rows: PlaygroundRows, frame: TrainingFrame): string {
  const sentences = classRegions(rows, frame).map(({ name, area, test }) => {
    const errors = test.rows === 0 ? "no test rows" : `${test.errors} of ${test.rows} test rows wrong`;
    return `${capitalised(name)} on ${formatPercent(area)} of the picture, ${errors}.`;
  });
  return `Decision regions after ${frame.unit} ${frame.step}. ${sentences.join(" ")}`;
}

/** Describes the prediction at a position. */
export function describePrediction(regions: DecisionRegions | undefined, x: number, y: number): string {
  const where = `x ${x.toFixed(2)}, y ${y.toFixed(2)}`;
  if (!regions) return where;
  const cell = findCell(x, y, regions.half);
  const letter = CLASS_LETTERS[regions.classes[cell]];
  const margin = (regions.largestMargin * regions.clearness[cell]) / 255;
  return `${where}: predicted ${letter}, margin ${margin.toFixed(2)}`;
}

/** Describes a stump: its vote on each side and its weight. */
export function describeStump(
  { coordinate, at, low, high, weight }: PlaneStump,
  rows?: PlaygroundRows,
): string {
  const letter = (k: number) => (rows ? CLASS_LETTERS[rows.letters[k]] : "");
  return `${coordinate} ≤ ${formatNumber(Number(at.toFixed(2)))} votes ${letter(low)}, otherwise ${letter(high)}, with ${formatPercent(weight)} of all votes`;
}

interface RegionTableProps {
  readonly caption: string;
  readonly regions: readonly RegionFacts[];
}

/** Shows the picture as a table of regions, predictions and errors. */
export function RegionTable({ caption, regions }: RegionTableProps) {
  return (
    <div class="scroll">
      <table class="regions">
        <caption>{caption}</caption>
        <TableHead first="Region" numbers={["Area", "Training errors", "Test errors"]} />
        <tbody>
          {regions.map(({ name, area, training, test }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{formatPercent(area)}</td>
              <td class="number">
                {training.errors} of {training.rows}
              </td>
              <td class="number">
                {test.errors} of {test.rows}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
