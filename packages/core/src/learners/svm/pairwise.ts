import { indexOfLargest } from "../scores.js";

/** Two classes, by index, and the machine that decides between them: f(x) > 0 means the first one. */
export interface Pair {
  readonly first: number;
  readonly second: number;
}

/** Lists all pairs of classes in LIBSVM's order: (0, 1), (0, 2), … (1, 2), … */
export function pairsOf(classes: number): Pair[] {
  const pairs: Pair[] = [];
  for (let first = 0; first < classes; first++) {
    for (let second = first + 1; second < classes; second++) pairs.push({ first, second });
  }
  return pairs;
}

/** Writes the scores of the classes from the decision values of all pairs; the class with the largest score wins. */
export type PairScores = (values: ArrayLike<number>, scores: Float64Array) => void;

/** The sum of a class's decision values counts less than this fraction of a vote. */
const CONFIDENCE_SHARE = 1 / 3;

/** Maps a decision value to a fraction of a vote, keeping the order of values. */
export function confidenceShare(value: number): number {
  return (CONFIDENCE_SHARE * value) / (1 + Math.abs(value));
}

/** Writes f(x) and −f(x). If f(x) = 0, the smallest positive number makes the second class win. */
export function twoClassScores(values: ArrayLike<number>, scores: Float64Array): void {
  const value = values[0];
  scores[0] = value > 0 ? value : Math.min(value, -Number.MIN_VALUE);
  scores[1] = -scores[0];
}

/**
 * Makes scores of votes plus less than half a vote for the sum of the own decision values, so that rows of a class can be
 * ranked.
 *
 * @param ties which of the classes with equally many votes wins: the one that comes `first`, as in LIBSVM (the others then
 *   score no more than the winner), or the one with the larger `sum` of decision values
 */
export function votes(pairs: readonly Pair[], classes: number, ties: "first" | "sum"): PairScores {
  const sums = new Float64Array(classes);
  return (values, scores) => {
    scores.fill(0);
    sums.fill(0);
    for (let p = 0; p < pairs.length; p++) {
      const { first, second } = pairs[p];
      scores[values[p] > 0 ? first : second]++;
      sums[first] += values[p];
      sums[second] -= values[p];
    }
    const winner = indexOfLargest(scores);
    for (let k = 0; k < classes; k++) scores[k] += confidenceShare(sums[k]);
    if (ties === "sum") return;
    for (let k = 0; k < classes; k++) scores[k] = Math.min(scores[k], scores[winner]);
  };
}

/**
 * Turns the smallest margin of a row's class over its pairs into the margin of the row: 0 if the class wins the vote in spite
 * of a lost pair, or loses it in spite of none. For a row of an unknown class (label −1) it is the winner's, negated.
 */
export function voteMargin(smallest: number, label: number, winner: number): number {
  if (label === winner) return Math.max(0, smallest);
  return Math.min(0, label < 0 ? -smallest : smallest);
}

/**
 * Computes class probabilities from the probabilities of all pairs: the second method of T.-F. Wu, C.-J. Lin, R. C. Weng,
 * "Probability estimates for multi-class classification by pairwise coupling" (2004), which minimises
 *
 *     Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²   over the probability simplex
 *
 * by the iteration of Algorithm 2. It stops where LIBSVM stops, so that both predict the same classes. With two classes there
 * is nothing to couple.
 */
export class PairwiseCoupling {
  readonly #classes: number;
  readonly #Q: Float64Array;
  readonly #Qp: Float64Array;

  constructor(classes: number) {
    this.#classes = classes;
    this.#Q = new Float64Array(classes * classes);
    this.#Qp = new Float64Array(classes);
  }

  /**
   * Writes the probabilities of the classes to `p`. `pairs` has r_ij = P(i | i or j, x) for i < j, in the order
   * (0, 1), (0, 2), … (1, 2), …
   */
  couple(pairs: ArrayLike<number>, p: Float64Array): void {
    if (this.#classes === 2) {
      p[0] = pairs[0];
      p[1] = 1 - pairs[0];
      return;
    }
    this.#fill(pairs);
    p.fill(1 / this.#classes);
    const tolerance = 0.005 / this.#classes;
    for (let iteration = Math.max(100, this.#classes); iteration > 0; iteration--) {
      const pQp = this.#multiply(p);
      if (this.#Qp.every((value) => Math.abs(value - pQp) < tolerance)) return;
      this.#improve(p, pQp);
    }
  }

  /** Sets Q_tt = Σ_{j≠t} r_jt², Q_tj = −r_jt r_tj. */
  #fill(pairs: ArrayLike<number>): void {
    const Q = this.#Q.fill(0);
    const k = this.#classes;
    for (let i = 0, pair = 0; i < k; i++) {
      for (let j = i + 1; j < k; j++, pair++) {
        const ij = pairs[pair];
        const ji = 1 - ij;
        Q[i * k + i] += ji * ji;
        Q[j * k + j] += ij * ij;
        Q[i * k + j] = Q[j * k + i] = -ij * ji;
      }
    }
  }

  /** Computes Qp and returns pᵀQp. */
  #multiply(p: Float64Array): number {
    const k = this.#classes;
    let pQp = 0;
    for (let t = 0; t < k; t++) {
      let sum = 0;
      for (let j = 0; j < k; j++) sum += this.#Q[t * k + j] * p[j];
      this.#Qp[t] = sum;
      pQp += p[t] * sum;
    }
    return pQp;
  }

  /** Makes one round of eq. 46–47: each p_t in turn gets its best value, and p is scaled to sum to one again. */
  #improve(p: Float64Array, start: number): void {
    const Q = this.#Q;
    const Qp = this.#Qp;
    const k = this.#classes;
    let pQp = start;
    for (let t = 0; t < k; t++) {
      const step = (pQp - Qp[t]) / Q[t * k + t];
      p[t] += step;
      pQp = (pQp + step * (step * Q[t * k + t] + 2 * Qp[t])) / (1 + step) / (1 + step);
      for (let j = 0; j < k; j++) {
        Qp[j] = (Qp[j] + step * Q[t * k + j]) / (1 + step);
        p[j] /= 1 + step;
      }
    }
  }
}
