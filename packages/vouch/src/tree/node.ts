/**
 * The words of a node; `kernels/tree-node.ts` has the same.
 *
 * - Split of a number: the left child, which the right one follows; the feature (21 bits), a zero, a bit `shift` and
 *   8 bits `cut`. A row goes left if (bin + shift) mod 256 ≤ cut. So the bin 255 of missing cells goes right without
 *   the shift and left with it.
 * - Split of categories: the number of a set; the feature, a one, and 9 zeros. The set has nine words: the left
 *   child, and a bit for each bin that goes left.
 * - Leaf with one class: the class; −1.
 * - Leaf with n > 1 classes: the number of its first share; −1 − n.
 *
 * Children come after their parent, left ones have odd numbers. Nodes, sets and shares are numbered from 0 in each tree.
 */
export const FEATURE_SHIFT = 10;
export const CATEGORICAL_PLACE = 9;
export const CATEGORICAL = 1 << CATEGORICAL_PLACE;
const SHIFT_PLACE = 8;

/** Whether a row with this bin goes left at a split of a number. */
export function isLeftOfCut(question: number, bin: number): boolean {
  return ((bin + ((question >> SHIFT_PLACE) & 1)) & 255) <= (question & 255);
}

/** Whether a row with this bin goes left at a split of categories; the set begins at `at`. */
export function isInSet(sets: Int32Array, at: number, bin: number): boolean {
  return ((sets[at + 1 + (bin >> 5)] >>> (bin & 31)) & 1) === 1;
}
