/**
 * Class probabilities from the probabilities of all pairs: the second method of T.-F. Wu, C.-J. Lin, R. C. Weng,
 * "Probability estimates for multi-class classification by pairwise coupling" (2004), which minimises
 *
 *     Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²   over the probability simplex
 *
 * by the iteration of Algorithm 2. It ends where LIBSVM ends, so that the same classes come out. With two classes there is
 * nothing to couple.
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

  /** Q_tt = Σ_{j≠t} r_jt², Q_tj = −r_jt r_tj. */
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

  /** One round of eq. 46–47: each p_t in turn gets its best value, and p is scaled to sum to one again. */
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
