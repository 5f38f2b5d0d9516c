import * as real from "../runtime/maths/portable-math.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { type Column, denseValues, type NumericColumn } from "../table/column.js";
import { numberOf, shortestDecimal } from "../table/number-text.js";
import { logBinomialCoefficient } from "../theory/log-tails.js";
import type { RawRows } from "./thinned-rows.js";

/** Natural logarithm of the probability of naming any column by chance. */
const LOG_FALSE_ALARM = real.log(1e-6);
/** Share that counts as nearly all groups. The rest may have lost rows since the means were computed. */
const NEARLY_ALL = 0.95;
/** Minimum and maximum number of groups to examine. */
const LEAST_GROUPS = 10;
const MOST_GROUPS = 500;
/** Rounding tolerance of a line through rounded points. */
const LINE_ROUNDING = 1.5;
/** Number of values that show how many decimals a column has. */
const SHOWN_VALUES = 10_000;
/** Relative error of arithmetic in double and in single precision. */
const DOUBLE = 1e-12;
const SINGLE = 1e-6;
/** Number of rounds that drop the worst fitting groups, and the share that stays in each. */
const TRIMMING_ROUNDS = 4;
const KEPT = 0.9;

/** A column that contains the mean of the target over the rows of a category. */
export interface TargetMean {
  readonly column: string;
  /** The class whose share it is; absent if the classes are numbers and it is their mean. */
  readonly class?: string;
  /**
   * A mean; a mean shrunk towards a common value, (s + a)/(n + m) for n rows of sum s; or the mean over the other rows
   * of the category in column `of`, (s − y)/(n − 1).
   */
  readonly kind: "mean" | "smoothed" | "leave-one-out";
  /** The categorical column, if it was needed to tell. */
  readonly of?: string;
}

/**
 * Finds numeric columns that are means of the target over the rows of a category, with or without the own row, as
 * target encoding of a whole file makes them. The label of a row is part of the mean, so held-out rows reveal theirs.
 *
 * Rows of an equal value v are a group of n rows with target sum s, and v is the mean if |s − nv| is within the
 * rounding of v. That also happens by chance. Even if v were the true mean of each row of the group, given v, s would
 * fall within d of nv with a probability of about (2d + 1)/√(2πnσ²), where σ² is the variance of the target in the
 * group (the local limit theorem; for shares it is slightly too large, such as 0.56 instead of ½ for one of two rows).
 * A column is named if at least 95% of its groups match, and the product of their probabilities, times the number of
 * ways to choose the remaining groups and of columns and classes tried, is at most 10⁻⁶. Groups of one class have σ = 0
 * and prove nothing, so a copy of the target is not a mean.
 *
 * Columns with a value outside the range of the target, or of whole numbers, cost at most one pass. Means are taken
 * over all rows that were one table; give all its parts.
 */
export function targetMeans(parts: readonly RawRows[], classes: readonly string[]): TargetMean[] {
  return runNow(targetMeansInSteps(parts, classes));
}

/** Finds means of the target, with pauses. */
export function* targetMeansInSteps(
  parts: readonly RawRows[],
  classes: readonly string[],
): Pausable<TargetMean[]> {
  const labels = Int32Array.from(joined(parts.map((part) => part.labels)));
  const targets = targetsOf(classes);
  const all = [0, 1, ...(targets.find((target) => target.class === undefined)?.values ?? [])];
  const range = { least: Math.min(...all), largest: Math.max(...all) };
  const columns = parts[0].features.columns.map(({ name }) =>
    parts.map(({ features }) => features.column(name)),
  );
  const numbers: Numbers[] = [];
  for (const column of columns) {
    const own = numbersIn(column, range);
    if (own) numbers.push(own);
    yield;
  }
  if (numbers.length === 0) return [];
  const categories: Groups[] = [];
  for (const column of columns) {
    if (numbers.some(({ name }) => name === column[0].name)) continue;
    const groups = groupsBy(column[0].name, keysOf(column));
    if (groups) categories.push(groups);
    yield;
  }
  const tests = numbers.length * targets.length * (2 + 2 * categories.length);
  const limit = LOG_FALSE_ALARM - real.log(Math.max(1, tests));
  const found: TargetMean[] = [];
  for (const column of numbers) {
    const mean = meanIn(column, categories, targets, labels, limit);
    if (mean) found.push(mean);
    yield;
  }
  return found;
}

function joined(parts: readonly ArrayLike<number>[]): Float64Array {
  const all = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let next = 0;
  for (const part of parts) {
    all.set(part, next);
    next += part.length;
  }
  return all;
}

/** A number for each class, whose mean a column may contain. */
interface TargetNumbers {
  /** The class of an indicator, and its index. */
  readonly class?: string;
  readonly label?: number;
  readonly values: Float64Array;
}

/** Returns the indicator of each class, and the classes themselves if they are numbers. */
function targetsOf(classes: readonly string[]): TargetNumbers[] {
  const indicators = classes.map((own, label) => ({
    ...{ class: own, label },
    values: Float64Array.from(classes, (other) => Number(other === own)),
  }));
  const numbers = Float64Array.from(classes, numberOf);
  return numbers.some(Number.isNaN) ? indicators : [...indicators, { values: numbers }];
}

/** Numbers that may be means. */
interface Numbers {
  readonly name: string;
  readonly values: Float64Array;
  /** Largest rounding error of a value. */
  readonly rounding: number;
  readonly single: boolean;
}

/** Values with more decimals are not rounded. */
const MOST_DECIMALS = 12;

/** Reads a column of all parts; undefined unless it contains fractions within the range of a target. */
function numbersIn(
  parts: readonly Column[],
  { least, largest }: { readonly least: number; readonly largest: number },
): Numbers | undefined {
  if (!parts.every((part) => part.kind === "numeric")) return undefined;
  const cells = parts.map(({ values }: NumericColumn) => denseValues(values));
  let isWhole = true;
  for (const part of cells) {
    for (let row = 0; row < part.length; row++) {
      if (part[row] < least || part[row] > largest) return undefined;
      if (isWhole && !Number.isNaN(part[row])) isWhole = Number.isInteger(part[row]);
    }
  }
  if (isWhole) return undefined;
  const single = cells.some((part) => part instanceof Float32Array);
  const values = joined(cells);
  return { name: parts[0].name, values, rounding: roundingOf(values, single), single };
}

/** Returns half a unit of the last decimal in any value, plus the error of arithmetic. */
function roundingOf(values: Float64Array, single: boolean): number {
  let decimals = 0;
  for (let row = 0; row < Math.min(values.length, SHOWN_VALUES) && decimals < MOST_DECIMALS; row++) {
    const text = shortestDecimal(values[row], single);
    if (text.includes("e")) decimals = MOST_DECIMALS;
    else
      decimals = Math.max(
        decimals,
        text.length - 1 - (text.includes(".") ? text.indexOf(".") : text.length - 1),
      );
  }
  const arithmetic = single ? SINGLE : DOUBLE;
  return decimals >= MOST_DECIMALS
    ? arithmetic
    : 0.5 * real.wholePower(0.1, decimals) * (1 + SINGLE) + arithmetic;
}

/** Rows of the same value or category: the first groups of at least two rows. */
interface Groups {
  readonly name: string;
  /** The group of each row; −1 if it is in none of these. */
  readonly group: Int32Array;
  readonly rows: Float64Array;
}

/** Groups rows by equal keys, ignoring NaN; undefined if hardly any key repeats. */
function groupsBy(name: string, keys: Float64Array): Groups | undefined {
  const codeOf = new Map<number, number>();
  const codes = new Int32Array(keys.length);
  for (let row = 0; row < keys.length; row++) {
    const known = codeOf.get(keys[row]);
    codes[row] = known ?? codeOf.size;
    if (known === undefined) codeOf.set(keys[row], codeOf.size);
  }
  const missing = codeOf.get(Number.NaN);
  const sizes = new Int32Array(codeOf.size);
  for (const code of codes) sizes[code]++;
  const numberOfCode = new Int32Array(sizes.length).fill(-1);
  const rows: number[] = [];
  sizes.forEach((size, code) => {
    if (size < 2 || code === missing || rows.length === MOST_GROUPS) return;
    numberOfCode[code] = rows.push(size) - 1;
  });
  if (rows.length < LEAST_GROUPS) return undefined;
  return { name, group: codes.map((code) => numberOfCode[code]), rows: Float64Array.from(rows) };
}

/** Numbers the categories, or takes the numbers, of a column of all parts; missing cells are NaN. */
function keysOf(parts: readonly Column[]): Float64Array {
  const codeOf = new Map<string, number>();
  const keys = parts.map((part) => {
    if (part.kind === "numeric") return Float64Array.from(denseValues(part.values));
    const own = part.levels.map((level) => {
      const code = codeOf.get(level) ?? codeOf.size;
      codeOf.set(level, code);
      return code;
    });
    return Float64Array.from(part.codes, (code) => own[code] ?? Number.NaN);
  });
  return joined(keys);
}

/** Determines whose mean a column contains, if any. */
function meanIn(
  column: Numbers,
  categories: readonly Groups[],
  targets: readonly TargetNumbers[],
  labels: Int32Array,
  limit: number,
): TargetMean | undefined {
  const { name, values } = column;
  const byValue = groupsBy(name, values);
  const fitting = categories.filter((groups) => hasFewValues(column, groups, targets.length));
  const all = [...(byValue ? [byValue] : []), ...fitting].map((groups) => ({
    groups,
    counts: countsIn(groups, labels, targets[0].values.length),
    of: groups === byValue ? {} : { of: groups.name },
  }));
  for (const target of targets) {
    const whose = target.class === undefined ? { column: name } : { column: name, class: target.class };
    for (const { groups, counts, of } of all) {
      const sums = sumsIn(groups, counts, target);
      if (evidenceOf(tolerances(groups.rows, column), sums.variances, groups.rows) > limit) continue;
      if (isMean(column, groups, sums, limit)) return { ...whose, kind: "mean", ...of };
      if (isSmoothed(column, groups, sums, limit)) return { ...whose, kind: "smoothed", ...of };
      if (groups === byValue) continue;
      const own = Float64Array.from(labels, (label) => target.values[label] ?? Number.NaN);
      if (isLeaveOneOut(column, groups, sums, own, limit)) return { ...whose, kind: "leave-one-out", ...of };
    }
  }
  return undefined;
}

/**
 * Returns whether nearly all groups have at most one value per class, as means have: a quick check that most columns
 * fail.
 */
function hasFewValues({ values }: Numbers, { group, rows }: Groups, classes: number): boolean {
  const seen = Array.from(rows, () => new Set<number>());
  let many = 0;
  for (let row = 0; row < group.length && many <= (1 - NEARLY_ALL) * rows.length; row++) {
    const own = seen[group[row]];
    if (own && own.size <= classes && own.add(values[row]).size > classes) many++;
  }
  return many <= (1 - NEARLY_ALL) * rows.length;
}

/** Sums of a target in groups, and its variance there. */
interface TargetSums {
  readonly sums: Float64Array;
  readonly variances: Float64Array;
}

/** Counts the rows of each class in each group, group by group. */
function countsIn({ group, rows }: Groups, labels: Int32Array, classes: number): Float64Array {
  const counts = new Float64Array(rows.length * classes);
  for (let row = 0; row < group.length; row++) {
    if (group[row] >= 0 && labels[row] >= 0) counts[group[row] * classes + labels[row]]++;
  }
  return counts;
}

/** Sums a target in groups. With many classes, each has an indicator, whose sum is a count. */
function sumsIn({ rows }: Groups, counts: Float64Array, { label, values }: TargetNumbers): TargetSums {
  const classes = values.length;
  const sums = new Float64Array(rows.length);
  const variances = new Float64Array(rows.length);
  for (let g = 0; g < rows.length; g++) {
    let squares = 0;
    for (let k = label ?? 0; k <= (label ?? classes - 1); k++) {
      sums[g] += counts[g * classes + k] * values[k];
      squares += counts[g * classes + k] * values[k] ** 2;
    }
    variances[g] = Math.max(0, squares / rows[g] - (sums[g] / rows[g]) ** 2);
  }
  return { sums, variances };
}

/** Returns whether the value of each group is the mean of its target. */
function isMean(column: Numbers, groups: Groups, { sums, variances }: TargetSums, limit: number): boolean {
  const value = valuesOf(column, groups);
  const misses = sums.map((sum, g) => Math.abs(sum - groups.rows[g] * value[g]));
  return isNoChance(misses, tolerances(groups.rows, column), variances, groups.rows, limit);
}

/**
 * Returns whether v = (s + a)/(n + m) in each group for some a and m, that is s − nv = mv − a: the line through the
 * points (v, s − nv), fitted by least squares to the groups near it.
 */
function isSmoothed(
  column: Numbers,
  groups: Groups,
  { sums, variances }: TargetSums,
  limit: number,
): boolean {
  const value = valuesOf(column, groups);
  if (value.some(Number.isNaN)) return false;
  const heights = sums.map((sum, g) => sum - groups.rows[g] * value[g]);
  let kept = Array.from(value.keys());
  let line = { m: 0, a: 0 };
  for (let round = 0; round < TRIMMING_ROUNDS; round++) {
    line = lineThrough(value, heights, kept);
    const distance = (g: number) => Math.abs(heights[g] - line.m * value[g] + line.a);
    kept = kept
      .sort((g, h) => distance(g) - distance(h))
      .slice(0, Math.max(4, Math.ceil(KEPT * kept.length)));
  }
  const { m, a } = line;
  if (!(m > 0)) return false;
  const misses = heights.map((height, g) => Math.abs(height - m * value[g] + a));
  // The line itself takes two groups, which prove nothing.
  const sizes = groups.rows.map((rows) => LINE_ROUNDING * (rows + m));
  const free = [...variances.keys()].sort((g, h) => variances[h] - variances[g]).slice(0, 2);
  const left = variances.map((variance, g) => (free.includes(g) ? 0 : variance));
  return isNoChance(misses, tolerances(sizes, column), left, groups.rows, limit);
}

/** Returns whether each row has the mean of the other rows of its group. */
function isLeaveOneOut(
  { values, rounding }: Numbers,
  { group, rows }: Groups,
  { sums, variances }: TargetSums,
  own: Float64Array,
  limit: number,
): boolean {
  const misses = new Float64Array(rows.length);
  for (let row = 0; row < group.length; row++) {
    const g = group[row];
    if (g < 0) continue;
    const miss = Math.abs(sums[g] - own[row] - (rows[g] - 1) * values[row]);
    // A missing cell or class is a miss.
    misses[g] = miss <= misses[g] ? misses[g] : miss;
  }
  return isNoChance(misses, tolerances(rows, { rounding }), variances, rows, limit);
}

/** Returns the value of each group; NaN if its rows differ. */
function valuesOf({ values }: Numbers, { group, rows }: Groups): Float64Array {
  const own = new Float64Array(rows.length).fill(Number.POSITIVE_INFINITY);
  for (let row = 0; row < group.length; row++) {
    const g = group[row];
    if (g < 0) continue;
    if (own[g] === Number.POSITIVE_INFINITY) own[g] = values[row];
    else if (own[g] !== values[row]) own[g] = Number.NaN;
  }
  return own;
}

function lineThrough(xs: Float64Array, ys: Float64Array, kept: readonly number[]): { m: number; a: number } {
  const mean = (of: (g: number) => number) => kept.reduce((sum, g) => sum + of(g), 0) / kept.length;
  const [x, y] = [mean((g) => xs[g]), mean((g) => ys[g])];
  const m = mean((g) => (xs[g] - x) * (ys[g] - y)) / mean((g) => (xs[g] - x) ** 2);
  return { m, a: m * x - y };
}

/** Returns how far a sum may be from its size times the rounded mean. */
function tolerances(sizes: Float64Array, { rounding }: Pick<Numbers, "rounding">): Float64Array {
  return sizes.map((size) => size * rounding);
}

/** Returns whether nearly all sums are hit, and chance is ruled out; see `targetMeans`. */
function isNoChance(
  misses: Float64Array,
  tolerances: Float64Array,
  variances: Float64Array,
  rows: Float64Array,
  limit: number,
): boolean {
  const groups = misses.length;
  const isHit = misses.map((miss, g) => Number(miss <= tolerances[g]));
  const hits = isHit.reduce((sum, hit) => sum + hit, 0);
  if (hits < NEARLY_ALL * groups) return false;
  const chance = evidenceOf(
    tolerances,
    variances.map((variance, g) => isHit[g] * variance),
    rows,
  );
  return chance + logBinomialCoefficient(groups, groups - hits) <= limit;
}

/** Sums the logarithms of the probabilities that sums are hit by chance; groups of variance 0 have probability 1. */
function evidenceOf(tolerances: Float64Array, variances: Float64Array, rows: Float64Array): number {
  let log = 0;
  for (let g = 0; g < rows.length; g++) {
    const spread = Math.sqrt(2 * Math.PI * rows[g] * variances[g]);
    if (spread > 2 * tolerances[g] + 1) log += real.log((2 * tolerances[g] + 1) / spread);
  }
  return log;
}
