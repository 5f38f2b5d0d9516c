import { MISSING } from "./tree-column";
import { Tree } from "./tree-state";

/** The worst score: that of no cut at all. */
@inline export const NO_CUT: f64 = -Infinity;

/** Where a cut is that separates missing cells from all others. */
@inline const LAST_BIN: i32 = MISSING - 1;

/** Whether a cut with so many rows on the left leaves enough on both sides. */
@inline export function isAllowed(tree: Tree, leftRows: i32): bool {
  return leftRows >= tree.minLeafRows && tree.rowCount - leftRows >= tree.minLeafRows;
}

/** The cut between two bins that follow each other: in the middle. */
@inline export function cutBetween(bin: i32, following: i32): i32 {
  return following == MISSING ? LAST_BIN : (bin + following) >> 1;
}

/**
 * Keeps the best cut of a feature if it is the best of the node so far. Of equal splits the feature that was drawn first
 * wins; if all features are looked at, the smaller one.
 */
export function offerSplit(tree: Tree, feature: i32, categorical: bool): void {
  if (tree.score == NO_CUT) return;
  const isTie = tree.score == tree.splitScore && tree.featuresPerSplit == tree.columns && feature < tree.splitFeature;
  if (!(tree.score > tree.splitScore || isTie)) return;
  tree.splitFeature = feature;
  tree.splitScore = tree.score;
  tree.splitCut = tree.cut;
  tree.splitMissingLeft = tree.missingLeft;
  tree.splitHasMissing = tree.hasMissing;
  tree.splitCategorical = categorical;
  if (!categorical) return;
  copySet(tree.splitSet, tree.set);
  copySet(tree.splitPresent, tree.present);
}

// Sets of bins

@inline export function clearSet(set: usize): void {
  v128.store(set, i32x4.splat(0));
  v128.store(set, i32x4.splat(0), 16);
}

@inline export function copySet(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
}

@inline export function addToSet(set: usize, bin: i32): void {
  const word = set + ((bin >> 5) << 2);
  store<u32>(word, load<u32>(word) | (1 << (bin & 31)));
}

/** The bins of a set, ascending, to `list`; how many. */
export function listSet(set: usize, list: usize): i32 {
  let count = 0;
  for (let first = 0; first < 256; first += 64) {
    let rest = load<u64>(set + (first >> 3));
    while (rest) {
      store<i32>(list + (<usize>count << 2), first + <i32>ctz(rest));
      count++;
      rest &= rest - 1;
    }
  }
  return count;
}
