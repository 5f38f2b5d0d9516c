import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { formatNumber, formatPercent } from "../../runtime/number-format.js";
import { Random } from "../../runtime/random.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { earlyStoppingSplit } from "../early-stopping.js";
import { checkNetwork, type NetworkWeights } from "./network-weights.js";
import { type NetworkForm, ResidentNetwork } from "./resident-network.js";
import { inSinglePrecision, RowSource } from "./row-source.js";
import type { StepSettings } from "./step-rule.js";

/** How to train a network. */
export interface TrainingPlan extends NetworkForm, StepSettings {
  readonly batchSize: number;
  readonly epochs: number;
  /** Epochs without fewer errors or a smaller loss on rows kept apart after which training stops; 0: never, no rows are kept apart. */
  readonly patience: number;
  /** Share of the rows that are kept apart where there is a patience. */
  readonly validation: number;
  /** How often training goes on from the best weights, at a slower pace, where the patience has run out. */
  readonly rateDrops?: number;
}

/** Why training ended. */
export const networkStops = ["all epochs done", "validation error no longer falls", "diverged"] as const;
export type NetworkStop = (typeof networkStops)[number];

/** How an epoch of the training of a network went. */
export interface Epoch {
  /** The mean loss of the training rows while they were learned from. */
  readonly trainingLoss: number;
  /** Loss and share of errors of the rows kept apart, if any, after the epoch. */
  readonly validationLoss?: number;
  readonly validationError?: number;
}

/** A trained network, and how its training went. */
export interface TrainedNetwork {
  readonly weights: NetworkWeights;
  /** Every epoch, also those after the one whose weights were kept. */
  readonly curve: readonly Epoch[];
  /** The epoch, from 1, whose weights these are; 0: those that training began with. */
  readonly best: number;
  readonly stop: NetworkStop;
}

/** The stream of random numbers that shuffles the rows of an epoch is forked from the seed by this and the epoch. */
const SHUFFLES = 1_000_000;

/** What is left of the learning rate after a drop. */
const DROP = 0.2;

/** A mean loss so many times that of guessing, log K, is beyond recovery. */
const HOPELESS = 20;

/**
 * Trains a network from given weights. The sample has no rows of weight 0 and finite features; its classes fit the output:
 * sizes end with their number, or with 1 for a logistic output of two classes.
 *
 * All work is done on this thread, batch after batch, so that the result depends on the seed alone. With a patience the
 * weights of the epoch with the fewest errors on the rows kept apart are kept (of several, with the smallest loss there),
 * without one those of the last epoch. Where the loss grows beyond all bounds training stops, and the best weights so far
 * are kept.
 */
export async function trainNetwork(
  sample: Sample<Matrix>,
  initial: NetworkWeights,
  plan: TrainingPlan,
  run: Run,
): Promise<TrainedNetwork> {
  checkNetwork(initial);
  const training = new Training(sample, initial, plan, run);
  try {
    return await training.run();
  } finally {
    training.release();
  }
}

/** Weights that may be kept: those after an epoch, and the record that speaks for them. */
interface Candidate {
  readonly epoch: number;
  readonly weights: NetworkWeights;
  readonly record?: Epoch;
}

/** One training, epoch by epoch. */
class Training {
  readonly #plan: TrainingPlan;
  readonly #run: Run;
  readonly #network: ResidentNetwork;
  readonly #rows: RowSource;
  readonly #held: RowSource | undefined;
  readonly #batch: number;
  readonly #hopeless: number;
  readonly #random: Random;
  readonly #curve: Epoch[] = [];
  #best: Candidate;
  #rateShare = 1;
  #drops = 0;
  #smallestLoss = Number.POSITIVE_INFINITY;
  /** The last epoch that got ahead, or after which the rate dropped. */
  #lastProgress = 0;

  constructor(sample: Sample<Matrix>, initial: NetworkWeights, plan: TrainingPlan, run: Run) {
    const { train, test } = earlyStoppingSplit("a network", sample.labels, plan, run.seed);
    this.#plan = plan;
    this.#run = run;
    const values = inSinglePrecision(sample.features, plan.inputLimit, sample.featureNames);
    this.#rows = new RowSource(sample, values, train);
    this.#held = test && new RowSource(sample, values, test);
    this.#batch = Math.min(plan.batchSize, this.#rows.rows);
    this.#hopeless = HOPELESS * Math.log(Math.max(2, sample.classes.length));
    this.#random = new Random(run.seed);
    this.#network = new ResidentNetwork(initial, plan, this.#batch, plan);
    this.#best = { epoch: 0, weights: initial };
  }

  async run(): Promise<TrainedNetwork> {
    const { epochs, patience } = this.#plan;
    for (let epoch = 1; epoch <= epochs; epoch++) {
      const before = this.#held ? undefined : this.#network.weights();
      const trainingLoss = await this.#learn(epoch);
      const held = Number.isFinite(trainingLoss) ? await this.#judge() : undefined;
      const record = { trainingLoss, ...held };
      if (!this.#isSane(record)) return this.#result("diverged");
      this.#curve.push(record);
      this.#run.progress({ stage: "training", done: epoch, total: epochs, note: noteOf(record) });
      if (this.#getsAhead(record)) this.#lastProgress = epoch;
      if (this.#isBest(record)) this.#best = this.#candidate(epoch, record, before);
      if (epoch < epochs && this.#isOutOfPatience(epoch) && !this.#goOnSlower(epoch)) {
        return this.#result("validation error no longer falls");
      }
    }
    if (patience === 0) {
      if (!this.#endsSane()) return this.#result("diverged");
      this.#best = { epoch: epochs, weights: this.#network.weights() };
    }
    return this.#result("all epochs done");
  }

  release(): void {
    this.#network.release();
  }

  /** One pass over the training rows in random order; their mean loss. */
  async #learn(epoch: number): Promise<number> {
    const rows = this.#rows.rows;
    const order = this.#random.fork(SHUFFLES + epoch).shuffle(Int32Array.from({ length: rows }, (_, i) => i));
    let loss = 0;
    for (let first = 0; first < rows; first += this.#batch) {
      const count = Math.min(this.#batch, rows - first);
      this.#rows.fill(this.#network, order.subarray(first, first + count), 1 / count);
      loss += count * this.#network.learn(count, this.#rateShare);
      if (!Number.isFinite(loss)) break;
      await checkpoint(this.#run);
    }
    return loss / rows;
  }

  /** Loss and share of errors on the rows kept apart, if any. */
  async #judge(): Promise<Pick<Epoch, "validationLoss" | "validationError"> | undefined> {
    const held = this.#held;
    if (!held) return undefined;
    let loss = 0;
    let error = 0;
    for (let first = 0; first < held.rows; first += this.#batch) {
      const count = Math.min(this.#batch, held.rows - first);
      const places = Int32Array.from({ length: count }, (_, i) => first + i);
      held.fill(this.#network, places, 1);
      const judged = this.#network.judge(count);
      loss += judged.loss;
      error += judged.error;
      await checkpoint(this.#run);
    }
    return { validationLoss: loss / held.rows, validationError: error / held.rows };
  }

  #isSane({ trainingLoss, validationLoss = 0 }: Epoch): boolean {
    return trainingLoss <= this.#hopeless && validationLoss <= this.#hopeless;
  }

  /** Whether the last step did no harm: no loss has spoken for the weights that it ended with. */
  #endsSane(): boolean {
    const places = Int32Array.from({ length: this.#batch }, (_, i) => i);
    this.#rows.fill(this.#network, places, 1 / this.#batch);
    const sane = this.#network.judge(this.#batch).loss <= this.#hopeless;
    if (!sane) this.#curve.pop();
    return sane;
  }

  /** Whether the last epoch is the best one or has the smallest validation loss: few rows tell errors but coarsely. */
  #getsAhead(last: Epoch): boolean {
    const { validationLoss = Number.POSITIVE_INFINITY } = last;
    const falls = validationLoss < this.#smallestLoss;
    if (falls) this.#smallestLoss = validationLoss;
    return falls || this.#isBest(last);
  }

  #isBest(last: Epoch): boolean {
    const { record } = this.#best;
    return record === undefined || isBetter(last, record);
  }

  /** The loss while an epoch learns speaks for the weights that it began with, not for those that it ends with. */
  #candidate(epoch: number, record: Epoch, before: NetworkWeights | undefined): Candidate {
    if (before) return { epoch: epoch - 1, weights: before, record };
    return { epoch, weights: this.#network.weights(), record };
  }

  #isOutOfPatience(epoch: number): boolean {
    const { patience } = this.#plan;
    return patience > 0 && epoch - this.#lastProgress >= patience;
  }

  /** Goes back to the best weights and takes smaller steps; false if that was done often enough. */
  #goOnSlower(epoch: number): boolean {
    if (this.#drops === (this.#plan.rateDrops ?? 0)) return false;
    this.#drops++;
    this.#lastProgress = epoch;
    this.#rateShare *= DROP;
    this.#network.load(this.#best.weights);
    return true;
  }

  #result(stop: NetworkStop): TrainedNetwork {
    const { epoch: best, weights } = this.#best;
    return { weights, curve: this.#curve, best, stop };
  }
}

/** By the errors on rows kept apart, then by the loss there; by the loss on the training rows where none are. */
function isBetter(epoch: Epoch, than: Epoch): boolean {
  const { validationError = 0, validationLoss = epoch.trainingLoss } = epoch;
  const { validationError: otherError = 0, validationLoss: otherLoss = than.trainingLoss } = than;
  return validationError < otherError || (validationError === otherError && validationLoss < otherLoss);
}

function noteOf({ trainingLoss, validationError }: Epoch): string {
  const loss = `loss ${formatNumber(trainingLoss)}`;
  return validationError === undefined ? loss : `${loss}, validation error ${formatPercent(validationError)}`;
}
