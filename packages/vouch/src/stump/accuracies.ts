import type { SortedFeature } from "./sorted-features.js";

/**
 * Accuracy of the best stump at each threshold of a feature, for two classes. With signed weights s (+w for
 * class 1, −w for class 0), S their sum over all rows and P over the rows on the left, each side is right on
 * the heavier of its classes: (W_left + |P|) / 2 + (W_right + |S − P|) / 2, and the weights sum to one.
 */
export function accuraciesOfTwo(
  { order, cuts, below }: SortedFeature,
  signed: Float64Array,
  sum: number,
  accuracies: Float64Array,
): void {
  let left = 0;
  for (let c = 0, start = 0; c < below; start = cuts[c++]) {
    left += sumOver(order, start, cuts[c], signed);
    accuracies[c] = (1 + Math.abs(left) + Math.abs(sum - left)) / 2;
  }
  let right = 0;
  for (let c = cuts.length - 1, end = order.length; c >= below; end = cuts[c--]) {
    right += sumOver(order, cuts[c], end, signed);
    accuracies[c] = (1 + Math.abs(sum - right) + Math.abs(right)) / 2;
  }
}

/** Sum of values over the rows order[from … to), by four sums that do not wait for each other. */
function sumOver(order: Uint32Array, from: number, to: number, values: Float64Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let k = from;
  for (; k + 3 < to; k += 4) {
    a += values[order[k]];
    b += values[order[k + 1]];
    c += values[order[k + 2]];
    d += values[order[k + 3]];
  }
  for (; k < to; k++) a += values[order[k]];
  return a + b + (c + d);
}

/**
 * The same for any number of classes: each side is right on its heaviest class. Rows join a side and never leave
 * it, so the weight of its heaviest class only grows and is known without a look at all classes. `totals` are
 * the weights of the classes over all rows.
 */
export function accuraciesOfMany(
  { order, cuts, below }: SortedFeature,
  weights: Float64Array,
  labels: Int32Array,
  totals: Float64Array,
  accuracies: Float64Array,
): void {
  const left = new Side(order, weights, labels, totals.length);
  const right = new Side(order, weights, labels, totals.length);
  let start = 0;
  let end = order.length;
  for (let c = 0; c < below; start = cuts[c++]) accuracies[c] = left.join(start, cuts[c]);
  for (let c = cuts.length - 1; c >= below; end = cuts[c--]) accuracies[c] = right.join(cuts[c], end);

  // Both sides have come to the most frequent value, whose rows are those that are on neither.
  const frequent = totals.map((total, k) => Math.max(0, total - left.classes[k] - right.classes[k]));
  left.joinAll(frequent);
  right.joinAll(frequent);
  for (let c = below; c < cuts.length; start = cuts[c++]) accuracies[c] += left.join(start, cuts[c]);
  for (let c = below - 1; c >= 0; end = cuts[c--]) accuracies[c] += right.join(cuts[c], end);
}

/** The rows on one side of a threshold. */
class Side {
  /** Weight of each class. */
  readonly classes: Float64Array;
  readonly #order: Uint32Array;
  readonly #weights: Float64Array;
  readonly #labels: Int32Array;
  #heaviest = 0;

  constructor(order: Uint32Array, weights: Float64Array, labels: Int32Array, classes: number) {
    this.#order = order;
    this.#weights = weights;
    this.#labels = labels;
    this.classes = new Float64Array(classes);
  }

  /** Adds the rows order[from … to); returns the weight of the heaviest class. */
  join(from: number, to: number): number {
    const order = this.#order;
    const weights = this.#weights;
    const labels = this.#labels;
    const classes = this.classes;
    let heaviest = this.#heaviest;
    for (let k = from; k < to; k++) {
      const row = order[k];
      const weight = classes[labels[row]] + weights[row];
      classes[labels[row]] = weight;
      if (weight > heaviest) heaviest = weight;
    }
    this.#heaviest = heaviest;
    return heaviest;
  }

  /** Adds rows of which only the weight of each class is known. */
  joinAll(classes: Float64Array): void {
    for (let k = 0; k < classes.length; k++) {
      this.classes[k] += classes[k];
      this.#heaviest = Math.max(this.#heaviest, this.classes[k]);
    }
  }
}
