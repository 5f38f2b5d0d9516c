import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import type { Random } from "../../runtime/maths/random.js";
import type { Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import {
  activate,
  addColumnSums,
  copyLayer,
  drawLayer,
  drawn,
  hiddenInput,
  loadLayer,
  momentumUpdate,
  pairedSums,
  singleRows,
  squaredDistance,
  type TiedLayer,
  visibleInput,
  zerosLike,
} from "./pretrain-layer.js";
import {
  type LayerKind,
  type LearningLayer,
  type PretrainedStack,
  type PretrainSchedule,
  pretrainStack,
} from "./pretrain-stack.js";

/**
 * The visible units of a restricted Boltzmann machine; its hidden units are binary.
 *
 * Binary units have the energy E(v, h) = −Σ v_i c_i − Σ h_j b_j − Σ v_i h_j w_ji. Eq. 4.6 of the thesis lacks the
 * minus signs, without which eqs. 4.17 and 4.18 do not follow; they are right here. Gaussian units, for
 * inputs of mean 0 and variance 1, have E(v, h) = ½ Σ (v_i − c_i)² − Σ h_j b_j − Σ v_i h_j w_ji.
 */
type VisibleUnits = "binary" | "gaussian";

/** Computes P(h_j = 1 | v) = σ(b_j + Σ w_ji v_i), eq. 4.18; the same for both kinds of visible units. */
export function hiddenProbabilities(layer: TiedLayer, visible: Matrix): Matrix {
  return activate("sigmoid", hiddenInput(layer, visible));
}

/** Computes the mean of v given h: P(v_i = 1 | h) = σ(c_i + Σ w_ji h_j), eq. 4.17, or c_i + Σ w_ji h_j for Gaussian units. */
export function visibleMeans(units: VisibleUnits, layer: TiedLayer, hidden: Matrix): Matrix {
  return activate(units === "binary" ? "sigmoid" : "linear", visibleInput(layer, hidden));
}

/**
 * Computes the free energy F(v) of each row, where P(v) = exp(−F(v))/Z: the energy after summing out the hidden units,
 * F(v) = −Σ v_i c_i − Σ_j ln(1 + exp(b_j + Σ w_ji v_i)); for Gaussian units the first sum is ½ Σ (v_i − c_i)².
 */
export function freeEnergies(units: VisibleUnits, layer: TiedLayer, visible: Matrix): Float64Array {
  return freeEnergiesGiven(hiddenInput(layer, visible), units, layer, visible);
}

function freeEnergiesGiven(
  input: Matrix,
  units: VisibleUnits,
  layer: TiedLayer,
  visible: Matrix,
): Float64Array {
  return visibleEnergies(units, layer, visible).map(
    (energy, i) => energy - Float64Array.from(input.row(i), softplus).reduce(sum, 0),
  );
}

interface DivergenceStep {
  /** The direction that makes the rows more likely: E_data − E_model of the statistics, mean over the rows (eqs. 4.21–4.23). */
  readonly ascent: TiedLayer;
  /** Σ ‖v − E[v | E[h | v]]‖² over the rows: without sampling, so that epochs can be compared. */
  readonly distance: number;
  /** Σ F(v) over the rows. */
  readonly freeEnergy: number;
}

/**
 * Computes a step of contrastive divergence: the statistics of the rows minus those after k steps of Gibbs sampling from
 * them. Both layers are sampled in every step, so that the expectation is that of the chain; only the last hidden units are
 * probabilities, which have the same expectation and less variance.
 */
export function contrastiveDivergence(
  units: VisibleUnits,
  layer: TiedLayer,
  rows: Matrix,
  steps: number,
  random: Random,
): DivergenceStep {
  const input = hiddenInput(layer, rows);
  const freeEnergy = freeEnergiesGiven(input, units, layer, rows).reduce(sum, 0);
  const probabilities = activate("sigmoid", input);
  let hidden = probabilities;
  let visible = rows;
  for (let step = 0; step < steps; step++) {
    const draws = new Matrix(hidden.rows, hidden.columns, hidden.values.slice());
    drawn(draws.values, () => random.bits());
    visible = drawVisible(units, visibleMeans(units, layer, draws), random);
    hidden = hiddenProbabilities(layer, visible);
  }
  return {
    ascent: difference(layer, { hidden: probabilities, visible: rows }, { hidden, visible }),
    distance: squaredDistance(rows, visibleMeans(units, layer, probabilities)),
    freeEnergy,
  };
}

/** Samples the visible units, given their means, in place. */
function drawVisible(units: VisibleUnits, means: Matrix, random: Random): Matrix {
  const { values } = means;
  if (units === "binary") drawn(values, () => random.bits());
  else for (let k = 0; k < values.length; k++) values[k] += random.normal();
  return means;
}

/** Computes the mean over the rows of h·vᵀ, h and v of the data, minus that of the chain. */
function difference(
  layer: TiedLayer,
  data: { readonly hidden: Matrix; readonly visible: Matrix },
  chain: { readonly hidden: Matrix; readonly visible: Matrix },
): TiedLayer {
  const { rows } = data.hidden;
  const scaled = (matrix: Matrix, factor: number) =>
    new Matrix(
      matrix.rows,
      matrix.columns,
      matrix.values.map((value) => factor * value),
    );
  const ascent = {
    weights: pairedSums(
      { hidden: scaled(data.hidden, 1 / rows), visible: data.visible },
      { hidden: scaled(chain.hidden, -1 / rows), visible: chain.visible },
    ),
    hiddenBiases: zerosLike(layer.hiddenBiases),
    visibleBiases: zerosLike(layer.visibleBiases),
  };
  addColumnSums(data.hidden, 1 / rows, ascent.hiddenBiases);
  addColumnSums(chain.hidden, -1 / rows, ascent.hiddenBiases);
  addColumnSums(data.visible, 1 / rows, ascent.visibleBiases);
  addColumnSums(chain.visible, -1 / rows, ascent.visibleBiases);
  return ascent;
}

/** Computes the part of the energy without hidden units. */
function visibleEnergies(units: VisibleUnits, { visibleBiases }: TiedLayer, visible: Matrix): Float64Array {
  return Float64Array.from({ length: visible.rows }, (_, i) => {
    const row = visible.row(i);
    let energy = 0;
    for (let j = 0; j < row.length; j++) {
      energy += units === "binary" ? -row[j] * visibleBiases[j] : 0.5 * (row[j] - visibleBiases[j]) ** 2;
    }
    return energy;
  });
}

const sum = (a: number, b: number) => a + b;

/** Computes ln(1 + e^x) without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + real.log1p(real.exp(-Math.abs(x)));
}

/** How stacked restricted Boltzmann machines are pre-trained. */
export interface RbmPlan extends PretrainSchedule {
  /** Binary units take inputs from 0 to 1, as probabilities; Gaussian ones take any, best with mean 0 and variance 1. */
  readonly visible: VisibleUnits;
  /** k: Gibbs sampling steps per batch. */
  readonly steps: number;
  /** Learning rate; Gaussian units use a tenth of it, because they are unbounded. */
  readonly rate: number;
  readonly momentum: number;
  /** Weight decay, times the rate at each step. */
  readonly decay: number;
}

/** The learning rate of Gaussian units relative to binary ones (Hinton, A practical guide to training RBMs, 2010, §13.2). */
const GAUSSIAN_RATE = 0.1;

/** Pre-trains hidden layers as restricted Boltzmann machines, one after the other. */
export async function pretrainRbms(features: Matrix, plan: RbmPlan, run: Run): Promise<PretrainedStack> {
  if (plan.visible === "binary") checkProbabilities(features);
  return pretrainStack(machines, features, plan, run);
}

const machines: LayerKind<RbmPlan> = {
  name: "restricted Boltzmann machine",
  start(plan, rows, units, level, random): LearningLayer {
    const visible = visibleUnits(plan, level);
    const rate = plan.rate * (visible === "gaussian" ? GAUSSIAN_RATE : 1);
    const layer = drawLayer(rows, units, visible === "binary" ? "sigmoid" : "linear", random);
    const update = momentumUpdate(layer, { ...plan, rate });
    return {
      layer: () => copyLayer(layer),
      load: (from) => loadLayer(layer, from),
      release() {},
      learn(places, random) {
        const batch = singleRows(rows, places);
        const { ascent, ...sums } = contrastiveDivergence(visible, layer, batch, plan.steps, random);
        update(ascent);
        return sums;
      },
    };
  },
  encode: (_, layer, rows) => hiddenProbabilities(layer, rows),
  decode: (plan, layer, codes, level) => visibleMeans(visibleUnits(plan, level), layer, codes),
};

/** Returns the visible units of a level: codes are probabilities. */
function visibleUnits({ visible }: RbmPlan, level: number): VisibleUnits {
  return level === 0 ? visible : "binary";
}

function checkProbabilities({ columns, values }: Matrix): void {
  let k = 0;
  while (k < values.length && values[k] >= 0 && values[k] <= 1) k++;
  if (k === values.length) return;
  throw new VouchError(
    "data/wrong-kind",
    `Row ${Math.floor(k / columns) + 1} has ${values[k]} in feature ${(k % columns) + 1}, but binary units take values from 0 to 1.`,
    { hint: "Scale the features to [0, 1], or use Gaussian visible units." },
  );
}
