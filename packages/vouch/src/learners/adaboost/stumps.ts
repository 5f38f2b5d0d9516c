import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { type FoundStump, StumpFinder, type StumpSplit } from "../stump/stump-finder.js";
import { type Found, reweighing, type WeakLearner } from "./boosting.js";

/** A stump of the committee. */
export interface StumpRule {
  /** Absent: a constant stump, which says `left` for every row. */
  readonly split: StumpSplit | undefined;
  /** Class of rows with x[feature] ≤ threshold, and of the others. */
  readonly left: number;
  readonly right: number;
}

/** Stumps of the least weighted error. */
export const stumps: WeakLearner<Matrix, StumpRule> = {
  name: "stump",

  async finder(sample: Sample<Matrix>, classes, run) {
    const finder = await StumpFinder.of(sample, run);
    return {
      find: async (distribution, _, run) =>
        foundStump(await finder.best(distribution, run), sample.labels, classes),
      release: () => {},
    };
  },

  asking(features) {
    const sides = new Uint8Array(features.rows);
    return ({ split, left, right }) => {
      askEach(split, features, sides);
      return { left, right, sides };
    };
  },
};

/** Asks a stump's question of every row: 0 for rows on its left side, 1 for the others. */
function askEach(split: StumpSplit | undefined, features: Matrix, sides: Uint8Array): void {
  sides.fill(0);
  if (!split) return;
  const { values, columns } = features;
  for (let i = 0, k = split.feature; i < sides.length; i++, k += columns) {
    if (!(values[k] <= split.threshold)) sides[i] = 1;
  }
}

function foundStump(found: FoundStump, labels: Int32Array, classes: number): Found<StumpRule> {
  const { split, left, right } = found;
  return {
    rule: { split, left, right },
    answers: found,
    reweigh: (distribution) => reweigh(distribution, found, labels, classes),
  };
}

/** The finder knows what each class weighs on each side. */
function reweigh(distribution: Float64Array, found: FoundStump, labels: Int32Array, classes: number): number {
  const { sides, left, right, leaves } = found;
  const size = leaves.length / 2;
  const isRight = (cell: number) => cell === left || cell === size + right;
  let ofWrong = 0;
  let ofRight = 0;
  leaves.forEach((weight, cell) => {
    if (isRight(cell)) ofRight += weight;
    else ofWrong += weight;
  });
  if (ofWrong === 0) return 0;
  const scale = reweighing(ofWrong, ofRight, classes);
  const scales = leaves.map((_, cell) => (isRight(cell) ? scale.right : scale.wrong));
  for (let i = 0; i < sides.length; i++) distribution[i] /= scales[sides[i] * size + labels[i]];
  return scale.error;
}
