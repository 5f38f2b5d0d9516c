import { MARGIN_QUANTILES, marginQuantiles } from "../bounds/margin-statistics.js";
import type { Sample } from "../data/sample.js";
import type { TrainingFacts } from "../learning/training-facts.js";
import type { Matrix } from "../numeric/matrix.js";
import type { NetworkModel } from "./model.js";
import { decisionsOf } from "./network-outputs.js";

/** What certificates need of the training of a network. */
export interface NetworkFacts extends TrainingFacts {
  /** Mean of ‖x‖² over the training rows. */
  readonly meanSquaredNorm: number;
  /** Quantiles at 0 %, 1 %, … 100 % of how far the own class's sum is above the largest other one; of z for one output. */
  readonly margins: Float64Array;
}

/** How many quantiles are kept. */
export const QUANTILES = MARGIN_QUANTILES;

/** The facts of a model on the rows that it was trained on. */
export function trainingFactsOf(model: NetworkModel, { features, labels }: Sample<Matrix>): NetworkFacts {
  const sums = model.sums(features);
  const predictions = decisionsOf(sums);
  return {
    rows: labels.length,
    errors: predictions.reduce((errors, predicted, i) => errors + Number(predicted !== labels[i]), 0),
    meanSquaredNorm: meanSquaredNorm(features, model.inputLimit),
    margins: Float64Array.from(marginQuantiles(sumMargins(sums, labels))),
  };
}

/** The margin of each row: how far the sum of its class is above the largest other one. */
function sumMargins({ rows, columns, values }: Matrix, labels: Int32Array): Float64Array {
  const margins = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const at = i * columns;
    if (columns === 1) {
      margins[i] = labels[i] === 1 ? values[at] : -values[at];
      continue;
    }
    let other = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < columns; k++) if (k !== labels[i]) other = Math.max(other, values[at + k]);
    margins[i] = values[at + labels[i]] - other;
  }
  return margins;
}

function meanSquaredNorm({ rows, values }: Matrix, limit = Number.POSITIVE_INFINITY): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += Math.min(limit, Math.abs(values[k])) ** 2;
  return sum / rows;
}
