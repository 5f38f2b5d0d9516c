/** A condition that a theorem needs, and whether it is met here. */
export interface Premise {
  readonly statement: string;
  readonly holds: boolean;
  /** Taken for granted because no data can show it, such as that future cases are like the present ones. */
  readonly assumed?: boolean;
}

/** One upper bound on, or estimate of, the error on new data. */
export interface Certificate {
  /** Stable name, as in JSON: `held-out-binomial`, `held-out-hoeffding`, … */
  readonly name: string;
  /** Where it is proved: paper, equation. */
  readonly reference: string;
  /** The bound. Infinity when it says nothing, never NaN. */
  readonly value: number;
  /** The probability with which it holds over the draw of the data. */
  readonly confidence: number;
  /** Whether all premises hold. */
  readonly holds: boolean;
  /** Why it does not hold or is vacuous; absent otherwise. */
  readonly reason?: string;
  readonly premises: readonly Premise[];
  /** Each term of the formula by name, in the order of the formula. */
  readonly terms: Readonly<Record<string, number>>;
  /**
   * What the value is the sum of, by name: what was measured first, then what it is raised by. None is negative; absent where
   * the value cannot be told apart so.
   */
  readonly parts?: Readonly<Record<string, number>>;
  /** The certificate in one sentence that an engineer understands. */
  readonly statement: string;
}

/** The parts of a bound that is no sum: what was measured, and what the bound adds to it. */
export function partsAbove(name: string, measured: number, value: number): Record<string, number> {
  // At confidences below one half a bound may lie below what was measured.
  const below = Math.min(measured, value);
  return { [name]: below, "allowance for chance": value - below };
}
