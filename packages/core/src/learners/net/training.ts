import * as real from "../../runtime/maths/portable-math.js";
import { Random } from "../../runtime/maths/random.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { formatNumber, formatPercent } from "../../runtime/text/number-format.js";
import type { DropoutRates } from "./dropout.js";
import { NetworkTeam, type NetworkTeamInput } from "./network-team.js";
import type { NetworkForm, NetworkWeights } from "./network-weights.js";
import { RowSource } from "./row-source.js";
import type { StepSettings } from "./step-rule.js";

/** How to train a network. */
export interface TrainingPlan extends NetworkForm, StepSettings, DropoutRates {
  readonly batchSize: number;
  readonly epochs: number;
  /** Fewest steps: with few rows there are more epochs than `epochs`, as many as make so many steps. */
  readonly minSteps?: number;
  /** Early stopping: epochs without a lower held-out error or loss before training stops; 0 turns it off, and no rows are held out. */
  readonly patience: number;
  /** Fraction held out for early stopping. */
  readonly validation: number;
  /** Times to resume from the best weights with a smaller learning rate before early stopping ends training. */
  readonly rateDrops?: number;
  /** Pixels that each step moves images by, at most; 0 if features are not pixels. */
  readonly shift?: number;
  /** How the learning rate changes from step to step: constant, or linearly to 0 at the end of the last epoch. */
  readonly rateDecay?: (typeof rateDecays)[number];
}

/** Schedules of the learning rate. */
export const rateDecays = ["none", "linear"] as const;

/** Why training ended. */
export const networkStops = ["all epochs done", "validation error no longer falls", "diverged"] as const;
type NetworkStop = (typeof networkStops)[number];

/** Losses of an epoch of training. */
export interface Epoch {
  /** Mean loss of the training rows during the epoch. */
  readonly trainingLoss: number;
  /** Mean loss and error on the held-out rows, if any, after the epoch. */
  readonly validationLoss?: number;
  readonly validationError?: number;
}

/** A trained network and its training history. */
export interface TrainedNetwork {
  readonly weights: NetworkWeights;
  /** Every epoch, including those after the best one. */
  readonly curve: readonly Epoch[];
  /** The epoch, from 1, whose weights these are; 0 for the initial weights. */
  readonly best: number;
  readonly stop: NetworkStop;
}

/** The random stream that shuffles the rows of an epoch has this number plus the epoch's. */
const SHUFFLES = 1_000_000;

/** The random stream of the steps of an epoch, for dropout and shifts, has this number plus the epoch's. */
const STEPS = 2_000_000;

/** Share of the learning rate that is left after a drop. */
const DROP = 0.2;

/** Training has diverged when the mean loss is this many times that of guessing, log K. */
const DIVERGED = 20;

/** What each worker of a training gets; structured-cloneable. */
export interface TrainingInput extends NetworkTeamInput {
  readonly plan: TrainingPlan;
  readonly train: Int32Array | undefined;
  /** Held-out rows for early stopping. */
  readonly test: Int32Array | undefined;
  readonly classes: number;
  readonly seed: number;
}

/** One of the workers that train a network together; the first one leads and returns the result. */
export const trainTask = defineTask(
  "net/train",
  async (input: TrainingInput, context: TaskContext): Promise<TrainedNetwork | undefined> => {
    if (input.worker > 0) {
      await new NetworkTeam(input, context).serve();
      return undefined;
    }
    const training = new Training(input, context);
    try {
      return await training.run();
    } finally {
      training.finish();
    }
  },
);

/** The weights after an epoch, and the losses by which they are judged. */
interface Candidate {
  readonly epoch: number;
  readonly weights: NetworkWeights;
  readonly record?: Epoch;
}

/** Trains a network as the leader of a team. */
class Training {
  readonly #plan: TrainingPlan;
  readonly #context: TaskContext;
  readonly #team: NetworkTeam;
  readonly #rows: RowSource;
  readonly #heldOut: RowSource | undefined;
  readonly #batch: number;
  readonly #epochs: number;
  readonly #largestLoss: number;
  readonly #random: Random;
  readonly #curve: Epoch[] = [];
  #best: Candidate;
  #rateShare = 1;
  #drops = 0;
  #smallestLoss = Number.POSITIVE_INFINITY;
  /** The last epoch that improved, or after which the rate dropped. */
  #lastProgress = 0;

  constructor(input: TrainingInput, context: TaskContext) {
    const { plan, rows, train, test, classes, seed } = input;
    this.#plan = plan;
    this.#context = context;
    this.#team = new NetworkTeam(input, context);
    this.#rows = new RowSource(rows, train);
    this.#heldOut = test && new RowSource(rows, test);
    this.#batch = Math.min(plan.batchSize, this.#rows.rows);
    this.#epochs = epochsOf(plan, this.#rows.rows);
    this.#largestLoss = DIVERGED * real.log(Math.max(2, classes));
    this.#random = new Random(seed);
    this.#best = { epoch: 0, weights: this.#team.network.weights() };
  }

  async run(): Promise<TrainedNetwork> {
    const { patience } = this.#plan;
    const epochs = this.#epochs;
    for (let epoch = 1; epoch <= epochs; epoch++) {
      const before = this.#heldOut ? undefined : this.#team.network.weights();
      const trainingLoss = await this.#learn(epoch);
      const validated = Number.isFinite(trainingLoss) ? await this.#validate() : undefined;
      const record = { trainingLoss, ...validated };
      if (this.#diverges(record)) return this.#result("diverged");
      this.#curve.push(record);
      this.#context.progress(epoch / epochs, noteOf(record));
      if (this.#improves(record)) this.#lastProgress = epoch;
      if (this.#isBest(record)) this.#best = this.#candidate(epoch, record, before);
      if (epoch < epochs && this.#isStuck(epoch) && !this.#resumeSlower(epoch)) {
        return this.#result("validation error no longer falls");
      }
    }
    if (patience === 0) {
      if (await this.#lastStepDiverges()) return this.#result("diverged");
      this.#best = { epoch: epochs, weights: this.#team.network.weights() };
    }
    return this.#result("all epochs done");
  }

  /** Dismisses the other workers. */
  finish(): void {
    this.#team.finish();
  }

  /** Makes one pass over the training rows in random order; returns their mean loss. */
  async #learn(epoch: number): Promise<number> {
    const rows = this.#rows.rows;
    const order = this.#random.fork(SHUFFLES + epoch).shuffle(Int32Array.from({ length: rows }, (_, i) => i));
    const steps = this.#random.fork(STEPS + epoch);
    let loss = 0;
    for (let first = 0; first < rows; first += this.#batch) {
      const count = Math.min(this.#batch, rows - first);
      this.#rows.choose(this.#team.network, order.subarray(first, first + count), 1 / count);
      const share = this.#rateShare * this.#decayAfter(epoch - 1 + first / rows);
      loss += count * (await this.#team.learn(count, share, steps.bits()));
      if (!Number.isFinite(loss)) break;
    }
    return loss / rows;
  }

  /** Returns the share of the learning rate after some epochs. */
  #decayAfter(epochs: number): number {
    return this.#plan.rateDecay === "linear" ? 1 - epochs / this.#epochs : 1;
  }

  /** Measures loss and error on the held-out rows, if any. */
  async #validate(): Promise<Pick<Epoch, "validationLoss" | "validationError"> | undefined> {
    const rows = this.#heldOut;
    if (!rows) return undefined;
    let loss = 0;
    let error = 0;
    for (let first = 0; first < rows.rows; first += this.#batch) {
      const count = Math.min(this.#batch, rows.rows - first);
      const places = Int32Array.from({ length: count }, (_, i) => first + i);
      rows.choose(this.#team.network, places, 1);
      const evaluated = await this.#team.evaluate(count);
      loss += evaluated.loss;
      error += evaluated.error;
    }
    return { validationLoss: loss / rows.rows, validationError: error / rows.rows };
  }

  #diverges({ trainingLoss, validationLoss = 0 }: Epoch): boolean {
    return !(trainingLoss <= this.#largestLoss && validationLoss <= this.#largestLoss);
  }

  /** Checks the final weights, whose loss has not been measured yet. */
  async #lastStepDiverges(): Promise<boolean> {
    const places = Int32Array.from({ length: this.#batch }, (_, i) => i);
    this.#rows.choose(this.#team.network, places, 1 / this.#batch);
    const diverges = !((await this.#team.evaluate(this.#batch)).loss <= this.#largestLoss);
    if (diverges) this.#curve.pop();
    return diverges;
  }

  /** Tells whether the last epoch is the best one or has the smallest validation loss: errors on few rows are coarse. */
  #improves(last: Epoch): boolean {
    const { validationLoss = Number.POSITIVE_INFINITY } = last;
    const falls = validationLoss < this.#smallestLoss;
    if (falls) this.#smallestLoss = validationLoss;
    return falls || this.#isBest(last);
  }

  #isBest(last: Epoch): boolean {
    const { record } = this.#best;
    return record === undefined || isBetter(last, record);
  }

  /** Makes a candidate. The loss during an epoch judges the weights at its start, not those at its end. */
  #candidate(epoch: number, record: Epoch, before: NetworkWeights | undefined): Candidate {
    if (before) return { epoch: epoch - 1, weights: before, record };
    return { epoch, weights: this.#team.network.weights(), record };
  }

  #isStuck(epoch: number): boolean {
    const { patience } = this.#plan;
    return patience > 0 && epoch - this.#lastProgress >= patience;
  }

  /** Returns to the best weights with a smaller learning rate; false if no rate drop is left. */
  #resumeSlower(epoch: number): boolean {
    if (this.#drops === (this.#plan.rateDrops ?? 0)) return false;
    this.#drops++;
    this.#lastProgress = epoch;
    this.#rateShare *= DROP;
    this.#team.network.load(this.#best.weights);
    return true;
  }

  #result(stop: NetworkStop): TrainedNetwork {
    const { epoch: best, weights } = this.#best;
    return { weights, curve: this.#curve, best, stop };
  }
}

/** Returns the number of epochs of a training on a number of rows. */
export function epochsOf(
  { epochs, minSteps = 0, batchSize }: Pick<TrainingPlan, "epochs" | "minSteps" | "batchSize">,
  rows: number,
): number {
  const stepsPerEpoch = Math.ceil(rows / Math.min(batchSize, rows));
  return Math.max(epochs, Math.ceil(minSteps / stepsPerEpoch));
}

/** Compares held-out errors, then held-out losses; without held-out rows, training losses. */
function isBetter(epoch: Epoch, than: Epoch): boolean {
  const { validationError = 0, validationLoss = epoch.trainingLoss } = epoch;
  const { validationError: otherError = 0, validationLoss: otherLoss = than.trainingLoss } = than;
  return validationError < otherError || (validationError === otherError && validationLoss < otherLoss);
}

function noteOf({ trainingLoss, validationError }: Epoch): string {
  const loss = `loss ${formatNumber(trainingLoss)}`;
  return validationError === undefined ? loss : `${loss}, validation error ${formatPercent(validationError)}`;
}
