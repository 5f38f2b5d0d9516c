import type { Certificate } from "@vouch/core/internal/theory/certificate";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import type { Population } from "./populations.js";

/** Returns the costs of the simulations for classes in a given order: missing a later class of the population costs more. */
export function costsFor(labels: readonly number[]): number[][] {
  return labels.map((actual) => labels.map((predicted) => computeCost(actual, predicted)));
}

function computeCost(actual: number, predicted: number): number {
  return actual === predicted ? 0 : 1 + 4 * actual;
}

/** Probabilities are clipped to at least this in the log loss. */
const LEAST_PROBABILITY = 0.001;

/** Probabilities by true class (rows) and predicted class (columns). */
type ClassShares = readonly Float64Array[];

/** Computes exactly what certificates bound for one classifier, by enumerating the support of a population. */
export class TrueMeasures {
  readonly #classes: readonly string[];
  readonly #costs: (actual: number, predicted: number) => number;
  /** The classifier's classes as indices into the population's. */
  readonly #known: readonly number[];
  /** The predicted class of each row of the support. */
  readonly #predictions: Int32Array;
  /**
   * The scores that certificates are about, of the known classes in each row of the support: probabilities if
   * available.
   */
  readonly #scores: ArrayLike<number>;
  /** Whether the classifier answers each row of the support; absent if it answers every row. */
  readonly #answered: readonly boolean[] | undefined;
  /** Prediction set of each row of the support; absent without sets. */
  readonly #sets: readonly ReadonlySet<number>[] | undefined;
  readonly #shares = new WeakMap<Float64Array, ClassShares>();

  /** @param costs costs by class indices of the population */
  constructor(
    classifier: Classifier,
    { classes, support }: Pick<Population, "classes" | "support">,
    costs: (actual: number, predicted: number) => number = computeCost,
  ) {
    const { decision } = classifier;
    // A custom rule of the caller answers every row, as certificates about all cases assume.
    const { predictions, probabilities, scores, sets } = classifier.classify(support, {
      rule: decision.rule,
    });
    this.#answered = decision.abstention && classifier.predict(support).map((name) => name !== "");
    this.#sets = sets?.map((names) => new Set(names.map((name) => classes.indexOf(name))));
    this.#costs = costs;
    this.#classes = classes;
    this.#known = classifier.classes.map((name) => classes.indexOf(name));
    this.#predictions = Int32Array.from(predictions, (name) => classes.indexOf(name));
    this.#scores = (probabilities ?? scores).values;
  }

  /**
   * Computes the quantity that a certificate bounds under a law; undefined if it does not exist, such as the precision
   * of a class that is never predicted.
   */
  of(
    { measure, class: name }: Pick<Certificate, "measure" | "class">,
    law: Float64Array,
  ): number | undefined {
    const label = name === undefined ? -1 : this.#classes.indexOf(name);
    switch (measure) {
      case "error":
      case "group-error":
        return this.#meanOfPairs(law, (actual, predicted) => (predicted === actual ? 0 : 1));
      case "class-error":
        return this.#classError(law, label);
      case "balanced-error":
        return this.#balancedError(law);
      case "precision":
        return this.#precision(law, label);
      case "cost":
        return this.#meanOfPairs(law, this.#costs);
      case "brier":
        return this.#mean(law, (row, actual) => this.#brier(row, actual));
      case "log-loss":
        return this.#mean(
          law,
          (row, actual) => -Math.log(Math.max(LEAST_PROBABILITY, this.#score(row, actual))),
        );
      case "auc":
        return this.#auc(law);
      case "answered-error":
        return this.#answeredError(law);
      case "answer-rate":
        return this.#answered && this.#mean(law, (row) => Number(this.#answered?.[row]));
      case "coverage":
        return this.#coverage(law, label);
    }
  }

  /** Returns the score of a class; 0 if the classifier lacks it. */
  #score(row: number, label: number): number {
    const place = this.#known.indexOf(label);
    return place < 0 ? 0 : this.#scores[row * this.#known.length + place];
  }

  /** Computes E[loss(x, y)]. */
  #mean(law: Float64Array, loss: (row: number, actual: number) => number): number {
    const { length } = this.#classes;
    let sum = 0;
    for (let i = 0; i < law.length; i++) {
      if (law[i] > 0) sum += law[i] * loss(Math.floor(i / length), i % length);
    }
    return sum;
  }

  #meanOfPairs(law: Float64Array, loss: (actual: number, predicted: number) => number): number {
    const pairs = this.#classShares(law).map((row, actual) =>
      row.reduce((sum, share, predicted) => (share > 0 ? sum + share * loss(actual, predicted) : sum), 0),
    );
    return total(pairs);
  }

  /** Sums the law by true and predicted class. Many certificates follow from these sums. */
  #classShares(law: Float64Array): ClassShares {
    const known = this.#shares.get(law);
    if (known) return known;
    const { length } = this.#classes;
    const shares = this.#classes.map(() => new Float64Array(length));
    for (let i = 0; i < law.length; i++) {
      if (law[i] > 0) shares[i % length][this.#predictions[Math.floor(i / length)]] += law[i];
    }
    this.#shares.set(law, shares);
    return shares;
  }

  #classError(law: Float64Array, label: number): number | undefined {
    const row = this.#classShares(law)[label];
    const share = total(row);
    return share > 0 ? (share - row[label]) / share : undefined;
  }

  #balancedError(law: Float64Array): number {
    const errors = this.#classes.flatMap((_, label) => this.#classError(law, label) ?? []);
    return total(errors) / errors.length;
  }

  #precision(law: Float64Array, label: number): number | undefined {
    const shares = this.#classShares(law);
    const predicted = shares.reduce((sum, row) => sum + row[label], 0);
    return predicted > 0 ? shares[label][label] / predicted : undefined;
  }

  #answeredError(law: Float64Array): number | undefined {
    const answered = this.#mean(law, (row) => Number(this.#answered?.[row]));
    const wrong = this.#mean(law, (row, actual) =>
      this.#answered?.[row] && this.#predictions[row] !== actual ? 1 : 0,
    );
    return answered > 0 ? wrong / answered : undefined;
  }

  /** Computes the share of cases, in one class or overall, whose set contains their class. */
  #coverage(law: Float64Array, label: number): number | undefined {
    const share = this.#mean(law, (_, actual) => (label < 0 || actual === label ? 1 : 0));
    const covered = this.#mean(law, (row, actual) =>
      (label < 0 || actual === label) && this.#sets?.[row].has(actual) ? 1 : 0,
    );
    return this.#sets && share > 0 ? covered / share : undefined;
  }

  /** Computes Σ_k (p_k − y_k)² over the known classes and the class of the row, halved for two known classes. */
  #brier(row: number, actual: number): number {
    const known = this.#known.reduce(
      (sum, label) => sum + (this.#score(row, label) - (label === actual ? 1 : 0)) ** 2,
      0,
    );
    const squares = Math.min(2, this.#known.includes(actual) ? known : known + 1);
    return this.#known.length === 2 ? squares / 2 : squares;
  }

  /** Computes P(s(x) > s(x')) + ½ P(s(x) = s(x')) for x of the second class and x' of the first. */
  #auc(law: Float64Array): number | undefined {
    const [first, second] = this.#known;
    const { length } = this.#classes;
    const order = Array.from(this.#predictions.keys()).sort(
      (a, b) => this.#score(a, second) - this.#score(b, second),
    );
    let pairs = 0;
    let negatives = 0;
    let positives = 0;
    for (let start = 0, end = 0; start < order.length; start = end) {
      let tiedNegatives = 0;
      let tiedPositives = 0;
      while (end < order.length && this.#score(order[end], second) === this.#score(order[start], second)) {
        tiedNegatives += law[order[end] * length + first];
        tiedPositives += law[order[end] * length + second];
        end++;
      }
      pairs += tiedPositives * (negatives + tiedNegatives / 2);
      negatives += tiedNegatives;
      positives += tiedPositives;
    }
    return positives > 0 && negatives > 0 ? pairs / (positives * negatives) : undefined;
  }
}

function total(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}
