import { z } from "zod";
import { atLeast } from "../numeric/poisson-binomial.js";
import type { State } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";
import { forEachRowHash, type HashedRows } from "./row-hash.js";
import type { Schema } from "./schema.js";

/** How many different rows are remembered. */
const MOST_HASHES = 4096;

/** What some rows have in common with the rows that a model was trained on. */
export interface Overlap {
  /** How many rows were compared: all of them, or those with the smallest hashes. */
  readonly rows: number;
  /** Share of those that equal training rows, each training row counting as often as it occurred; 0 without rows. */
  readonly share: number;
  /** The probability that fresh rows from the same source have so many different rows in common with training. */
  readonly chance: number;
}

/**
 * A small sketch of training rows, to tell whether other rows are among them. It keeps the 4096 smallest
 * hashes of different rows, with their frequencies: a uniform sample of the different rows (the bottom-k sketch of
 * Cohen and Kaplan, 2007), exact if there are no more than that.
 *
 * It tells 30 % training rows from fresh ones, even where half of all rows repeat; not, however, when there are many
 * more training rows than rows to compare (1000 out of a million), or so few different rows that all occur often.
 */
export class Fingerprint {
  /** How many training rows there were. */
  readonly rows: number;
  readonly #hashes: Float64Array;
  readonly #counts: Int32Array;

  private constructor(rows: number, hashes: Float64Array, counts: Int32Array) {
    this.rows = rows;
    this.#hashes = hashes;
    this.#counts = counts;
  }

  /** The fingerprint of training rows, on the schema's columns. */
  static of(rows: HashedRows, schema: Schema): Fingerprint {
    let counts = new Map<number, number>();
    let largest = Number.POSITIVE_INFINITY;
    forEachRowHash(rows, schema, (hash) => {
      if (hash > largest) return;
      counts.set(hash, (counts.get(hash) ?? 0) + 1);
      if (counts.size < 2 * MOST_HASHES) return;
      counts = smallest(counts);
      largest = Math.max(...counts.keys());
    });
    const kept = smallest(counts);
    return new Fingerprint(
      rows.labels.length,
      Float64Array.from(kept.keys()),
      Int32Array.from(kept.values()),
    );
  }

  /** Compares other rows with the training rows, as far as sketches of both tell. */
  overlap(rows: HashedRows, schema: Schema): Overlap {
    const others = Fingerprint.of(rows, schema);
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

  toState(): State {
    const shape = [this.#hashes.length];
    return {
      json: { kind: "fingerprint", rows: this.rows },
      tensors: { hashes: { shape, data: this.#hashes }, counts: { shape, data: this.#counts } },
    };
  }

  /** The fingerprint behind a state that `toState` gave; throws `model/corrupt` for anything else. */
  static restore(state: State): Fingerprint {
    const reader = new StateReader("fingerprint", state);
    const { rows } = reader.json(fingerprintState);
    const shape = [reader.length("hashes")];
    const hashes = reader.numbers("hashes", shape, 0, Number.MAX_SAFE_INTEGER);
    const counts = reader.integers("counts", shape, 1);
    reader.only("hashes", "counts");
    const ascend = hashes.every((hash, i) => Number.isInteger(hash) && (i === 0 || hash > hashes[i - 1]));
    if (!ascend) throw reader.corrupt("its hashes do not ascend");
    const counted = counts.reduce((sum, count) => sum + count, 0);
    const fits = hashes.length === MOST_HASHES ? counted <= rows : counted === rows;
    if (hashes.length > MOST_HASHES || !fits) throw reader.corrupt("its counts do not add up");
    return new Fingerprint(rows, hashes, counts);
  }

  /** Of all hashes up to this one it is known how often they occurred. */
  #lastHash(): number {
    const isComplete = this.#counts.reduce((sum, count) => sum + count, 0) === this.rows;
    return isComplete ? Number.POSITIVE_INFINITY : this.#hashes[this.#hashes.length - 1];
  }

  #countsUpTo(last: number): Map<number, number> {
    const counts = new Map<number, number>();
    for (let i = 0; i < this.#hashes.length && this.#hashes[i] <= last; i++) {
      counts.set(this.#hashes[i], this.#counts[i]);
    }
    return counts;
  }
}

const fingerprintState = z.strictObject({ kind: z.literal("fingerprint"), rows: z.int().nonnegative() });

/** The entries with the smallest hashes, ascending. */
function smallest(counts: ReadonlyMap<number, number>): Map<number, number> {
  return new Map([...counts].sort(([a], [b]) => a - b).slice(0, MOST_HASHES));
}

/**
 * The probability that two sets of rows from the same source have at least so many different rows in common. Given
 * how often each different row occurs in the two sets together, it is a matter of chance to which of them each
 * occurrence belongs: a row that occurs n times is in both with probability 1 − pⁿ − (1 − p)ⁿ, where p is the second
 * set's share of all rows. Nothing is assumed of how rows repeat, and rows that repeat often are no evidence.
 */
function chanceOfCommonRows(common: number, occurrences: readonly number[], p: number): number {
  const repeated = occurrences.filter((times) => times > 1);
  return atLeast(
    common,
    repeated.map((times) => 1 - p ** times - (1 - p) ** times),
  );
}
