import { type Column, type NumericColumn, numberAt } from "../table/column.js";
import {
  cellSearch,
  countCells,
  countLevelCodes,
  type LevelProfile,
  type NumberProfile,
} from "../table/column-profile.js";
import type { CutSearch } from "../table/cut-search.js";
import { UNKNOWN_LEVEL } from "../table/levels.js";
import { forEachBlock } from "../table/value-blocks.js";
import { kolmogorovTail } from "../theory/test-tails.js";
import { type Counts, compareShares, poolRare, type ShareTest } from "./share-test.js";

/** Rows to sample: `rows[k]` of the table goes to `places[k]` of the sample. The rows ascend. */
export interface SampledRows {
  readonly rows: readonly number[];
  readonly places: readonly number[];
}

/** A cell, and the index of its row. */
interface CellAt {
  readonly row: number;
  readonly value: number;
}

/** Cumulative shares of training and new rows at the value where they differ most. */
interface WidestGap {
  readonly value: number;
  /** Share of the cells up to the value, or below it. */
  readonly training: number;
  readonly found: number;
  readonly inclusive: boolean;
}

/** Numbers of a column of new rows, counted at the cut points of the training rows. */
export class NumberTally {
  readonly profile: NumberProfile;
  readonly counts: Float64Array;
  missing = 0;
  /** Number of cells far outside the training range, and the most extreme one. */
  far = 0;
  extreme: CellAt | undefined;
  /** A random sample of the cells; missing ones are NaN. */
  readonly #sample: Float64Array;
  readonly #limits: readonly [low: number, high: number];
  readonly #search: CutSearch;
  #sampled = 0;

  /** Takes the number of cells to sample, and the number of columns that are checked. */
  constructor(profile: NumberProfile, sampleSize: number, columns: number) {
    this.profile = profile;
    this.counts = new Float64Array(profile.counts.length);
    this.#sample = new Float64Array(sampleSize);
    this.#search = cellSearch(profile.bounds);
    this.#limits = farLimits(profile, columns);
  }

  /** Number of cells that are not missing. */
  get present(): number {
    return total(this.counts);
  }

  /** Non-missing cells of the sample. */
  get sample(): Float64Array {
    return this.#sample.subarray(0, this.#sampled).filter((value) => !Number.isNaN(value));
  }

  /** Counts the cells of some rows; `first` is the index of the first one. */
  add({ values }: NumericColumn, first: number, { rows, places }: SampledRows): void {
    let next = 0;
    forEachBlock(values, (block, start) => {
      this.missing += countCells(block, this.#search, this.counts);
      this.#addFar(block, first + start);
      for (; next < rows.length && rows[next] < start + block.length; next++) {
        this.#sample[places[next]] = block[rows[next] - start];
        this.#sampled = Math.max(this.#sampled, places[next] + 1);
      }
    });
  }

  #addFar(block: Float64Array, first: number): void {
    const [low, high] = this.#limits;
    for (let i = 0; i < block.length; i++) {
      const value = block[i];
      if (!(value < low || value > high)) continue;
      this.far++;
      const distance = Math.max(low - value, value - high);
      const known = this.extreme ? Math.max(low - this.extreme.value, this.extreme.value - high) : 0;
      if (distance > known) this.extreme = { row: first + i, value };
    }
  }

  /** Number of cells below the training minimum and above the training maximum. */
  get outside(): readonly [below: number, above: number] {
    return [this.counts[0], this.counts[this.counts.length - 1]];
  }

  /**
   * Compares the numbers with the training rows by the Kolmogorov–Smirnov test at the cut points, which is
   * conservative; undefined if one part has no numbers.
   */
  shift(): (ShareTest & { readonly gap: WidestGap }) | undefined {
    const { present } = this;
    const known = total(this.profile.counts);
    if (present === 0 || known === 0) return undefined;
    const gap = widestGap(this.profile, this.counts);
    const distance = Math.abs(gap.training - gap.found);
    const size = (known * present) / (known + present);
    return { distance, p: kolmogorovTail(Math.sqrt(size) * distance), gap };
  }

  /** Computes the Kolmogorov–Smirnov distance between some numbers and the training rows of this column. */
  distanceFrom(values: Float64Array): number {
    const { profile } = this;
    const counts = new Float64Array(profile.counts.length);
    countCells(values, this.#search, counts);
    const gap = widestGap(profile, counts);
    return Math.abs(gap.training - gap.found);
  }
}

/** Finds where the two distribution functions differ most: at a cut point, or just below it. */
function widestGap({ cuts, counts: known }: NumberProfile, counts: Float64Array): WidestGap {
  const ours = total(known);
  const theirs = total(counts);
  let widest: WidestGap = { value: Number.NaN, training: 0, found: 0, inclusive: true };
  let training = 0;
  let found = 0;
  for (let cell = 0; cell < counts.length - 1; cell++) {
    training += known[cell];
    found += counts[cell];
    if (Math.abs(training / ours - found / theirs) > Math.abs(widest.training - widest.found)) {
      widest = {
        value: cuts[cell >> 1],
        training: training / ours,
        found: found / theirs,
        inclusive: cell % 2 === 1,
      };
    }
  }
  return widest;
}

/** A cell is far outside if it lies this many widths of the training range beyond the end, with one column… */
const FAR = 10;
/**
 * …and at most this many widths with any number of columns, and only if fewer than `FEW` training rows are on that side
 * of the median.
 */
const FARTHEST = 1000;
const FEW = 10;

/**
 * Finds the limits beyond which numbers are far outside the training range: ten times its width, times the square root
 * of the number of columns, because one of many is more likely to have an extreme cell. Heavy tails have larger limits.
 * If the maximum is R times as far from the median as the upper quartile, cells up to R widths beyond the maximum are
 * ordinary. Under a Pareto tail R is about n^(1/α), so a new row exceeds the limit with a probability of about n⁻².
 */
function farLimits({ cuts, counts }: NumberProfile, columns: number): readonly [low: number, high: number] {
  const far = Math.min(FARTHEST, FAR * Math.sqrt(columns));
  const min = cuts[0];
  const max = cuts[cuts.length - 1];
  const width = max - min;
  if (!(width > 0)) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const upwards = Array.from(counts);
  const high = max + width * Math.max(far, tailRatio(cuts, upwards));
  const low = min - width * Math.max(far, tailRatio(cuts.map((cut) => -cut).reverse(), upwards.reverse()));
  return [low, high];
}

/** Computes how many widths of the range a cell may exceed the maximum because of the tail. */
function tailRatio(cuts: Float64Array, counts: readonly number[]): number {
  const all = total(counts);
  const median = cutWith(counts, all / 2);
  let upTo = 0;
  for (let cell = 0; cell <= 2 * median + 1; cell++) upTo += counts[cell];
  const above = all - upTo;
  if (above < FEW) return FARTHEST;
  const quartile = cutWith(counts, upTo + above / 2);
  return (cuts[cuts.length - 1] - cuts[median]) / (cuts[quartile] - cuts[median]);
}

/** Finds the first cut that is reached by this many cells. */
function cutWith(counts: readonly number[], cells: number): number {
  let sum = counts[0];
  for (let cut = 0; ; cut++) {
    sum += counts[2 * cut + 1];
    if (sum >= cells || 2 * cut + 3 >= counts.length) return cut;
    sum += counts[2 * cut + 2];
  }
}

/** Maximum number of unknown categories remembered by name. */
const MOST_UNSEEN = 1000;

/** Categories of a column of new rows. */
export class LevelTally {
  readonly profile: LevelProfile;
  readonly levels: readonly string[];
  readonly counts: Float64Array;
  missing = 0;
  /** Number of cells of each unknown category; further categories are only counted in `counts`. */
  readonly unseen = new Map<string, number>();

  constructor(profile: LevelProfile, levels: readonly string[]) {
    this.profile = profile;
    this.levels = levels;
    this.counts = new Float64Array(profile.counts.length);
  }

  get present(): number {
    return total(this.counts);
  }

  /** Whether all categories of the training rows are known by name. */
  get complete(): boolean {
    return this.profile.counts[this.profile.counts.length - 1] === 0;
  }

  /** Number of cells with an unknown category. */
  get others(): number {
    return this.counts[this.counts.length - 1];
  }

  /** Counts the cells of a conformed column; `raw` contains their strings. */
  add({ codes }: { readonly codes: Int32Array }, raw: Column): void {
    this.missing += countLevelCodes(codes, this.counts);
    for (let i = 0; i < codes.length; i++) {
      if (codes[i] !== UNKNOWN_LEVEL) continue;
      const text = raw.kind === "numeric" ? String(numberAt(raw.values, i)) : raw.levels[raw.codes[i]];
      const known = this.unseen.get(text);
      if (known !== undefined || this.unseen.size < MOST_UNSEEN) this.unseen.set(text, (known ?? 0) + 1);
    }
  }

  /** Compares the shares of categories with the training rows; undefined if there is nothing to compare. */
  shift(): ShareTest | undefined {
    const totals = [total(this.profile.counts), this.present] as const;
    if (totals[0] === 0 || totals[1] === 0) return undefined;
    const counts = this.levels.map((_, k): Counts => [this.profile.counts[k], this.counts[k]]);
    if (!this.complete) counts.push([this.profile.counts[this.levels.length], this.others]);
    else {
      const named = [...this.unseen.values()];
      counts.push(...named.map((cells): Counts => [0, cells]), [0, this.others - total(named)]);
    }
    return compareShares(poolRare(counts, totals), totals);
  }

  /** Finds the level whose share differs most from the training rows. */
  widest(): { readonly level: string; readonly training: number; readonly found: number } {
    const known = total(this.profile.counts);
    const { present } = this;
    const levels = this.levels.map((level, k) => ({
      level,
      training: this.profile.counts[k] / known,
      found: this.counts[k] / present,
    }));
    return levels.reduce((a, b) => (Math.abs(b.training - b.found) > Math.abs(a.training - a.found) ? b : a));
  }

  /** Computes the total variation distance between the cells of this column and the training rows of another one. */
  distanceTo(other: LevelTally): number {
    const known = total(other.profile.counts);
    const shares = new Map(this.levels.map((level, k) => [level, this.counts[k] / this.present]));
    for (const [level, cells] of this.unseen) shares.set(level, cells / this.present);
    let common = 0;
    other.levels.forEach((level, k) => {
      common += Math.min(shares.get(level) ?? 0, other.profile.counts[k] / known);
    });
    return 1 - common;
  }
}

function total(counts: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < counts.length; k++) sum += counts[k];
  return sum;
}
