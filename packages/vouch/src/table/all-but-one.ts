import type { Steps } from "../runtime/steps.js";
import { naturalRepeats } from "./natural-repeats.js";
import { outnumber } from "./near-pairs.js";
import { countKinds, firstOccurrences, type RepeatedRows, repeatsOfHashes } from "./repeated-rows.js";
import { rowHashesInSteps } from "./row-hashes.js";
import type { Schema } from "./schema.js";
import type { Table } from "./table.js";

/** Wider tables are not searched: rows that are equal in all but one of their columns are close. */
const MOST_COLUMNS = 128;
/** Rows that are searched for repeats without a column, about. */
const SAMPLED_ROWS = 2 ** 15;
/** Columns without which repeats are examined, those with the most repeats first, and the rows that are compared then. */
const MOST_EXAMINED = 4;
const COMPARED_ROWS = 10_000;
/** Sums of hashes are modulo 2⁵², so that no sum of two is rounded. */
const MODULUS = 2 ** 52;

/** Rows that repeat others in all columns but one, although independent rows would not. */
export interface RepeatsButOne {
  readonly column: string;
  readonly rows: RepeatedRows;
}

/**
 * Finds rows that were copied and then changed in one column: without that column, they repeat although independent rows would
 * not (see `naturalRepeats`). Rows that are equal in all columns are counted once, so that they are no evidence.
 */
export function* repeatsButOne(
  training: Table,
  heldOut: Table,
  schema: Schema,
): Steps<RepeatsButOne | undefined> {
  const { columns } = schema;
  if (columns.length < 2 || columns.length > MOST_COLUMNS) return undefined;
  const tables = [training, heldOut];
  const total = new Float64Array(training.rows + heldOut.rows);
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
    if (!(yield* areNatural(j, hashes))) {
      const { rows } = training;
      return {
        column: columns[j].name,
        rows: yield* repeatsOfHashes(hashes.slice(0, rows), hashes.slice(rows)),
      };
    }
  }
  return undefined;

  /** Hashes rows without a column: even integers below 2⁵³. */
  function* hashesWithout(j: number): Steps<Float64Array> {
    const hashes = yield* hashesOf(tables, schema, [j]);
    for (let i = 0; i < hashes.length; i++) {
      const rest = total[i] - hashes[i];
      hashes[i] = 2 * (rest < 0 ? rest + MODULUS : rest);
    }
    return hashes;
  }

  /** Samples different rows by their hashes without a column, so that repeats are in the sample together; ascending. */
  function sampleOf(hashes: Float64Array): Float64Array {
    const limit = Math.min(1, SAMPLED_ROWS / hashes.length) * 2 * MODULUS;
    const sample = new Float64Array(hashes.length);
    let size = 0;
    for (let i = 0; i < hashes.length; i++) {
      if (isFirst[i] === 1 && hashes[i] < limit) sample[size++] = hashes[i];
    }
    return sample.subarray(0, size).sort();
  }

  function* areNatural(j: number, hashes: Float64Array): Steps<boolean> {
    const rows = tables.map(({ rows: count }, t) =>
      Int32Array.from({ length: count }, (_, i) => i).filter((i) => isFirst[t * training.rows + i] === 1),
    );
    const { natural } = yield* naturalRepeats(
      tables.map((table, t) => table.select(rows[t])),
      { ...schema, columns: columns.filter((_, k) => k !== j) },
      rows.map((own, t) => Float64Array.from(own, (i) => hashes[t * training.rows + i])),
      COMPARED_ROWS,
    );
    return natural;
  }
}

/** Hashes the cells of some columns, of the rows of both tables, to integers below the modulus. */
export function* hashesOf(
  tables: readonly Table[],
  schema: Schema,
  columns: readonly number[],
): Steps<Float64Array> {
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
