import type { Run } from "../learning/run.js";
import { TreeColumns } from "../tree/index.js";
import { accuracyOf } from "./accuracy.js";
import { type TrainingRows, treeWeights } from "./grow-layers.js";
import { LayerInput } from "./layer-input.js";
import type { Member } from "./member.js";
import { probeLayer } from "./probe.js";

/** Fewest rows of a leaf that are tried: pure leaves for clean data, larger ones for data with noise. */
const CANDIDATES = [1, 3, 5, 10] as const;

/**
 * How many rows a leaf should have at least: larger leaves are tried as long as they make a small first layer more accurate
 * out of fold. `membersWith` gives the members of a layer for such a number.
 */
export async function chooseLeafRows(
  { features, labels, classes, distribution }: TrainingRows,
  membersWith: (minLeafRows: number) => readonly Member[],
  folds: number,
  run: Run,
): Promise<number> {
  using columns = TreeColumns.of(features);
  const weights = treeWeights(distribution);
  const input = LayerInput.first(features);
  const rows = { input, columns, labels, classes, ...(weights && { weights }) };
  let best = { leafRows: 1, accuracy: -1 };
  for (const leafRows of CANDIDATES) {
    const progress: Run["progress"] = ({ stage, ...rest }) =>
      run.progress({ ...rest, stage: `leaves of ${leafRows}: ${stage}` });
    const probe = await probeLayer(rows, membersWith(leafRows), folds, { ...run, progress });
    const accuracy = accuracyOf(
      probe.h,
      probe.rows.map((row) => labels[row]),
      Float64Array.from(probe.rows, (row) => distribution[row]),
    );
    if (accuracy <= best.accuracy) break;
    best = { leafRows, accuracy };
  }
  return best.leafRows;
}
