/**
 * The margins Σ α_l γ_l(x_i) / Σ α_l of an additive model on its training rows. They are normalised, so in [−1, 1]:
 * otherwise α would only shift their scale. They are at most the margins of the sum Σ α_l h_l / Σ α_l itself, because
 * the largest of sums is at most the sum of the largest.
 */
export class AdditiveMargins {
  readonly values: Float64Array;
  /** Σ α_l; zero before the first layer. */
  readonly total: number;

  private constructor(values: Float64Array, total: number) {
    this.values = values;
    this.total = total;
  }

  /** The margins before the first layer. */
  static none(rows: number): AdditiveMargins {
    return new AdditiveMargins(new Float64Array(rows), 0);
  }

  /** The margins with a further layer of margins γ and weight α ≥ 0, not both weights zero. */
  plus(gamma: Float64Array, alpha: number): AdditiveMargins {
    const total = this.total + alpha;
    const share = alpha / total;
    const values = this.values.map((value, i) => value + share * (gamma[i] - value));
    return new AdditiveMargins(values, total);
  }

  /** The same on some of the rows. */
  select(rows: Int32Array): AdditiveMargins {
    const values = Float64Array.from(rows, (row) => this.values[row]);
    return new AdditiveMargins(values, this.total);
  }
}
