import { Random } from "../runtime/maths/random.js";
import { VouchError } from "../runtime/vouch-error.js";

/** Ascending indices of training and test rows, which together are all rows. */
export interface Split {
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/** Ascending indices of training, validation and test rows, which together are all rows. */
export interface ThreeWaySplit extends Split {
  readonly validate: Int32Array;
}

/** Splits that test every row exactly once; folds by time do not test the earliest rows. */
export interface Folds<S extends Split = Split> {
  readonly folds: readonly S[];
  /** Indices of classes with too few rows, groups or times: some folds test none of their rows. */
  readonly sparse: readonly number[];
}

/**
 * Holds out a simple random draw of the rows: round(fraction · rows) of them, at least 1 and at most all but one, every
 * set of that size with the same probability. Rows that are independent draws remain so on both sides, as held-out
 * bounds require.
 */
export function randomHoldout(rows: number, fraction: number, seed: number): Split {
  checkFraction(fraction);
  needRows(rows, 2, "hold some out");
  return testingPart(drawnOf(rows, fraction, seed), 1);
}

/** Marks a simple random draw of `fraction` of `count` items with 1: at least one item, and not all. */
export function drawnOf(count: number, fraction: number, seed: number): Int32Array {
  const size = Math.max(1, Math.min(count - 1, Math.round(fraction * count)));
  // A separate stream, because the learner's random numbers start from the same seed.
  const random = new Random(seed).fork(0);
  const order = new Int32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  random.shuffle(order);
  const drawn = new Int32Array(count);
  for (let i = 0; i < size; i++) drawn[order[i]] = 1;
  return drawn;
}

/**
 * Holds out a stratified fraction of the rows for testing. Every class keeps at least one row for training, unless all
 * classes have only one row; at least one row is tested. The class shares of the test rows are not random, so bounds
 * from them are about data with exactly these shares.
 */
export function stratifiedHoldout(labels: Int32Array, fraction: number, seed: number): Split {
  checkFraction(fraction);
  needRows(labels.length, 2, "hold some out");
  const classes = [...shuffledClasses(labels, seed).values()];
  const counts = testCounts(
    classes.map((rows) => rows.length),
    fraction,
  );
  const part = new Int32Array(labels.length);
  classes.forEach((rows, c) => {
    for (let i = 0; i < counts[c]; i++) part[rows[i]] = 1;
  });
  return testingPart(part, 1);
}

/**
 * Makes k stratified folds whose sizes differ by at most one row. Fold j tests the j-th part and trains on the rest.
 */
export function kFold(labels: Int32Array, k: number, seed: number): Folds {
  const { part, sparse } = stratifiedParts(labels, k, seed);
  const folds = rowsOfParts(part, k).map((test) => ({ train: rowsExcept(test, part.length), test }));
  return { folds, sparse };
}

/** Yields the leave-one-out splits one at a time, because all of them together grow with the square of the rows. */
export function* leaveOneOut(rows: number): Generator<Split, void, undefined> {
  needRows(rows, 2, "leave one out");
  for (let left = 0; left < rows; left++) {
    yield {
      train: Int32Array.from({ length: rows - 1 }, (_, i) => (i < left ? i : i + 1)),
      test: Int32Array.of(left),
    };
  }
}

/** Rotates k stratified folds, as the papers' experiments do: fold j tests, fold j + 1 validates, the rest train. */
export function rotation(labels: Int32Array, seed: number, k = 5): Folds<ThreeWaySplit> {
  if (Number.isInteger(k) && k < 3) {
    throw new VouchError("option/invalid", `A rotation needs at least 3 folds, not ${k}.`);
  }
  const { part, sparse } = stratifiedParts(labels, k, seed);
  const folds = Array.from({ length: k }, (_, fold) => {
    const next = (fold + 1) % k;
    return {
      train: rowsWhere(part, (own) => own !== fold && own !== next),
      validate: rowsOfPart(part, next),
      test: rowsOfPart(part, fold),
    };
  });
  return { folds, sparse };
}

/** Shuffles the rows of each class; classes ascend, so that the result depends on the seed alone. */
function shuffledClasses(labels: Int32Array, seed: number): Map<number, Int32Array> {
  const counts = new Map<number, number>();
  for (let row = 0; row < labels.length; row++) {
    counts.set(labels[row], (counts.get(labels[row]) ?? 0) + 1);
  }
  const rowsOf = new Map([...counts].map(([label, count]) => [label, new Int32Array(count)]));
  for (let row = labels.length - 1; row >= 0; row--) {
    const left = (counts.get(labels[row]) ?? 0) - 1;
    counts.set(labels[row], left);
    const own = rowsOf.get(labels[row]);
    if (own) own[left] = row;
  }
  const random = new Random(seed);
  const ascending = [...rowsOf].sort(([a], [b]) => a - b);
  return new Map(ascending.map(([label, rows]) => [label, random.shuffle(rows)]));
}

/**
 * Counts the test rows of each class. The largest-remainder method distributes fraction · rows tests, so that each
 * class is within one row of its share.
 */
export function testCounts(sizes: readonly number[], fraction: number): number[] {
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const counts = sizes.map((size) => Math.min(size - 1, Math.floor(size * fraction)));
  const remainder = (c: number) => sizes[c] * fraction - Math.floor(sizes[c] * fraction);
  let left = Math.max(1, Math.round(rows * fraction)) - counts.reduce((sum, count) => sum + count, 0);
  const byRemainder = sizes.map((_, c) => c).sort((a, b) => remainder(b) - remainder(a) || a - b);
  for (const c of byRemainder) {
    if (left <= 0) break;
    if (counts[c] === sizes[c] - 1) continue;
    counts[c]++;
    left--;
  }
  if (!counts.some((count) => count > 0)) counts[0] = 1;
  return counts;
}

/** Assigns the shuffled rows to the parts in turn, class by class, so that sizes differ by at most one. */
function stratifiedParts(
  labels: Int32Array,
  k: number,
  seed: number,
): { part: Int32Array; sparse: number[] } {
  checkFolds(k);
  needRows(labels.length, k, `make ${k} folds`);
  const part = new Int32Array(labels.length);
  const sparse: number[] = [];
  let dealt = 0;
  for (const [label, rows] of shuffledClasses(labels, seed)) {
    if (rows.length < k) sparse.push(label);
    for (let i = 0; i < rows.length; i++) part[rows[i]] = dealt++ % k;
  }
  return { part, sparse };
}

/** Lists the classes that some split does not test, ascending. */
export function untestedClasses(splits: readonly Split[], labels: Int32Array): number[] {
  const tested = splits.map(({ test }) => new Set(test.map((row) => labels[row])));
  const classes = [...new Set(labels)].sort((a, b) => a - b);
  return classes.filter((label) => tested.some((own) => !own.has(label)));
}

/** Throws unless a fraction of the rows to hold out is between 0 and 1. */
export function checkFraction(fraction: number): void {
  if (fraction > 0 && fraction < 1) return;
  throw new VouchError(
    "option/invalid",
    `The fraction of rows to hold out must be between 0 and 1, not ${fraction}.`,
  );
}

/** Throws unless a number of folds is a whole number of at least 2. */
export function checkFolds(k: number): void {
  if (Number.isInteger(k) && k >= 2) return;
  throw new VouchError(
    "option/invalid",
    `The number of folds must be a whole number of at least 2, not ${k}.`,
  );
}

/** Tests the rows of one part and trains on the rest; `part` has one number per row. */
export function testingPart(part: Int32Array, tested: number): Split {
  const test = rowsOfPart(part, tested);
  return { train: rowsExcept(test, part.length), test };
}

function rowsOfPart(part: Int32Array, wanted: number): Int32Array {
  const rows = new Int32Array(part.length);
  let count = 0;
  for (let row = 0; row < part.length; row++) if (part[row] === wanted) rows[count++] = row;
  return rows.slice(0, count);
}

/** Lists the rows of each of k parts, ascending, without a pass over the rows for each. */
function rowsOfParts(part: Int32Array, k: number): Int32Array[] {
  const sizes = new Int32Array(k);
  for (let row = 0; row < part.length; row++) sizes[part[row]]++;
  const lists = Array.from(sizes, (size) => new Int32Array(size));
  const listed = new Int32Array(k);
  for (let row = 0; row < part.length; row++) lists[part[row]][listed[part[row]]++] = row;
  return lists;
}

/** Returns the rows whose part passes the test, ascending. */
export function rowsWhere(part: Int32Array, test: (part: number) => boolean): Int32Array {
  const rows = new Int32Array(part.length);
  let count = 0;
  for (let row = 0; row < part.length; row++) if (test(part[row])) rows[count++] = row;
  return rows.slice(0, count);
}

function needRows(rows: number, least: number, purpose: string): void {
  if (rows >= least) return;
  throw new VouchError(
    "data/too-few-rows",
    `It takes at least ${least} rows to ${purpose}, but there ${rows === 1 ? "is" : "are"} only ${rows}.`,
  );
}

/** Returns all rows except the given ascending ones. */
export function rowsExcept(excluded: Int32Array, rows: number): Int32Array {
  const kept = new Int32Array(rows - excluded.length);
  let row = 0;
  let count = 0;
  for (let next = 0; next < excluded.length; next++) {
    for (const end = excluded[next]; row < end; row++) kept[count++] = row;
    row++;
  }
  for (; row < rows; row++) kept[count++] = row;
  return kept;
}

/** Takes a stratified subsample of at most `max` of the given rows, with at least one row of each class. */
export function stratifiedSubsample(
  rows: Int32Array,
  labels: Int32Array,
  max: number,
  seed: number,
): Int32Array {
  if (rows.length <= max) return rows;
  const own = rows.map((row) => labels[row]);
  return stratifiedHoldout(own, 1 - max / rows.length, seed).train.map((i) => rows[i]);
}
