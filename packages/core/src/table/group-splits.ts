import { Random } from "../runtime/maths/random.js";
import { VouchError } from "../runtime/vouch-error.js";
import {
  checkFolds,
  checkFraction,
  drawnOf,
  type Folds,
  type Split,
  testingPart,
  untestedClasses,
} from "./splits.js";

/**
 * Holds out a simple random draw of whole groups, such as all rows of some patients: round(fraction · groups) of them,
 * at least 1 and at most all but one. The number of rows follows from the sizes of these groups. `groups` contains the
 * group of each row, as any whole number.
 */
export function groupHoldout(groups: Int32Array, fraction: number, seed: number): Split {
  checkFraction(fraction);
  const { codes, count } = numbered(groups);
  needGroups(count, 2, "hold some out");
  const drawn = drawnOf(count, fraction, seed);
  return testingPart(
    codes.map((group) => drawn[group]),
    1,
  );
}

/**
 * Makes k folds of whole groups, so that no group is on both sides of a fold. Assigns groups by size, largest first,
 * each to the fold that best balances rows and classes.
 */
export function groupFolds(groups: Int32Array, labels: Int32Array, k: number, seed: number): Folds {
  checkFolds(k);
  const { codes, count } = numbered(groups);
  needGroups(count, k, `make ${k} folds`);
  const foldOf = dealGroups(classCounts(codes, labels, count), k, seed);
  const part = codes.map((group) => foldOf[group]);
  const folds = Array.from({ length: k }, (_, fold) => testingPart(part, fold));
  return { folds, sparse: untestedClasses(folds, labels) };
}

/** Makes one split for each group, which tests it and trains on all others. */
export function leaveOneGroupOut(groups: Int32Array): Split[] {
  const { codes, count } = numbered(groups);
  needGroups(count, 2, "leave one out");
  return Array.from({ length: count }, (_, group) => testingPart(codes, group));
}

/** Counts distinct groups. */
export function countGroups(groups: Int32Array): number {
  return new Set(groups).size;
}

/** Numbers the groups by first appearance. */
function numbered(groups: Int32Array): { readonly codes: Int32Array; readonly count: number } {
  const codeOf = new Map<number, number>();
  const codes = groups.map((group) => {
    const known = codeOf.get(group);
    if (known !== undefined) return known;
    codeOf.set(group, codeOf.size);
    return codeOf.size - 1;
  });
  return { codes, count: codeOf.size };
}

/** Counts the rows of each class, for each group. */
function classCounts(codes: Int32Array, labels: Int32Array, count: number): Map<number, number>[] {
  const counts = Array.from({ length: count }, () => new Map<number, number>());
  codes.forEach((group, row) => {
    const own = counts[group];
    own.set(labels[row], (own.get(labels[row]) ?? 0) + 1);
  });
  return counts;
}

/**
 * Assigns groups to folds greedily. With n_fc the rows of class c in fold f, n_f all its rows, n_c and n the total
 * numbers of rows, a group with g_c rows of class c goes to the fold where it adds least to Σ_f [ (n_f / n)² + Σ_c
 * (n_fc / n_c)² ], whose minimum are equal shares. That is the fold of least n_f g / n² + Σ_c n_fc g_c / n_c², the
 * first if tied. Empty folds have the least sum. Equally large groups are assigned in random order.
 */
function dealGroups(groups: readonly Map<number, number>[], k: number, seed: number): Int32Array {
  const sizes = groups.map((counts) => sum(counts.values()));
  const rows = sum(sizes);
  const ofClass = new Map<number, number>();
  for (const counts of groups) {
    for (const [label, count] of counts) ofClass.set(label, (ofClass.get(label) ?? 0) + count);
  }
  const order = new Random(seed).shuffle(Int32Array.from(groups, (_, group) => group));
  order.sort((a, b) => sizes[b] - sizes[a]);
  const folds = Array.from({ length: k }, () => ({ rows: 0, classes: new Map<number, number>() }));
  const foldOf = new Int32Array(groups.length);
  for (const group of order) {
    const added = folds.map((fold) => {
      let load = (fold.rows * sizes[group]) / rows ** 2;
      for (const [label, count] of groups[group]) {
        load += ((fold.classes.get(label) ?? 0) * count) / (ofClass.get(label) ?? 1) ** 2;
      }
      return load;
    });
    const chosen = added.indexOf(Math.min(...added));
    foldOf[group] = chosen;
    folds[chosen].rows += sizes[group];
    const { classes } = folds[chosen];
    for (const [label, count] of groups[group]) classes.set(label, (classes.get(label) ?? 0) + count);
  }
  return foldOf;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function needGroups(groups: number, least: number, purpose: string): void {
  if (groups >= least) return;
  throw new VouchError(
    "data/too-few-rows",
    `It takes at least ${least} groups to ${purpose}, but there ${groups === 1 ? "is" : "are"} only ${groups}.`,
  );
}
