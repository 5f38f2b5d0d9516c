/** Kernel values of a sample. */
interface KernelRowSource {
  /** Returns K(x_i, ·) for all rows of the sample. */
  row(i: number): ArrayLike<number>;
}

/** The rows that a perceptron visits, in their order. */
interface PerceptronProblem {
  readonly kernel: KernelRowSource;
  readonly rows: Int32Array;
  /** ±1 of each row. */
  readonly labels: Int8Array;
}

interface PerceptronOptions {
  /** Maximum number of passes. */
  readonly passes: number;
  /** Whether to take the mean of the weights over all visits instead of the last ones. */
  readonly averaged: boolean;
}

/** f(x) = Σ coefficient_i · K(x_i, x). */
interface Perceptron {
  /** y_i α_i of each row; with averaging, y_i times the mean α_i. */
  readonly coefficients: Float64Array;
  /** f(x_i) of each row. */
  readonly decisionValues: Float64Array;
  /** ‖w‖² in feature space. */
  readonly squaredNorm: number;
  /** Updates made. */
  readonly mistakes: number;
  /** Passes made. */
  readonly passes: number;
  /** Whether the last weights get every row right, so that another pass would change nothing. */
  readonly settled: boolean;
}

/**
 * Trains the batch kernel perceptron (Algorithm 2 of Vani and Venkatesh 2015): rows in the given order, α_t grows by one when
 * y_t·Σ α_i y_i K(x_i, x_t) ≤ 0, so that a score of 0 is a mistake. Training stops after a pass without mistakes: no other
 * would change anything.
 *
 * All scores are kept up to date, which takes one row of the kernel per mistake and nothing per visit.
 *
 * @param checkpoint called once per mistake or pass; awaited if it returns a promise
 */
export async function trainPerceptron(
  problem: PerceptronProblem,
  options: PerceptronOptions,
  checkpoint: () => Promise<void> | undefined = () => undefined,
): Promise<Perceptron> {
  const training = new Training(problem, options);
  while (training.goesOn) {
    training.nextMistake();
    const pause = checkpoint();
    if (pause) await pause;
  }
  return training.result();
}

/** Trains without pauses, for tasks that train many small perceptrons. */
export function trainPerceptronSync(problem: PerceptronProblem, options: PerceptronOptions): Perceptron {
  const training = new Training(problem, options);
  while (training.goesOn) training.nextMistake();
  return training.result();
}

class Training {
  readonly #problem: PerceptronProblem;
  readonly #options: PerceptronOptions;
  readonly #alpha: Float64Array;
  /** Σ over a row's mistakes of the visits before each, which averaging subtracts. */
  readonly #missed: Float64Array;
  readonly #scores: Float64Array;
  /** Completed passes. */
  #passes = 0;
  #done = false;
  /** The next row to visit, as an index into `rows`. */
  #next = 0;
  #mistakes = 0;
  #mistakesBeforePass = 0;

  constructor(problem: PerceptronProblem, options: PerceptronOptions) {
    const { length } = problem.rows;
    this.#problem = problem;
    this.#options = options;
    this.#alpha = new Float64Array(length);
    this.#missed = new Float64Array(length);
    this.#scores = new Float64Array(length);
  }

  get goesOn(): boolean {
    return !this.#done;
  }

  /** Visits rows until one is misclassified, and learns it, or until the pass ends. */
  nextMistake(): void {
    const { labels } = this.#problem;
    const { length } = labels;
    const scores = this.#scores;
    let t = this.#next;
    while (t < length && scores[t] * labels[t] > 0) t++;
    if (t === length) {
      this.#endPass();
      return;
    }
    this.#alpha[t]++;
    this.#missed[t] += this.#passes * length + t;
    this.#mistakes++;
    addRow(scores, this.#problem, t, labels[t]);
    this.#next = t + 1;
  }

  #endPass(): void {
    this.#passes++;
    this.#done = this.#passes === this.#options.passes || this.#mistakes === this.#mistakesBeforePass;
    this.#mistakesBeforePass = this.#mistakes;
    this.#next = 0;
  }

  result(): Perceptron {
    const { labels } = this.#problem;
    const visits = this.#passes * labels.length;
    // A mistake at visit τ (from 0) is part of the weights after visits τ + 1, …, N: of N − τ out of N.
    const coefficients = this.#alpha.map(
      (alpha, t) => labels[t] * (this.#options.averaged ? alpha - this.#missed[t] / visits : alpha),
    );
    const decisionValues = this.#options.averaged ? this.#scoresOf(coefficients) : this.#scores;
    let squaredNorm = 0;
    for (let t = 0; t < labels.length; t++) squaredNorm += coefficients[t] * decisionValues[t];
    return {
      coefficients,
      decisionValues,
      // Only rounding can make it negative.
      squaredNorm: Math.max(0, squaredNorm),
      mistakes: this.#mistakes,
      passes: this.#passes,
      settled: this.#scores.every((score, t) => score * labels[t] > 0),
    };
  }

  #scoresOf(coefficients: Float64Array): Float64Array {
    const scores = new Float64Array(coefficients.length);
    for (let t = 0; t < coefficients.length; t++) {
      if (coefficients[t] !== 0) addRow(scores, this.#problem, t, coefficients[t]);
    }
    return scores;
  }
}

/** Sets scores_j ← scores_j + factor · K(x_t, x_j). */
function addRow(scores: Float64Array, { kernel, rows }: PerceptronProblem, t: number, factor: number): void {
  const row = kernel.row(rows[t]);
  for (let j = 0; j < rows.length; j++) scores[j] += factor * row[rows[j]];
}
