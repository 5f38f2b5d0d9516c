import { inParallel, type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { definePureTask } from "../runtime/parallel/task.js";
import type { Column } from "../table/column.js";
import { kolmogorovTail } from "../theory/test-tails.js";
import { type Counts, compareShares, poolRare } from "./share-test.js";
import { cellNumbers, columnGroups, type RawRows, thinnedRows } from "./thinned-rows.js";

/**
 * Probability of reporting anything if both parts come from the same distribution; low, because every random split is
 * checked.
 */
const FALSE_ALARM = 0.001;
/** Smaller distances are not reported, even if significant. */
const NEGLIGIBLE = 0.05;

/** A column whose distribution differs between training and held-out rows. */
export interface ColumnShift {
  /** Name of the column; of the target for "class". */
  readonly column: string;
  /** What differs: present numbers, present categories, the share of missing cells, or the class shares. */
  readonly kind: "values" | "categories" | "missing" | "class";
  /**
   * Largest distance of the distribution functions of numbers, otherwise total variation distance; both are in [0, 1].
   */
  readonly distance: number;
  /** Probability of at least as clear a difference if both parts come from the same distribution. */
  readonly p: number;
}

/**
 * Finds columns, and class shares, whose distribution differs between training and held-out rows, largest distance
 * first. A difference is reported if its distance is above 0.05 and its p-value below 0.001 divided by the number of
 * tests, so that a random split is reported with a probability of at most 0.1%.
 *
 * - Numbers: the two-sample Kolmogorov–Smirnov test, with the asymptotic tail, which is conservative with ties and for
 *   few rows.
 * - Categories and classes: Fisher's exact test of each level against all others, its p-value doubled for two sides and
 *   multiplied by the number of levels. Rare levels are pooled by their number in both parts together, which favours
 *   neither.
 * - Missing cells: Fisher's exact test.
 *
 * Uses up to 50,000 rows of each part, and fewer with more than 80 columns, the same in every run.
 */
export function columnShifts(training: RawRows, heldOut: RawRows, target: string): ColumnShift[] {
  return runNow(columnShiftsInSteps(training, heldOut, target));
}

/** Approximate milliseconds per cell. */
const MILLISECONDS_PER_CELL = 2e-4;

/** Finds columns that differ, on threads if there are many cells. */
export function* columnShiftsInSteps(
  training: RawRows,
  heldOut: RawRows,
  target: string,
): Pausable<ColumnShift[]> {
  const [known, tested] = thinnedRows([training, heldOut]);
  if (known.labels.length === 0 || tested.labels.length === 0) return [];
  const columns: ComparedColumn[] = [];
  for (const [j, column] of known.columns.entries()) {
    const { name, kind } = column;
    columns.push({ name, kind, ours: cellNumbers(column), theirs: cellNumbers(tested.columns[j]) });
    yield;
  }
  const cells = columns.length * (known.labels.length + tested.labels.length);
  const found = yield* inParallel(shiftTask, columnGroups(columns), {
    milliseconds: cells * MILLISECONDS_PER_CELL,
  });
  const tests = [...levelTest(target, "class", known.labels, tested.labels), ...found.flat()];
  return tests
    .filter(({ distance, p }) => distance > NEGLIGIBLE && p < FALSE_ALARM / tests.length)
    .sort((a, b) => b.distance - a.distance);
}

/** A column of both parts, with missing cells as NaN. */
interface ComparedColumn {
  readonly name: string;
  readonly kind: Column["kind"];
  readonly ours: Float64Array;
  readonly theirs: Float64Array;
}

const shiftTask = definePureTask("checks/column-shifts", (columns: readonly ComparedColumn[]) =>
  columns.flatMap(testsOfColumn),
);

function testsOfColumn({ name, kind, ...cells }: ComparedColumn): ColumnShift[] {
  const ours = presentCells(cells.ours);
  const theirs = presentCells(cells.theirs);
  const sizes = [cells.ours.length, cells.theirs.length] as const;
  const present = [ours.length, theirs.length] as const;
  const missing = testOfShares(
    name,
    "missing",
    [present, [sizes[0] - present[0], sizes[1] - present[1]]],
    sizes,
  );
  if (ours.length === 0 || theirs.length === 0) return missing;
  const values =
    kind === "numeric"
      ? [numberTest(name, ours, theirs)]
      : levelTest(name, "categories", Int32Array.from(ours), Int32Array.from(theirs));
  return [...missing, ...values];
}

/** Drops missing cells. */
function presentCells(cells: Float64Array): Float64Array {
  return cells.filter((cell) => !Number.isNaN(cell));
}

/** Compares numbers by the Kolmogorov–Smirnov test: √(nm/(n + m)) times the distance has Kolmogorov's distribution. */
function numberTest(column: string, ours: Float64Array, theirs: Float64Array): ColumnShift {
  const distance = largestDistance(ours.sort(), theirs.sort());
  const size = (ours.length * theirs.length) / (ours.length + theirs.length);
  return { column, kind: "values", distance, p: kolmogorovTail(Math.sqrt(size) * distance) };
}

/** Finds the largest distance between the distribution functions of two ascending lists. */
function largestDistance(ours: Float64Array, theirs: Float64Array): number {
  let largest = 0;
  for (let i = 0, j = 0; i < ours.length && j < theirs.length; ) {
    const value = Math.min(ours[i], theirs[j]);
    while (i < ours.length && ours[i] === value) i++;
    while (j < theirs.length && theirs[j] === value) j++;
    largest = Math.max(largest, Math.abs(i / ours.length - j / theirs.length));
  }
  return largest;
}

function levelTest(
  column: string,
  kind: ColumnShift["kind"],
  ours: Int32Array,
  theirs: Int32Array,
): ColumnShift[] {
  const totals = [ours.length, theirs.length] as const;
  return testOfShares(column, kind, poolRare(countsOfCodes(ours, theirs), totals), totals);
}

/** Compares the shares of levels; no test if only one occurs. */
function testOfShares(
  column: string,
  kind: ColumnShift["kind"],
  counts: readonly Counts[],
  totals: Counts,
): ColumnShift[] {
  const test = compareShares(counts, totals);
  return test ? [{ column, kind, ...test }] : [];
}

/** Counts the rows of each level in both parts. */
function countsOfCodes(ours: Int32Array, theirs: Int32Array): Counts[] {
  const counts = new Map<number, [number, number]>();
  [ours, theirs].forEach((codes, part) => {
    for (const code of codes) {
      const count = counts.get(code) ?? [0, 0];
      count[part]++;
      counts.set(code, count);
    }
  });
  return [...counts.values()];
}
