import { checked, readParts, writeParts } from "../runtime/codec/parts.js";
import { nonNegativeInteger } from "../runtime/codec/schema-numbers.js";
import { corrupt, type State } from "../runtime/codec/state.js";
import { float64, int32 } from "../runtime/codec/tensor-parts.js";
import * as real from "../runtime/maths/portable-math.js";
import { countBelow } from "../runtime/maths/sort.js";
import { poissonBinomialTail } from "../runtime/maths/statistics.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { rowHashesInSteps } from "./row-hashes.js";
import type { Schema } from "./schema.js";
import type { Table } from "./table.js";
import type { LabelledRows } from "./target.js";

type Rows = Pick<LabelledRows, "features" | "labels">;

/** Maximum number of distinct rows in a fingerprint. */
const MAX_HASHES = 4096;

/** Probability of mistaking fresh rows for training rows because of chance similarity. */
const FALSE_ALARM = 1e-3;

/** Rows that a table shares with a model's training rows. */
export interface Overlap {
  /** Number of compared rows: all of them, or those with the smallest hashes. */
  readonly rows: number;
  /**
   * Fraction of these that equal training rows, where each training row counts as often as it occurred; 0 without rows.
   */
  readonly share: number;
  /** Probability that fresh rows from the same source share at least as many distinct rows with the training rows. */
  readonly chance: number;
}

const parts = {
  rows: nonNegativeInteger,
  hashes: checked(float64(["hashes"], { min: 0, max: Number.MAX_SAFE_INTEGER }), (hashes) =>
    hashes.every((hash, i) => Number.isInteger(hash) && (i === 0 || hash > hashes[i - 1]))
      ? undefined
      : "they do not ascend",
  ),
  counts: int32(["hashes"], { min: 1 }),
};

/**
 * A small sketch of the training rows, which detects whether other rows are among them. It keeps the 4096 smallest
 * hashes of distinct rows, with their frequencies: a uniform sample of the distinct rows (the bottom-k sketch of Cohen
 * and Kaplan, 2007), or all of them if there are no more.
 *
 * It detects that 30% of the other rows are training rows, even if half of all rows repeat. It fails if there are many
 * more training rows than rows to compare (1000 out of a million), or so few distinct rows that all occur often.
 */
export class Fingerprint {
  /** Number of training rows. */
  readonly rows: number;
  readonly #hashes: Float64Array;
  readonly #counts: Int32Array;

  private constructor(rows: number, hashes: Float64Array, counts: Int32Array) {
    this.rows = rows;
    this.#hashes = hashes;
    this.#counts = counts;
  }

  /** Computes the fingerprint of training rows on the schema's columns. */
  static of(rows: Rows, schema: Schema): Fingerprint {
    return runNow(Fingerprint.inSteps(rows, schema));
  }

  /** Computes the fingerprint of many rows on threads. */
  static *inSteps(rows: Rows, schema: Schema): Pausable<Fingerprint> {
    return Fingerprint.ofHashes((yield* rowHashesInSteps(rows, schema)).labelled);
  }

  /** Computes the fingerprint of training rows from the hashes of their cells and classes. */
  static ofHashes(hashes: Float64Array): Fingerprint {
    let counts = new Map<number, number>();
    let largest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < hashes.length; i++) {
      const hash = hashes[i];
      if (hash > largest) continue;
      counts.set(hash, (counts.get(hash) ?? 0) + 1);
      if (counts.size < 2 * MAX_HASHES) continue;
      counts = smallest(counts);
      largest = Math.max(...counts.keys());
    }
    const kept = smallest(counts);
    return new Fingerprint(hashes.length, Float64Array.from(kept.keys()), Int32Array.from(kept.values()));
  }

  /** Compares other rows with the training rows, by sketches of both. */
  overlap(rows: Rows, schema: Schema): Overlap {
    return this.overlapWith(Fingerprint.of(rows, schema));
  }

  /** Compares the fingerprints of other rows and of the training rows. */
  overlapWith(others: Fingerprint): Overlap {
    const last = Math.min(this.#lastHash(), others.#lastHash());
    const known = this.#countsUpTo(last);
    const occurrences: number[] = [];
    let compared = 0;
    let equal = 0;
    let inBoth = 0;
    for (const [hash, count] of others.#countsUpTo(last)) {
      const trained = known.get(hash) ?? 0;
      known.delete(hash);
      occurrences.push(trained + count);
      compared += count;
      equal += Math.min(trained, count);
      if (trained > 0) inBoth++;
    }
    occurrences.push(...known.values());
    const chance = chanceOfCommonRows(inBoth, occurrences, others.rows / (this.rows + others.rows));
    return { rows: compared, share: compared === 0 ? 0 : equal / compared, chance };
  }

  /** Marks rows that equal training rows by their hashes; rows outside the sketch cannot be recognised. */
  knownAmong(hashes: Float64Array): Uint8Array {
    const own = this.#hashes;
    return Uint8Array.from(hashes, (hash) => Number(own[countBelow(own, 0, own.length, hash)] === hash));
  }

  toState(): State {
    return writeParts(parts, { rows: this.rows, hashes: this.#hashes, counts: this.#counts }, {});
  }

  /** Restores a fingerprint from the result of `toState`; otherwise throws `model/corrupt`. */
  static restore(state: State): Fingerprint {
    const { rows, hashes, counts } = readParts("fingerprint", parts, state, {});
    const nonNegativeInteger = counts.reduce((sum, count) => sum + count, 0);
    const fits = hashes.length === MAX_HASHES ? nonNegativeInteger <= rows : nonNegativeInteger === rows;
    if (hashes.length > MAX_HASHES || !fits) {
      throw corrupt("The fingerprint is damaged: its counts do not add up.");
    }
    return new Fingerprint(rows, hashes, counts);
  }

  /** Whether it contains all training rows rather than a sample. */
  get isComplete(): boolean {
    return this.#counts.reduce((sum, count) => sum + count, 0) === this.rows;
  }

  /** Returns the hash up to which all hashes and their counts are known. */
  #lastHash(): number {
    return this.isComplete ? Number.POSITIVE_INFINITY : this.#hashes[this.#hashes.length - 1];
  }

  #countsUpTo(last: number): Map<number, number> {
    const counts = new Map<number, number>();
    for (let i = 0; i < this.#hashes.length && this.#hashes[i] <= last; i++) {
      counts.set(this.#hashes[i], this.#counts[i]);
    }
    return counts;
  }
}

/** Keeps the entries with the smallest hashes, ascending. */
function smallest(counts: ReadonlyMap<number, number>): Map<number, number> {
  return new Map([...counts].sort(([a], [b]) => a - b).slice(0, MAX_HASHES));
}

/**
 * Computes the probability that two sets of rows from the same source share at least `common` distinct rows. Given how
 * often each distinct row occurs in both sets together, chance decides to which set each occurrence belongs. A row that
 * occurs n times is in both with probability 1 − pⁿ − (1 − p)ⁿ, where p is the second set's share of all rows. This
 * assumes nothing about how rows repeat; rows that repeat often are not evidence.
 */
export function chanceOfCommonRows(common: number, occurrences: readonly number[], p: number): number {
  const repeated = occurrences.filter((times) => times > 1);
  return poissonBinomialTail(
    common,
    repeated.map((times) => 1 - real.wholePower(p, times) - real.wholePower(1 - p, times)),
  );
}

/**
 * Reports training rows among other rows, if more of them equal training rows than chance explains. Duplicates alone
 * are not a reason, because fresh rows repeat training rows as often as training rows repeat each other.
 */
export function trainingRowsAmong(fingerprint: Fingerprint, rows: Rows, schema: Schema): string | undefined {
  return trainingRowsIn(fingerprint, Fingerprint.of(rows, schema));
}

/** Does the same for rows whose fingerprint is known, with another probability of a false alarm. */
export function trainingRowsIn(
  fingerprint: Fingerprint,
  others: Fingerprint,
  falseAlarm = FALSE_ALARM,
): string | undefined {
  const { share, chance } = fingerprint.overlapWith(others);
  if (chance >= falseAlarm) return undefined;
  const percentage = share < 0.01 ? "Less than 1" : `About ${Math.round(100 * share)}`;
  return `${percentage}% of the rows equal rows that the model was trained on, more than chance explains.`;
}

/** Reports rows that a model was pre-trained on among other rows, with any class. */
export function* unlabelledRowsAmong(
  unlabelled: Table,
  rows: Table,
  schema: Schema,
): Pausable<string | undefined> {
  const ofOneClass = (features: Table) => ({ features, labels: new Int32Array(features.rows) });
  return trainingRowsIn(
    yield* Fingerprint.inSteps(ofOneClass(unlabelled), schema),
    yield* Fingerprint.inSteps(ofOneClass(rows), schema),
  );
}
