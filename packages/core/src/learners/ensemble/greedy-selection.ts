import * as real from "../../runtime/maths/portable-math.js";

/** A loss of probabilities, rows × classes. */
export type ProbabilityLoss = (probabilities: Float64Array) => number;

/** A loss that is computed from running sums, without a copy of all probabilities. */
export interface RunningLoss {
  readonly kind: "error" | "log-loss";
  readonly labels: Int32Array;
  readonly classes: number;
  /** Weights of the rows; 1 each if absent. */
  readonly weights?: Float64Array | undefined;
}

export interface GreedyOptions {
  /** Members that are added, one at a time; the same one may be added again. */
  readonly rounds?: number;
  /** Starts with this many candidates, those with the smallest losses of their own. */
  readonly start?: number;
  /** Breaks ties; by default the log-loss if the loss is the error. */
  readonly tieLoss?: ProbabilityLoss | RunningLoss;
}

/** Probabilities below this do not cost more in the log-loss. */
export const LEAST_PROBABILITY = 1e-15;

/** Losses that differ by less, relative to their size, are ties: sums in another order are not other losses. */
const TIE = 1e-12;

/**
 * Selects weights of an average of candidates by forward selection with replacement (Caruana et al., "Ensemble selection from
 * libraries of models", ICML 2004): each round adds the candidate with which the mean of all added so far has the smallest loss.
 * The best of these means is kept, the earliest of equal ones. Weights are shares of the additions and sum to one.
 *
 * Candidates are probabilities of the same rows, rows × classes each.
 */
export function selectGreedily(
  candidates: readonly Float64Array[],
  loss: ProbabilityLoss | RunningLoss,
  { rounds = 50, start = 1, tieLoss = tieLossOf(loss) }: GreedyOptions = {},
): Float64Array {
  const first = summedLoss(candidates, loss);
  const second = tieLoss && summedLoss(candidates, tieLoss);
  const sums = new Float64Array(candidates[0].length);
  const counts = new Float64Array(candidates.length);
  let best: { readonly losses: Losses; readonly weights: Float64Array } | undefined;
  let firstOnes: readonly number[] = [];
  for (let round = 1; round <= Math.max(rounds, firstOnes.length); round++) {
    first.begin(sums, round);
    second?.begin(sums, round);
    if (round === 1 && start > 1) firstOnes = byOwnLoss(candidates.length, first, second).slice(0, start);
    const open = round <= firstOnes.length ? [firstOnes[round - 1]] : candidates.keys();
    const chosen = bestAddition(open, first, second);
    const added = candidates[chosen.candidate];
    for (let i = 0; i < sums.length; i++) sums[i] += added[i];
    counts[chosen.candidate]++;
    if (!best || isBetter(chosen, best.losses)) {
      best = { losses: chosen, weights: counts.map((count) => count / round) };
    }
  }
  return best?.weights ?? counts;
}

/** The loss of a mean, and the loss that breaks ties. */
interface Losses {
  readonly loss: number;
  readonly tie: () => number;
}

/** Computes the losses of (sums + candidate) / count for all candidates of a round. */
interface SummedLoss {
  /** Begins a round. */
  begin(sums: Float64Array, count: number): void;
  /** May return Infinity if the loss is above the limit. */
  with(candidate: number, limit: number): number;
}

function bestAddition(
  open: Iterable<number>,
  first: SummedLoss,
  second: SummedLoss | undefined,
): Losses & { readonly candidate: number } {
  let best: (Losses & { readonly candidate: number }) | undefined;
  for (const candidate of open) {
    const limit = best ? best.loss + TIE * Math.abs(best.loss) : Infinity;
    const losses = { candidate, ...lossesWith(candidate, limit, first, second) };
    if (!best || isBetter(losses, best)) best = losses;
  }
  if (!best) throw new TypeError("There are no candidates.");
  // Later rounds ask for the tie of this one.
  best.tie();
  return best;
}

function lossesWith(
  candidate: number,
  limit: number,
  first: SummedLoss,
  second: SummedLoss | undefined,
): Losses {
  let tie: number | undefined;
  return {
    loss: first.with(candidate, limit),
    tie: () => {
      tie ??= second?.with(candidate, Infinity) ?? 0;
      return tie;
    },
  };
}

function isBetter(losses: Losses, than: Losses): boolean {
  const slack = TIE * Math.abs(than.loss);
  if (losses.loss < than.loss - slack) return true;
  if (losses.loss > than.loss + slack) return false;
  return losses.tie() < than.tie() - TIE * Math.abs(than.tie());
}

/** Lists the candidates by their own losses, the smallest first. */
function byOwnLoss(count: number, first: SummedLoss, second: SummedLoss | undefined): number[] {
  const own = Array.from({ length: count }, (_, candidate) => lossesWith(candidate, Infinity, first, second));
  const order = [...own.keys()];
  return order.sort((a, b) => (isBetter(own[a], own[b]) ? -1 : isBetter(own[b], own[a]) ? 1 : a - b));
}

function tieLossOf(loss: ProbabilityLoss | RunningLoss): RunningLoss | undefined {
  return typeof loss === "object" && loss.kind === "error" ? { ...loss, kind: "log-loss" } : undefined;
}

function summedLoss(candidates: readonly Float64Array[], loss: ProbabilityLoss | RunningLoss): SummedLoss {
  if (typeof loss === "function") return new LossOfMean(candidates, loss);
  return loss.kind === "error" ? new SummedError(candidates, loss) : new SummedLogLoss(candidates, loss);
}

/** Any loss, of a mean that is written for each candidate. */
class LossOfMean implements SummedLoss {
  readonly #candidates: readonly Float64Array[];
  readonly #loss: ProbabilityLoss;
  readonly #mean: Float64Array;
  #sums: Float64Array;
  #count = 1;

  constructor(candidates: readonly Float64Array[], loss: ProbabilityLoss) {
    this.#candidates = candidates;
    this.#loss = loss;
    this.#mean = new Float64Array(candidates[0].length);
    this.#sums = this.#mean;
  }

  begin(sums: Float64Array, count: number): void {
    this.#sums = sums;
    this.#count = count;
  }

  with(candidate: number): number {
    const [mean, sums, added, count] = [this.#mean, this.#sums, this.#candidates[candidate], this.#count];
    for (let i = 0; i < mean.length; i++) mean[i] = (sums[i] + added[i]) / count;
    return this.#loss(mean);
  }
}

/**
 * The share of rows whose largest sum is not that of the label; ties go to the smaller index. A row whose label leads or trails
 * by more than a candidate can add is right or wrong with all of them: after a few rounds only rows near ties are left.
 */
class SummedError implements SummedLoss {
  readonly #candidates: readonly Float64Array[];
  readonly #labels: Int32Array;
  readonly #classes: number;
  readonly #weights: Float64Array;
  readonly #total: number;
  /** How much a candidate can change the difference of two classes. */
  readonly #range: number;
  #sums: Float64Array = new Float64Array(0);
  /** Rows that a candidate can turn. */
  #open = new Int32Array(0);
  /** Weight of the rows that are wrong with any candidate. */
  #wrong = 0;

  constructor(candidates: readonly Float64Array[], { labels, classes, weights }: RunningLoss) {
    this.#candidates = candidates;
    this.#labels = labels;
    this.#classes = classes;
    this.#weights = weights ?? new Float64Array(labels.length).fill(1);
    this.#total = totalOf(this.#weights);
    let [least, most] = [0, 0];
    for (const candidate of candidates) {
      for (let i = 0; i < candidate.length; i++) {
        least = Math.min(least, candidate[i]);
        most = Math.max(most, candidate[i]);
      }
    }
    // Sums are rounded.
    this.#range = (most - least) * (1 + 1e-9);
  }

  begin(sums: Float64Array): void {
    const [labels, classes] = [this.#labels, this.#classes];
    const open = new Int32Array(labels.length);
    let count = 0;
    this.#wrong = 0;
    for (let i = 0, start = 0; i < labels.length; i++, start += classes) {
      const label = labels[i];
      let other = Number.NEGATIVE_INFINITY;
      for (let k = 0; k < classes; k++) {
        if (k !== label && sums[start + k] > other) other = sums[start + k];
      }
      const lead = label < 0 ? Number.NEGATIVE_INFINITY : sums[start + label] - other;
      if (lead < -this.#range) this.#wrong += this.#weights[i];
      else if (lead <= this.#range) open[count++] = i;
    }
    this.#sums = sums;
    this.#open = open.subarray(0, count);
  }

  with(candidate: number, limit: number): number {
    const [labels, classes, open, sums] = [this.#labels, this.#classes, this.#open, this.#sums];
    const added = this.#candidates[candidate];
    const most = limit * this.#total;
    let wrong = this.#wrong;
    for (let r = 0; r < open.length; r++) {
      const start = open[r] * classes;
      let largest = sums[start] + added[start];
      let place = 0;
      for (let k = 1; k < classes; k++) {
        const sum = sums[start + k] + added[start + k];
        if (sum > largest) {
          largest = sum;
          place = k;
        }
      }
      if (place === labels[open[r]]) continue;
      wrong += this.#weights[open[r]];
      if (wrong > most) return Infinity;
    }
    return wrong / this.#total;
  }
}

/** The log-loss, from the probabilities of the labels alone. */
class SummedLogLoss implements SummedLoss {
  /** The probability of the label of each row, by candidate. */
  readonly #ofLabels: readonly Float64Array[];
  readonly #places: Int32Array;
  readonly #weights: Float64Array;
  readonly #total: number;
  readonly #sums: Float64Array;
  #count = 1;

  constructor(candidates: readonly Float64Array[], { labels, classes, weights }: RunningLoss) {
    // A row of an unknown class has no place, and probability 0.
    this.#places = labels.map((label, i) => (label < 0 ? -1 : i * classes + label));
    this.#ofLabels = candidates.map((own) => this.#labelsOf(own, new Float64Array(labels.length)));
    this.#weights = weights ?? new Float64Array(labels.length).fill(1);
    this.#total = totalOf(this.#weights);
    this.#sums = new Float64Array(labels.length);
  }

  begin(sums: Float64Array, count: number): void {
    this.#labelsOf(sums, this.#sums);
    this.#count = count;
  }

  with(candidate: number): number {
    const [sums, added, weights, count] = [this.#sums, this.#ofLabels[candidate], this.#weights, this.#count];
    let loss = 0;
    for (let i = 0; i < sums.length; i++) {
      loss -= weights[i] * real.log(Math.max(LEAST_PROBABILITY, (sums[i] + added[i]) / count));
    }
    return loss / this.#total;
  }

  #labelsOf(all: Float64Array, to: Float64Array): Float64Array {
    const places = this.#places;
    for (let i = 0; i < places.length; i++) to[i] = places[i] < 0 ? 0 : all[places[i]];
    return to;
  }
}

function totalOf(weights: Float64Array): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}
