/**
 * The part of an encoding, apart from scales, offsets and bin boundaries, that came from the training rows. All of it comes from
 * their cells and none from their classes: levels are counted, and cells are filled, without looking at the label.
 */
export interface LearnedEncoding {
  /**
   * Columns of categories. Their levels are those that training rows have, in a matrix as well as in bins: another sample may
   * have other levels, and unseen ones become (other), missing or all zeros.
   */
  readonly categories: readonly string[];
  /**
   * Numeric columns with missing cells in the training rows that became the mean of the others. A bin for missing cells fills
   * nothing, and neither does the constant 0.
   */
  readonly filled: readonly string[];
  /** Columns of text. Their words are those that many training rows have; unseen ones are left out. */
  readonly words: readonly string[];
  /** Columns of dates without some part, such as the hour, because all training rows have the same. */
  readonly dates: readonly string[];
}

/** Whether the encoding took only scales, offsets and bin boundaries from the training rows, and which columns say no. */
export interface EncodingPremise extends LearnedEncoding {
  readonly holds: boolean;
}

/**
 * States whether an encoder took only scales, offsets and bin boundaries from the training rows, which do not change families
 * of functions such as half-spaces and trees. Bounds that count a family need that: one whose features depend on the sample in
 * another way was not fixed before the sample was drawn.
 */
export function encodingPremise({ learned }: { readonly learned: LearnedEncoding }): EncodingPremise {
  const { categories, filled, words, dates } = learned;
  return { ...learned, holds: [categories, filled, words, dates].every(({ length }) => length === 0) };
}
