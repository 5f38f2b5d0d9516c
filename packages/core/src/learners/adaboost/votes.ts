/** Predictions of a weak classifier: class `left` for rows on side 0, class `right` for rows on side 1. */
export interface WeakPredictions {
  readonly left: number;
  readonly right: number;
  readonly sides: Uint8Array | Int32Array;
}

/** Counts votes classifier by classifier, and knows the leading class of each row at any time. */
export class VoteCount {
  readonly #classes: number;
  /** Votes of row i for class k, at i · classes + k. For two classes only the lead of the second, at i. */
  readonly #votes: Float64Array;
  /** Class with most votes of each row; ties go to the smaller index. */
  readonly leaders: Int32Array;

  constructor(rows: number, classes: number) {
    this.#classes = classes;
    this.#votes = new Float64Array(classes === 2 ? rows : rows * classes);
    this.leaders = new Int32Array(rows);
  }

  /** Adds the vote of a classifier for each row. */
  add(predictions: WeakPredictions, alpha: number): void {
    if (this.#classes === 2) this.#addToTwo(predictions, alpha);
    else this.#addToMany(predictions, alpha);
  }

  #addToTwo({ left, right, sides }: WeakPredictions, alpha: number): void {
    const leads = this.#votes;
    const leaders = this.leaders;
    const steps = Float64Array.of((2 * left - 1) * alpha, (2 * right - 1) * alpha);
    for (let i = 0; i < sides.length; i++) {
      const lead = leads[i] + steps[sides[i]];
      leads[i] = lead;
      leaders[i] = Number(lead > 0);
    }
  }

  #addToMany({ left, right, sides }: WeakPredictions, alpha: number): void {
    const votes = this.#votes;
    const leaders = this.leaders;
    const classes = this.#classes;
    for (let i = 0; i < sides.length; i++) {
      const chosen = left + sides[i] * (right - left);
      const start = i * classes;
      votes[start + chosen] += alpha;
      // Only the class that has just won a vote can take the lead.
      const lead = votes[start + chosen] - votes[start + leaders[i]];
      if (lead > 0 || (lead === 0 && chosen < leaders[i])) leaders[i] = chosen;
    }
  }
}
