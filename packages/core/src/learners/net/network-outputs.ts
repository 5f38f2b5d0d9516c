import { checked, object } from "../../runtime/codec/parts.js";
import {
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
} from "../../runtime/codec/schema-numbers.js";
import { float64 } from "../../runtime/codec/tensor-parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { MARGIN_QUANTILES, marginQuantiles } from "../../theory/margins/margin-quantiles.js";
import { indexOfLargest, predictionsOf } from "../scores.js";
import { countErrors } from "../training-summary.js";

/** Predicts the class with the largest output, or by the sign of a single one. */
export function decisionsOf(sums: Matrix): Int32Array {
  if (sums.columns > 1) return predictionsOf(sums);
  return Int32Array.from(sums.values, (z) => (z > 0 ? 1 : 0));
}

/** Converts outputs to class probabilities: softmax, or 1/(1 + e^±z) of a single one. */
export function networkProbabilities(sums: Matrix): Matrix {
  return sums.columns === 1 ? logisticProbabilities(sums) : softmaxProbabilities(sums);
}

function logisticProbabilities({ rows, values }: Matrix): Matrix {
  const probabilities = new Float64Array(2 * rows);
  for (let i = 0; i < rows; i++) {
    probabilities[2 * i] = 1 / (1 + real.exp(values[i]));
    probabilities[2 * i + 1] = 1 / (1 + real.exp(-values[i]));
  }
  return new Matrix(rows, 2, probabilities);
}

function softmaxProbabilities({ rows, columns, values }: Matrix): Matrix {
  const probabilities = new Float64Array(values.length);
  for (let i = 0; i < rows; i++) {
    const first = i * columns;
    const most = values[first + indexOfLargest(values, first, columns)];
    let total = 0;
    for (let k = first; k < first + columns; k++) {
      probabilities[k] = real.exp(values[k] - most);
      total += probabilities[k];
    }
    for (let k = first; k < first + columns; k++) probabilities[k] /= total;
  }
  return new Matrix(rows, columns, probabilities);
}

/** Errors and margins of a network on its training rows, for the bound on networks. Margins are not normalised. */
export const outputMarginsPart = checked(
  object({
    rows: positiveInteger,
    errors: nonNegativeInteger,
    /** Mean of ‖x‖² over the rows. */
    meanSquaredNorm: nonNegativeNumber,
    /** Quantiles at 0%, 1%, … 100% of the output of the true class minus the largest other one; of y·z for one output z. */
    margins: float64([MARGIN_QUANTILES]),
  }),
  ({ rows, errors }) => (errors > rows ? `${errors} errors on ${rows} rows` : undefined),
);

/** Measures errors and margins on labelled rows, given the outputs of the network before they become probabilities. */
export function measureOutputMargins(
  features: Matrix,
  inputLimit: number | undefined,
  outputs: Matrix,
  labels: Int32Array,
): ReturnType<(typeof outputMarginsPart)["read"]> {
  return {
    rows: labels.length,
    errors: countErrors(decisionsOf(outputs), labels),
    meanSquaredNorm: meanSquaredNorm(features, inputLimit),
    margins: Float64Array.from(marginQuantiles(marginsOfOutputs(outputs, labels))),
  };
}

function marginsOfOutputs({ rows, columns, values }: Matrix, labels: Int32Array): Float64Array {
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
