import { Matrix } from "../../runtime/maths/matrix.js";
import type { StumpSplit } from "./stump-finder.js";

/** The difference that the right side of a split makes to a score. */
interface StumpStep {
  readonly split: StumpSplit | undefined;
  readonly step: number;
}

/** Sums the steps that rows take, by the raw column of the feature: feature j belongs to column `columnOf[j]`. */
export function stumpTerms(
  steps: readonly StumpStep[],
  { rows, columns: width, values }: Matrix,
  columnOf: readonly number[],
  columns: number,
): Matrix {
  const terms = new Matrix(rows, columns);
  for (const { split, step } of steps) {
    if (!split || step === 0) continue;
    const column = columnOf[split.feature];
    for (let i = 0; i < rows; i++) {
      if (!(values[i * width + split.feature] <= split.threshold)) terms.values[i * columns + column] += step;
    }
  }
  return terms;
}
