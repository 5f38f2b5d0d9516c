import * as real from "../runtime/maths/portable-math.js";
import { countBelow } from "../runtime/maths/sort.js";
import { inParallel, type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { isShared, onSharedMemory, sharedBytes } from "../runtime/parallel/shared-array.js";
import { definePureTask } from "../runtime/parallel/task.js";
import { rowHashesInSteps } from "./row-hashes.js";
import type { Schema } from "./schema.js";
import type { Table } from "./table.js";

/** Rows that are equal in all feature columns, regardless of class. */
export interface RepeatedRows {
  /** 1 for each held-out row that equals a training row. */
  readonly repeated: Uint8Array;
  /** 1 for the first of equal held-out rows, so that each kind of row can be counted once. */
  readonly firstOfKind: Uint8Array;
  /** Number of training rows that equal an earlier training row. */
  readonly repeatedInTraining: number;
}

/**
 * Finds the held-out rows that equal training rows on the columns of a schema. Compares hashes of 53 bits, in time n
 * log n.
 */
export function repeatedRows(training: Table, heldOut: Table, schema: Schema): RepeatedRows {
  const known = runNow(rowHashesInSteps({ features: training }, schema)).cells;
  const hashes = runNow(rowHashesInSteps({ features: heldOut }, schema)).cells;
  return runNow(repeatsOfHashes(known, hashes));
}

/** Approximate number of hashes per task. */
const HASHES_PER_TASK = 2 ** 15;
const MOST_TASKS = 64;
/** Approximate milliseconds per hash. */
const MILLISECONDS_PER_HASH = 2e-4;

/**
 * Finds repeated rows by the hashes of training rows and held-out rows, on threads if there are many; each takes a
 * range of hashes.
 */
export function* repeatsOfHashes(known: Float64Array, hashes: Float64Array): Pausable<RepeatedRows> {
  const rows = known.length + hashes.length;
  const tasks = Math.max(1, Math.min(MOST_TASKS, Math.ceil(rows / HASHES_PER_TASK)));
  const repeated = sharedBytes(hashes.length);
  const firstOfKind = sharedBytes(hashes.length);
  const inputs = Array.from({ length: tasks }, (_, k): HashRange => {
    const [from, to] = [k, k + 1].map((place) => (place / tasks) * 2 ** 53);
    return { known, hashes, repeated, firstOfKind, from, to };
  });
  const copies = yield* inParallel(repeatsTask, inputs, {
    milliseconds: isShared(repeated) ? rows * MILLISECONDS_PER_HASH : 0,
    share: (input) => ({ ...input, known: onSharedMemory(known), hashes: onSharedMemory(hashes) }),
  });
  return { repeated, firstOfKind, repeatedInTraining: copies.reduce((sum, count) => sum + count, 0) };
}

/** Hashes of training and held-out rows; those in [from, to) are compared. */
interface HashRange {
  readonly known: Float64Array;
  readonly hashes: Float64Array;
  readonly repeated: Uint8Array;
  readonly firstOfKind: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** Marks held-out rows; returns the number of training rows that equal another one. */
const repeatsTask = definePureTask("table/repeated-rows", (input: HashRange): number => {
  const { hashes, repeated, firstOfKind, from, to } = input;
  const known = hashesIn(input.known, from, to).own.sort();
  const { own, places } = hashesIn(hashes, from, to);
  const first = firstOccurrences(own);
  for (let i = 0; i < own.length; i++) {
    repeated[places[i]] = Number(known[countBelow(known, 0, known.length, own[i])] === own[i]);
    firstOfKind[places[i]] = first[i];
  }
  return known.length - countKinds(known).kinds;
});

/** Collects the hashes in [from, to) and their places. */
function hashesIn(
  hashes: Float64Array,
  from: number,
  to: number,
): { readonly own: Float64Array; readonly places: Int32Array } {
  let count = 0;
  for (let i = 0; i < hashes.length; i++) if (hashes[i] >= from && hashes[i] < to) count++;
  const own = new Float64Array(count);
  const places = new Int32Array(count);
  for (let i = 0, next = 0; next < count; i++) {
    if (!(hashes[i] >= from && hashes[i] < to)) continue;
    own[next] = hashes[i];
    places[next++] = i;
  }
  return { own, places };
}

/** Marks the first of equal hashes with 1, by a hash table with linear probing, several times as fast as sorting. */
export function firstOccurrences(hashes: Float64Array): Uint8Array {
  const mask = 2 ** Math.ceil(real.log2(2 * hashes.length + 2)) - 1;
  const seen = new Float64Array(mask + 1).fill(-1);
  const first = new Uint8Array(hashes.length);
  for (let i = 0; i < hashes.length; i++) {
    let place = (hashes[i] / 2 ** 12) & mask;
    while (seen[place] >= 0 && seen[place] !== hashes[i]) place = (place + 1) & mask;
    first[i] = Number(seen[place] < 0);
    seen[place] = hashes[i];
  }
  return first;
}

/** Counts the different values of an ascending list, and those among them that occur more than once. */
export function countKinds(ascending: Float64Array): { readonly kinds: number; readonly repeated: number } {
  let kinds = 0;
  let repeated = 0;
  for (let i = 0; i < ascending.length; i++) {
    if (i === 0 || ascending[i] !== ascending[i - 1]) kinds++;
    else if (i === 1 || ascending[i] !== ascending[i - 2]) repeated++;
  }
  return { kinds, repeated };
}
