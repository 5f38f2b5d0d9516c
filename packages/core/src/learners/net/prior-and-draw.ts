import * as z from "zod";
import type { Sample } from "../../encode/sample.js";
import { nonNegativeInteger, positiveInteger, realNumber } from "../../runtime/codec/schema-numbers.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { Random, seedAt } from "../../runtime/maths/random.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { pacBayesLoss } from "../../theory/pac-bayes/pac-bayes.js";
import type { PosteriorDrawInputs } from "../../theory/pac-bayes/posterior-draw.js";
import { countErrors } from "../training-summary.js";
import { decisionsOf } from "./network-outputs.js";
import { networkSumsOnThreads } from "./network-sums.js";
import type { NetworkWeights } from "./network-weights.js";
import { trainNetwork } from "./train-network.js";
import type { TrainedNetwork, TrainingPlan } from "./training.js";

/** Facts about the draw that the weights of a network are, as they are stored. */
export const drawSchema = z
  .strictObject({
    rows: positiveInteger,
    errors: nonNegativeInteger,
    logRatio: realNumber,
    draws: positiveInteger,
  })
  .refine(({ rows, errors }) => errors <= rows, "more errors than rows");

/** Streams of the division of the rows, of the pass over all rows, and of the first draw. */
const DIVISION = 2_000_000;
const PASS = 2_000_001;
const FIRST_DRAW = 2_000_002;

/** The pass over all rows has this share of the learning rate, so that the posterior stays close to the prior. */
const PASS_RATE = 0.1;

/** Shares of the way from the prior to the network after the pass at which posteriors are centred. */
const SHARES = [0.25, 0.5, 1] as const;

/** Standard deviations of the noise, as shares of the root mean square of the weights of a layer. */
const NOISES = [0.05, 0.1, 0.2, 0.4] as const;

/** The risk at which draws are compared. Any choice among them is covered, as each has a share of δ. */
const DELTA = 0.05;

/** A trained network, or one that was drawn from a posterior. */
export interface DrawnNetwork {
  readonly trained: TrainedNetwork;
  /** Absent without a prior, or if rows have weights, which may depend on rows that the prior must not know. */
  readonly draw?: PosteriorDrawInputs;
}

/**
 * Trains a network on all rows; with a share for the prior, learns the prior from some rows and returns a draw from a posterior, which PAC-Bayes certifies on the other rows (data-dependent
 * priors: Ambroladze, Parrado-Hernández and Shawe-Taylor 2006; Dziugaite et al. 2021).
 *
 * The prior is a normal distribution around the network w₀ that `fitPrior` trains on a share of the rows. A slow pass over all
 * rows takes w₀ to w₁. The posterior has the mean w₀ + s(w₁ − w₀) and the covariance of the prior: independent noise, of σ times
 * the root mean square of the prior's weights in a layer. So with noise ε
 *
 *     ln (dρ/dπ)(w) = Σ ( Δ²/2 + εΔ ),   Δ = s(w₁ − w₀)/(σ · root mean square of the layer).
 *
 * One network is drawn for each s and σ, and the one with the smallest bound is kept.
 */
export async function drawWithPrior(
  sample: Sample<Matrix>,
  plan: TrainingPlan,
  share: number,
  run: Run,
  fitPrior: (rows: Sample<Matrix>) => Promise<TrainedNetwork>,
): Promise<DrawnNetwork> {
  if (share === 0) return { trained: await fitPrior(sample) };
  const { known, unseen } = divided(sample.rows, share, run.seed);
  const prior = await fitPrior(sample.select(known));
  const pass = {
    ...plan,
    learningRate: PASS_RATE * plan.learningRate,
    epochs: 1,
    minSteps: 0,
    patience: 0,
  };
  const after = await trainNetwork(sample, prior.weights, pass, { ...run, seed: seedAt(run.seed, PASS) });
  const test = sample.select(unseen);
  let best:
    | { readonly weights: NetworkWeights; readonly facts: PosteriorDrawInputs; readonly bound: number }
    | undefined;
  for (const [i, step] of SHARES.entries()) {
    for (const [j, noise] of NOISES.entries()) {
      const random = new Random(seedAt(run.seed, FIRST_DRAW + i * NOISES.length + j));
      const { weights, logRatio } = await drawNetwork(prior.weights, after.weights, step, noise, random, run);
      const sums = await networkSumsOnThreads(weights, plan, test.features, run);
      const errors = countErrors(decisionsOf(sums), test.labels);
      const facts = { rows: test.rows, errors, logRatio, draws: SHARES.length * NOISES.length };
      const loss = { loss: errors / test.rows, divergence: Math.max(0, logRatio), rows: test.rows };
      const bound = pacBayesLoss(loss, DELTA / facts.draws);
      if (!best || bound < best.bound) best = { weights, facts, bound };
    }
  }
  if (!best) throw new TypeError("No network was drawn.");
  return {
    trained: { ...prior, weights: best.weights },
    ...(!sample.weights && { draw: best.facts }),
  };
}

/** Divides rows at random into those that the prior is trained on and the others, each ascending. */
function divided(rows: number, share: number, seed: number) {
  const count = Math.round(share * rows);
  if (count < 1 || count >= rows) {
    throw new VouchError(
      "data/too-few-rows",
      `${rows} rows are too few to train the prior of a network on a share of ${share} and keep others.`,
      { hint: "Use more rows, or prior=0." },
    );
  }
  const order = new Random(seedAt(seed, DIVISION)).shuffle(Int32Array.from({ length: rows }, (_, i) => i));
  return { known: order.slice(0, count).sort(), unseen: order.slice(count).sort() };
}

/**
 * Draws a network from a normal distribution whose mean is a share of the way from the prior to another network, and computes
 * the logarithm of its density relative to the prior, the same distribution around the prior.
 */
export async function drawNetwork(
  prior: NetworkWeights,
  after: NetworkWeights,
  step: number,
  noise: number,
  random: Random,
  run: Pick<Run, "signal">,
): Promise<{ readonly weights: NetworkWeights; readonly logRatio: number }> {
  let logRatio = 0;
  const draw = (from: Float32Array, to: Float32Array, deviation: number) =>
    from.map((centre, i) => {
      const shift = step * (to[i] - centre);
      const own = random.normal();
      const scaled = shift / deviation;
      logRatio += scaled * (scaled / 2 + own);
      return centre + shift + deviation * own;
    });
  const deviations = prior.weights.map((layer) => noise * rootMeanSquare(layer));
  const weights: Float32Array[] = [];
  const biases: Float32Array[] = [];
  for (const [l, deviation] of deviations.entries()) {
    weights.push(draw(prior.weights[l], after.weights[l], deviation));
    biases.push(draw(prior.biases[l], after.biases[l], deviation));
    await checkpoint(run);
  }
  return { weights: { sizes: prior.sizes, weights, biases }, logRatio };
}

/** The noise of a layer of zeros would be 0, and the posterior another world than the prior. */
const LEAST = 1e-6;

function rootMeanSquare(values: Float32Array): number {
  return Math.max(LEAST, Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length));
}
