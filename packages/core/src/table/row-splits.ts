import { countGroups, groupFolds, groupHoldout } from "./group-splits.js";
import type { SplitValues } from "./split-columns.js";
import { type Folds, kFold, type Split, stratifiedHoldout } from "./splits.js";
import type { LabelledRows } from "./target.js";
import { countTimes, timeFolds, timeHoldout } from "./time-splits.js";

/** Labels, and the group or time of each row if they matter for splits. */
export type RowsToSplit = Pick<LabelledRows, "labels"> & SplitValues;

/** Makes k folds: of whole groups, by time so that none trains on the future, or stratified. */
export function foldsOf({ labels, groups, times }: RowsToSplit, k: number, seed: number): Folds {
  if (groups) return groupFolds(groups, labels, k, seed);
  return times ? timeFolds(times, labels, k) : kFold(labels, k, seed);
}

/** Holds rows out for validation: whole groups, the latest rows, or a stratified fraction. */
export function validationHoldout(
  { labels, groups, times }: RowsToSplit,
  fraction: number,
  seed: number,
): Split {
  if (groups) return groupHoldout(groups, fraction, seed);
  return times ? timeHoldout(times, fraction) : stratifiedHoldout(labels, fraction, seed);
}

/** Returns the largest number of folds that the groups or times of the rows allow. */
export function mostFolds({ labels, groups, times }: RowsToSplit): number {
  if (groups) return countGroups(groups);
  return times ? countTimes(times) - 1 : labels.length;
}
