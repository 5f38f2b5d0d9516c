import { VouchError } from "../error.js";
import type { Run } from "../learning/run.js";
import type { Matrix } from "../numeric/matrix.js";
import { drawLayer } from "./pretrain-layer.js";
import {
  type LayerKind,
  type LearningLayer,
  type PretrainedStack,
  type PretrainSchedule,
  pretrainStack,
} from "./pretrain-stack.js";
import { momentumUpdate } from "./pretrain-steps.js";
import { contrastiveDivergence, hiddenProbabilities, type VisibleUnits, visibleMeans } from "./rbm.js";

/** How stacked restricted Boltzmann machines are pre-trained. */
export interface RbmPlan extends PretrainSchedule {
  /** Binary units take inputs from 0 to 1, as probabilities; Gaussian ones any, best of mean 0 and variance 1. */
  readonly visible: VisibleUnits;
  /** k: how many steps of Gibbs sampling a batch takes. */
  readonly steps: number;
  /** How far a batch moves a weight; Gaussian units take a tenth of it, being unbounded. */
  readonly rate: number;
  /** The share of its last movement that a weight keeps. */
  readonly momentum: number;
  /** Share of a weight, times the rate, that each batch takes away. */
  readonly decay: number;
}

/** The rate of Gaussian units, as a share of that of binary ones (Hinton, A practical guide to training RBMs, 2010, §13.2). */
const GAUSSIAN_RATE = 0.1;

/** Pre-trains hidden layers as restricted Boltzmann machines, one after the other. */
export async function pretrainRbms(features: Matrix, plan: RbmPlan, run: Run): Promise<PretrainedStack> {
  if (plan.visible === "binary") checkProbabilities(features);
  return pretrainStack(machines, features, plan, run);
}

const machines: LayerKind<RbmPlan> = {
  name: "restricted Boltzmann machine",
  begin(plan, rows, units, level, random): LearningLayer {
    const visible = level === 0 ? plan.visible : "binary";
    const rate = plan.rate * (visible === "gaussian" ? GAUSSIAN_RATE : 1);
    const layer = drawLayer(rows, units, visible === "binary" ? "sigmoid" : "linear", random);
    const update = momentumUpdate(layer, { ...plan, rate });
    return {
      layer,
      learn(batch, random) {
        const { ascent, ...watched } = contrastiveDivergence(visible, layer, batch, plan.steps, random);
        update(ascent);
        return watched;
      },
      encode: (rows) => hiddenProbabilities(layer, rows),
      decode: (codes) => visibleMeans(visible, layer, codes),
    };
  },
};

function checkProbabilities({ columns, values }: Matrix): void {
  let k = 0;
  while (k < values.length && values[k] >= 0 && values[k] <= 1) k++;
  if (k === values.length) return;
  throw new VouchError(
    "data/wrong-kind",
    `Row ${Math.floor(k / columns) + 1} has ${values[k]} in feature ${(k % columns) + 1}, but binary units take values from 0 to 1.`,
    { hint: "Scale the features to 0 … 1, or use Gaussian visible units." },
  );
}
