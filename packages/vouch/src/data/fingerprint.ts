import { z } from "zod";
import type { State } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";
import { forEachRowHash, type HashedRows } from "./row-hash.js";
import type { Schema } from "./schema.js";

/** How many different rows are remembered. */
const MOST_HASHES = 4096;

/** How many of some rows are rows that a model was trained on. */
export interface Overlap {
  /** How many rows were compared: all of them, or those whose hash falls among the remembered ones. */
  readonly rows: number;
  /** Share of those that are training rows, each training row counting as often as it occurred; 0 without rows. */
  readonly share: number;
  /**
   * The share that fresh rows of the same kind would have by mere chance: the share of training rows that
   * have an equal among them. Near 1 for a few coarse columns, 0 where rows are unique.
   */
  readonly byChance: number;
}

/**
 * A small sketch of training rows, to tell whether other rows are among them. It keeps the 4096 smallest
 * hashes of different rows, with their frequencies: a uniform sample of the different rows (the bottom-k sketch of
 * Cohen and Kaplan, 2007), exact if there are no more than that.
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

  /** How many of the given rows are training rows. */
  overlap(rows: HashedRows, schema: Schema): Overlap {
    const left = new Map<number, number>();
    this.#hashes.forEach((hash, i) => {
      left.set(hash, this.#counts[i]);
    });
    const largest = this.#isComplete() ? Number.POSITIVE_INFINITY : this.#hashes[this.#hashes.length - 1];
    let compared = 0;
    let found = 0;
    forEachRowHash(rows, schema, (hash) => {
      if (hash > largest) return;
      compared++;
      const times = left.get(hash) ?? 0;
      if (times === 0) return;
      found++;
      left.set(hash, times - 1);
    });
    return { rows: compared, share: compared === 0 ? 0 : found / compared, byChance: this.#repeated() };
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

  /** Whether all different rows are remembered. */
  #isComplete(): boolean {
    return this.#counts.reduce((sum, count) => sum + count, 0) === this.rows;
  }

  #repeated(): number {
    let all = 0;
    let repeated = 0;
    for (const count of this.#counts) {
      all += count;
      if (count > 1) repeated += count;
    }
    return all === 0 ? 0 : repeated / all;
  }
}

const fingerprintState = z.strictObject({ kind: z.literal("fingerprint"), rows: z.int().nonnegative() });

/** The entries with the smallest hashes, ascending. */
function smallest(counts: ReadonlyMap<number, number>): Map<number, number> {
  return new Map([...counts].sort(([a], [b]) => a - b).slice(0, MOST_HASHES));
}
