import * as real from "../runtime/maths/portable-math.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { exceedsShare } from "./chernoff.js";
import { naturalRepeats } from "./duplicate-test.js";
import { outnumber } from "./near-pairs.js";
import { countKinds, firstOccurrences, type RepeatedRows, repeatsOfHashes } from "./repeated-rows.js";
import { rowHashesInSteps } from "./row-hashes.js";
import type { Schema } from "./schema.js";
import type { Table } from "./table.js";

/** Wider tables are not searched, because rows that are equal in all but one column are close. */
const MOST_COLUMNS = 128;
/** Approximate number of rows to search for repeats without a column. */
const SAMPLED_ROWS = 2 ** 15;
/** Maximum number of columns to examine, those with the most repeats first, and of rows to compare. */
const MOST_EXAMINED = 4;
const COMPARED_ROWS = 10_000;
/** Maximum share of repeated kinds of rows, unless frequencies are impossible. */
const MOST_REPEATED = 0.5;
/** Probability of mistaking chance agreement of classes for copies. */
const FALSE_ALARM = 1e-3;
/** Marks the class of rows that were already compared. */
const COUNTED = -2;
/** Sums of hashes are modulo 2⁵², so that the sum of two is exact. */
const MODULUS = 2 ** 52;

/** Rows with their classes and the hashes of their cells. */
export interface ComparedRows {
  readonly features: Table;
  readonly labels: Int32Array;
  readonly hashes: Float64Array;
}

/** Rows that repeat others in all columns but one, although independent rows would not. */
export interface RepeatsButOne {
  readonly column: string;
  readonly rows: RepeatedRows;
}

/**
 * Finds rows that were copied and then changed in one column: without that column, they repeat although independent
 * rows would not (see `naturalRepeats`). Rows that are equal in all columns count once, so that they are not evidence.
 *
 * A number may stand for a category, such as the coordinates of a town, and many rows then repeat in all columns but
 * one. So repeated rows must be the exception, unless independent rows could not repeat like this. They must also have
 * the same class more often than any two rows, because otherwise copies do no harm.
 */
export function* repeatsButOne(
  training: ComparedRows,
  heldOut: ComparedRows,
  schema: Schema,
): Pausable<RepeatsButOne | undefined> {
  const { columns } = schema;
  if (columns.length < 2 || columns.length > MOST_COLUMNS) return undefined;
  const tables = [training.features, heldOut.features];
  const trained = training.features.rows;
  const total = new Float64Array(trained + heldOut.features.rows);
  for (let j = 0; j < columns.length; j++) {
    const own = yield* hashesOf(tables, schema, [j]);
    for (let i = 0; i < total.length; i++) {
      const sum = total[i] + own[i];
      total[i] = sum < MODULUS ? sum : sum - MODULUS;
    }
  }
  const isFirst = firstOccurrences(total);
  const repeats: { readonly j: number; readonly kinds: number }[] = [];
  for (let j = 0; j < columns.length; j++) {
    const without = yield* hashesWithout(j);
    const { repeated } = countKinds(sampleOf(without));
    if (outnumber(repeated, 0)) repeats.push({ j, kinds: repeated });
    yield;
  }
  repeats.sort((a, b) => b.kinds - a.kinds);
  for (const { j } of repeats.slice(0, MOST_EXAMINED)) {
    const hashes = yield* hashesWithout(j);
    if (!haveOneClass(hashes) || (yield* areNatural(j, hashes))) continue;
    return {
      column: columns[j].name,
      rows: yield* repeatsOfHashes(hashes.slice(0, trained), hashes.slice(trained)),
    };
  }
  return undefined;

  /** Hashes rows without a column: even integers below 2⁵³. */
  function* hashesWithout(j: number): Pausable<Float64Array> {
    const hashes = yield* hashesOf(tables, schema, [j]);
    for (let i = 0; i < hashes.length; i++) {
      const rest = total[i] - hashes[i];
      hashes[i] = 2 * (rest < 0 ? rest + MODULUS : rest);
    }
    return hashes;
  }

  /** Samples distinct rows by their hashes without a column, so that repeats are in the sample together; ascending. */
  function sampleOf(hashes: Float64Array): Float64Array {
    const limit = Math.min(1, SAMPLED_ROWS / hashes.length) * 2 * MODULUS;
    const sample = new Float64Array(hashes.length);
    let size = 0;
    for (let i = 0; i < hashes.length; i++) {
      if (isFirst[i] === 1 && hashes[i] < limit) sample[size++] = hashes[i];
    }
    return sample.subarray(0, size).sort();
  }

  function* areNatural(j: number, hashes: Float64Array): Pausable<boolean> {
    const rows = tables.map(({ rows: count }, t) =>
      Int32Array.from({ length: count }, (_, i) => i).filter((i) => isFirst[t * trained + i] === 1),
    );
    const own = rows.map((some, t) => Float64Array.from(some, (i) => hashes[t * trained + i]));
    const { natural, column } = yield* naturalRepeats(
      tables.map((table, t) => table.select(rows[t])),
      { ...schema, columns: columns.filter((_, k) => k !== j) },
      own,
      COMPARED_ROWS,
    );
    if (natural || column === undefined) return natural;
    const { kinds, repeated } = countKinds(Float64Array.from(own.flatMap((part) => Array.from(part))).sort());
    return repeated > MOST_REPEATED * kinds;
  }

  /** Returns whether distinct rows with the same hash have the same class more often than any two rows. */
  function haveOneClass(hashes: Float64Array): boolean {
    const labelAt = (i: number) => (i < trained ? training.labels[i] : heldOut.labels[i - trained]);
    const firstLabel = new Map<number, number>();
    const counts = new Map<number, number>();
    let [pairs, agreeing, rows] = [0, 0, 0];
    for (let i = 0; i < hashes.length; i++) {
      if (isFirst[i] === 0) continue;
      const label = labelAt(i);
      rows++;
      counts.set(label, (counts.get(label) ?? 0) + 1);
      const first = firstLabel.get(hashes[i]);
      if (first === undefined) firstLabel.set(hashes[i], label);
      else if (first >= -1) {
        pairs++;
        if (first === label) agreeing++;
        firstLabel.set(hashes[i], COUNTED); // Only one pair of each kind counts.
      }
    }
    let chance = 0;
    for (const count of counts.values()) chance += (count / rows) ** 2;
    return exceedsShare(agreeing, pairs, chance, -real.log(FALSE_ALARM));
  }
}

/** Hashes the cells of some columns in the rows of both tables, to integers below the modulus. */
export function* hashesOf(
  tables: readonly Table[],
  schema: Schema,
  columns: readonly number[],
): Pausable<Float64Array> {
  const joined = new Float64Array(tables.reduce((sum, { rows }) => sum + rows, 0));
  const own = { ...schema, columns: columns.map((j) => schema.columns[j]) };
  let next = 0;
  for (const table of tables) {
    const { cells } = yield* rowHashesInSteps({ features: table }, own);
    for (let i = 0; i < cells.length; i++)
      joined[next++] = cells[i] < MODULUS ? cells[i] : cells[i] - MODULUS;
  }
  return joined;
}
