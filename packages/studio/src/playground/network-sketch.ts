import type { Features } from "@vouch/core/internal/encode/sample";
import type { Model } from "@vouch/core/internal/learners/model";
import { dbn } from "@vouch/core/internal/learners/net/dbn";
import { mlp } from "@vouch/core/internal/learners/net/mlp";
import type { NetworkModel } from "@vouch/core/internal/learners/net/network";
import { sae } from "@vouch/core/internal/learners/net/sae";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { CELLS } from "./decision-regions.js";

/** Maximum number of units per layer, so that they fit a phone. */
const SHOWN_UNITS = 8;

/** Cells along each side of a unit's map. */
export const MAP_CELLS = 20;

/** A layer of a network: some of its units, evaluated over the plane. Plain data. */
export interface SketchLayer {
  readonly units: number;
  /**
   * For each shown unit, its value in each cell relative to its largest absolute value: 0 to 254, where 127 is zero.
   */
  readonly maps: readonly Uint8Array[];
  /** For each shown unit, its weights from the shown units of the previous layer; empty for the inputs. */
  readonly weights: readonly Float32Array[];
}

/** A network as drawn: inputs, hidden layers, outputs. */
export interface NetworkSketch {
  readonly activation: string;
  readonly layers: readonly SketchLayer[];
}

export function isNetwork(model: Model): model is NetworkModel {
  return [mlp, sae, dbn].some((kind) => kind.made(model));
}

/**
 * Evaluates the units of a network over the plane; undefined for other models. `cells` are the encoded cells of the
 * picture.
 */
export function sketchNetwork(model: Model, cells: Features): NetworkSketch | undefined {
  if (!isNetwork(model) || !(cells instanceof Matrix)) return undefined;
  const { sizes, weights, biases } = model.weights;
  const limit = model.inputLimit ?? Number.POSITIVE_INFINITY;
  let values: Float64Array[] = mapRows().map((row) =>
    Float64Array.from(cells.row(row), (value) => Math.max(-limit, Math.min(limit, value))),
  );
  const layers: SketchLayer[] = [{ units: sizes[0], maps: unitMaps(values, sizes[0]), weights: [] }];
  weights.forEach((layer, l) => {
    const [inputs, units] = [sizes[l], sizes[l + 1]];
    const isOutput = l === weights.length - 1;
    const activate = isOutput ? (z: number) => z : activations[model.activation];
    values = values.map((row) => layerValues(layer, biases[l], row, activate));
    const shown = Array.from({ length: Math.min(SHOWN_UNITS, units) }, (_, unit) =>
      Float32Array.from(layer.subarray(unit * inputs, unit * inputs + Math.min(SHOWN_UNITS, inputs))),
    );
    layers.push({ units, maps: unitMaps(values, units), weights: shown });
  });
  return { activation: model.activation, layers };
}

const activations: Readonly<Record<NetworkModel["activation"], (z: number) => number>> = {
  relu: (z) => Math.max(0, z),
  tanh: Math.tanh,
  sigmoid: (z) => 1 / (1 + Math.exp(-z)),
};

function layerValues(
  weights: Float32Array,
  biases: Float32Array,
  row: Float64Array,
  activate: (z: number) => number,
): Float64Array {
  return Float64Array.from(biases, (bias, unit) => {
    let sum = bias;
    for (let i = 0; i < row.length; i++) sum += weights[unit * row.length + i] * row[i];
    return activate(sum);
  });
}

/** Lists the picture cells that represent the cells of a map. */
function mapRows(): number[] {
  const stride = CELLS / MAP_CELLS;
  const place = (index: number) => Math.floor((index + 0.5) * stride);
  return Array.from(
    { length: MAP_CELLS * MAP_CELLS },
    (_, cell) => place(Math.floor(cell / MAP_CELLS)) * CELLS + place(cell % MAP_CELLS),
  );
}

function unitMaps(values: readonly Float64Array[], units: number): Uint8Array[] {
  return Array.from({ length: Math.min(SHOWN_UNITS, units) }, (_, unit) => {
    const largest = values.reduce((most, row) => Math.max(most, Math.abs(row[unit])), 0) || 1;
    return Uint8Array.from(values, (row) => 127 + Math.round((127 * row[unit]) / largest));
  });
}
