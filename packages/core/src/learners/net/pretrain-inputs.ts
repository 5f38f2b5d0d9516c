import { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { NetworkWeights } from "./network-weights.js";

/** The scaling of inputs: `standard` leaves features as they are encoded, `unit` scales each to [0, 1] by its range. */
export type InputScaling = "standard" | "unit";

/** Features as the first layer sees them, z = (x − least) · factor. */
export interface PretrainInputs {
  readonly rows: Matrix;
  readonly least: Float64Array;
  readonly factor: Float64Array;
}

/** Inputs are scaled once for all candidates of a selection. */
const scaledFrom = new WeakMap<Matrix, Map<InputScaling, PretrainInputs>>();

/** Scales the rows to pre-train on: those of the sample, then those without a label. */
export function pretrainInputs(
  { features, unlabelled }: Sample<Matrix>,
  scaling: InputScaling,
): PretrainInputs {
  if (unlabelled) return scaledInputs([features, unlabelled], scaling);
  const known = scaledFrom.get(features) ?? new Map<InputScaling, PretrainInputs>();
  const inputs = known.get(scaling) ?? scaledInputs([features], scaling);
  scaledFrom.set(features, known.set(scaling, inputs));
  return inputs;
}

function scaledInputs(parts: readonly Matrix[], scaling: InputScaling): PretrainInputs {
  const { columns } = parts[0];
  const { least, factor } = scaling === "unit" ? ranges(parts) : unscaled(columns);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const values = new Float32Array(rows * columns);
  let at = 0;
  for (const { values: given } of parts) {
    for (let k = 0; k < given.length; k++, at++) {
      const j = k % columns;
      values[at] = (given[k] - least[j]) * factor[j];
    }
  }
  return { rows: new Matrix(rows, columns, values), least, factor };
}

function unscaled(columns: number): Omit<PretrainInputs, "rows"> {
  return { least: new Float64Array(columns), factor: new Float64Array(columns).fill(1) };
}

/** Computes the range of each feature; a constant feature becomes 0. */
function ranges(parts: readonly Matrix[]): Omit<PretrainInputs, "rows"> {
  const { columns } = parts[0];
  const least = new Float64Array(columns).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(columns).fill(Number.NEGATIVE_INFINITY);
  for (const { values } of parts) {
    for (let k = 0; k < values.length; k++) {
      const j = k % columns;
      if (values[k] < least[j]) least[j] = values[k];
      if (values[k] > most[j]) most[j] = values[k];
    }
  }
  return { least, factor: least.map((low, j) => (most[j] > low ? 1 / (most[j] - low) : 0)) };
}

/** Checks that every feature has at most two values: after scaling to [0, 1], these are 0 and 1. */
export function checkBinary({ rows: { columns, values } }: PretrainInputs, names: readonly string[]): void {
  let k = 0;
  while (k < values.length && (values[k] === 0 || values[k] === 1)) k++;
  if (k === values.length) return;
  throw new VouchError(
    "data/wrong-kind",
    `Feature ${names[k % columns]} has more than two values (see row ${Math.floor(k / columns) + 1}), but the visible units are binary.`,
    { hint: "Use visible=unit for numbers in a range, visible=gaussian for others." },
  );
}

/** Returns the labelled rows as the first layer sees them; they come first among the inputs. */
export function scaledSample(
  sample: Sample<Matrix>,
  { rows: { columns, values } }: PretrainInputs,
): Sample<Matrix> {
  const features = new Matrix(sample.rows, columns, values.subarray(0, sample.rows * columns));
  return new Sample({ ...sample, features });
}

/**
 * Converts a network on scaled inputs to one on the encoded features: W·z + b with z = (x − least) · factor is
 * (W · factor)·x + b − Σ W · factor · least.
 */
export function onFeatures(
  { sizes, weights, biases }: NetworkWeights,
  { least, factor }: PretrainInputs,
): NetworkWeights {
  const [inputs] = sizes;
  const first = weights[0].map((weight, k) => weight * factor[k % inputs]);
  const shifted = biases[0].map((bias, i) => {
    let shift = 0;
    for (let j = 0; j < inputs; j++) shift += weights[0][i * inputs + j] * factor[j] * least[j];
    return bias - shift;
  });
  return { sizes, weights: [first, ...weights.slice(1)], biases: [shifted, ...biases.slice(1)] };
}
