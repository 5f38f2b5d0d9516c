import type { FloatArray } from "../numeric/matrix.js";
import type { TiedLayer } from "./pretrain-layer.js";

/** Changes a layer by what a batch says of it. */
export type LayerUpdate = (change: TiedLayer) => void;

/** The values of a layer, one array after the other. */
function partsOf({ weights, hiddenBiases, visibleBiases }: TiedLayer): readonly FloatArray[] {
  return [weights.values, hiddenBiases, visibleBiases];
}

/** How slowly Adam forgets gradients and their squares, and what keeps it from dividing by zero (Kingma, Ba 2015). */
const FORGET = 0.9;
const FORGET_SQUARES = 0.999;
const TINY = 1e-8;

/** Adam: steps against the gradient, each value by about `rate` however steep it is. */
export function adamUpdate(layer: TiedLayer, rate: number): LayerUpdate {
  const values = partsOf(layer);
  const means = values.map(({ length }) => new Float32Array(length));
  const squares = values.map(({ length }) => new Float32Array(length));
  let steps = 0;
  return (gradient) => {
    steps++;
    const step = (rate * Math.sqrt(1 - FORGET_SQUARES ** steps)) / (1 - FORGET ** steps);
    partsOf(gradient).forEach((slopes, p) => {
      const [value, mean, square] = [values[p], means[p], squares[p]];
      for (let k = 0; k < slopes.length; k++) {
        mean[k] += (1 - FORGET) * (slopes[k] - mean[k]);
        square[k] += (1 - FORGET_SQUARES) * (slopes[k] * slopes[k] - square[k]);
        value[k] -= (step * mean[k]) / (Math.sqrt(square[k]) + TINY);
      }
    });
  };
}

/** How far a layer moves with each batch, and what of the movement before it keeps. */
export interface Momentum {
  readonly rate: number;
  readonly momentum: number;
  /** The share of a weight, times the rate, that every step takes away; biases keep theirs. */
  readonly decay: number;
}

/** Steps along the ascent, with momentum: Δ ← momentum·Δ + rate·(ascent − decay·w), w ← w + Δ. */
export function momentumUpdate(layer: TiedLayer, { rate, momentum, decay }: Momentum): LayerUpdate {
  const values = partsOf(layer);
  const moves = values.map(({ length }) => new Float32Array(length));
  return (ascent) => {
    partsOf(ascent).forEach((slopes, p) => {
      const [value, move, decaying] = [values[p], moves[p], p === 0 ? decay : 0];
      for (let k = 0; k < slopes.length; k++) {
        move[k] = momentum * move[k] + rate * (slopes[k] - decaying * value[k]);
        value[k] += move[k];
      }
    });
  };
}
