/**
 * Nodes have two words:
 *
 *   split of a number     left child, right after it the right one    feature · 2¹⁰ + shift · 2⁸ + cut
 *   split of categories   number of the set                           feature · 2¹⁰ + 2⁹
 *   leaf of one class     class                                       −1
 *   leaf of n classes     number of the first share                   −1 − n
 *
 * A set has nine words: the left child, and a bit for each bin that goes left.
 *
 * If categories are few, the kernels that walk trees get another form: a split of categories has its left child, too, and a set
 * is the 64 bits at four times this number.
 */
@inline export const FEATURE_SHIFT: i32 = 10;
@inline export const CATEGORICAL: i32 = 512;
@inline export const SHIFT_PLACE: i32 = 8;
@inline export const NODE_SHIFT: usize = 3;
@inline export const SET_BYTES: usize = 36;

/** Returns 1 if a bin goes right at a cut. */
@inline export function isRightOfCut(rule: i32, bin: i32): i32 {
  return <i32>(((bin + ((rule >> SHIFT_PLACE) & 1)) & 255) > (rule & 255));
}
