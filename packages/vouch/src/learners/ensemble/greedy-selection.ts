/** A loss of probabilities, rows × classes. */
export type ProbabilityLoss = (probabilities: Float64Array) => number;

/** Labelled rows, whose error and log-loss are computed from running sums. */
export interface LabelledProbabilities {
  readonly labels: Int32Array;
  readonly classes: number;
  /** Weights of the rows; 1 each if absent. */
  readonly weights?: Float64Array | undefined;
}

/** The losses that are computed without a copy of the probabilities. */
export interface RunningLoss extends LabelledProbabilities {
  readonly kind: "error" | "log-loss";
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
 * Candidates are probabilities of the same rows, rows × classes each. Sums are updated, so that a round costs one pass over the
 * probabilities of each candidate, and with a `log-loss` only over those of the labels.
 */
export function selectGreedily(
  candidates: readonly Float64Array[],
  loss: ProbabilityLoss | RunningLoss,
  { rounds = 50, start = 1, tieLoss = tieLossOf(loss) }: GreedyOptions = {},
): Float64Array {
  const first = lossOfSums(loss);
  const second = tieLoss && lossOfSums(tieLoss);
  const sums = new Float64Array(candidates[0].length);
  const counts = new Float64Array(candidates.length);
  let best: { readonly losses: Losses; readonly weights: Float64Array } | undefined;
  const firstOnes = start > 1 ? bestAlone(candidates, first, second).slice(0, start) : [];
  for (let round = 1; round <= Math.max(rounds, firstOnes.length); round++) {
    const open = round <= firstOnes.length ? [firstOnes[round - 1]] : candidates.keys();
    const chosen = bestAddition(candidates, open, { sums, round }, first, second);
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

/**
 * Computes the loss of (sums + added) / count. It may stop and return Infinity as soon as the loss is above the limit.
 */
type LossOfSums = (sums: Float64Array, added: Float64Array, count: number, limit: number) => number;

function bestAddition(
  candidates: readonly Float64Array[],
  open: Iterable<number>,
  { sums, round }: { readonly sums: Float64Array; readonly round: number },
  first: LossOfSums,
  second: LossOfSums | undefined,
): Losses & { readonly candidate: number } {
  let best: (Losses & { readonly candidate: number }) | undefined;
  for (const candidate of open) {
    const added = candidates[candidate];
    const limit = best ? best.loss + TIE * Math.abs(best.loss) : Infinity;
    const loss = first(sums, added, round, limit);
    const tie = once(() => second?.(sums, added, round, Infinity) ?? 0);
    const losses = { candidate, loss, tie };
    if (!best || isBetter(losses, best)) best = losses;
  }
  if (!best) throw new TypeError("There are no candidates.");
  // The sums change after this round, and the tie may be asked for later.
  const tie = best.tie();
  return { ...best, tie: () => tie };
}

function isBetter(losses: Losses, than: Losses): boolean {
  const slack = TIE * Math.abs(than.loss);
  if (losses.loss < than.loss - slack) return true;
  if (losses.loss > than.loss + slack) return false;
  return losses.tie() < than.tie() - TIE * Math.abs(than.tie());
}

/** Lists the candidates by their own losses, the smallest first. */
function bestAlone(
  candidates: readonly Float64Array[],
  first: LossOfSums,
  second: LossOfSums | undefined,
): number[] {
  const nothing = new Float64Array(candidates[0].length);
  const alone = candidates.map((added) => ({
    loss: first(nothing, added, 1, Infinity),
    tie: once(() => second?.(nothing, added, 1, Infinity) ?? 0),
  }));
  const order = [...candidates.keys()];
  return order.sort((a, b) => (isBetter(alone[a], alone[b]) ? -1 : isBetter(alone[b], alone[a]) ? 1 : a - b));
}

function once(compute: () => number): () => number {
  let known: number | undefined;
  return () => {
    known ??= compute();
    return known;
  };
}

function tieLossOf(loss: ProbabilityLoss | RunningLoss): RunningLoss | undefined {
  return typeof loss === "object" && loss.kind === "error" ? { ...loss, kind: "log-loss" } : undefined;
}

function lossOfSums(loss: ProbabilityLoss | RunningLoss): LossOfSums {
  if (typeof loss === "object") return loss.kind === "error" ? errorOf(loss) : logLossOf(loss);
  let mean: Float64Array | undefined;
  return (sums, added, count) => {
    mean ??= new Float64Array(sums.length);
    for (let i = 0; i < sums.length; i++) mean[i] = (sums[i] + added[i]) / count;
    return loss(mean);
  };
}

/** The share of rows whose largest sum is not that of the label; ties go to the smaller index. */
function errorOf({ labels, classes, weights }: LabelledProbabilities): LossOfSums {
  const total = totalWeight(labels, weights);
  return (sums, added, _, limit) => {
    const most = limit * total;
    let wrong = 0;
    for (let i = 0, start = 0; i < labels.length; i++, start += classes) {
      let largest = sums[start] + added[start];
      let place = 0;
      for (let k = 1; k < classes; k++) {
        const sum = sums[start + k] + added[start + k];
        if (sum > largest) {
          largest = sum;
          place = k;
        }
      }
      if (place === labels[i]) continue;
      wrong += weights ? weights[i] : 1;
      if (wrong > most) return Infinity;
    }
    return wrong / total;
  };
}

function logLossOf({ labels, classes, weights }: LabelledProbabilities): LossOfSums {
  const total = totalWeight(labels, weights);
  return (sums, added, count) => {
    let loss = 0;
    for (let i = 0; i < labels.length; i++) {
      const at = i * classes + labels[i];
      const probability = labels[i] < 0 ? 0 : (sums[at] + added[at]) / count;
      loss -= (weights ? weights[i] : 1) * Math.log(Math.max(LEAST_PROBABILITY, probability));
    }
    return loss / total;
  };
}

function totalWeight(labels: Int32Array, weights: Float64Array | undefined): number {
  return weights ? weights.reduce((sum, weight) => sum + weight, 0) : labels.length;
}
