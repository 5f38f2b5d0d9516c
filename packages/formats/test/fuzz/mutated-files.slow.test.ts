import { type Format, type ReadOptions, readTable } from "@vouch/formats";
import { expect, test } from "vitest";
import { type Table, VouchError } from "vouch";
import { readTable as readData } from "#formats/read-table.browser.js";
import { mutated, sampleFiles, seededIntegers } from "../../../../scripts/mutated-data.mjs";
import { cellsOf } from "../cells-of.js";
import { type Cells, csvCells, idxCells, jsonCells, libsvmCells } from "./reference-cells.js";
import { FIRST_SEED, TRIES } from "./tries.js";

/** Wider tables are not compared cell by cell: a few digits of a LIBSVM file can name a million columns. */
const WIDEST_COMPARED = 2000;

/** Second implementations. ARFF and Parquet have none that says which damaged files are still valid. */
const REFERENCES: Readonly<Partial<Record<Format, (bytes: Buffer) => Cells | undefined>>> = {
  csv: (bytes) => csvCells(bytes),
  tsv: (bytes) => csvCells(bytes, "\t"),
  json: (bytes) => jsonCells(bytes, false),
  ndjson: (bytes) => jsonCells(bytes, true),
  libsvm: libsvmCells,
  idx: idxCells,
};

/** Nothing is guessed: other encodings, titles and totals have tests of their own. */
const AS_WRITTEN: ReadOptions = { encoding: "utf-8", skip: 0, keepTotals: true };

function expectSound(table: Table): void {
  expect(table.rows).toBeGreaterThan(0);
  expect(new Set(table.columns.map(({ name }) => name)).size).toBe(table.columns.length);
  for (const cells of Object.values(cellsOf(table))) {
    expect(cells.length).toBe(table.rows);
    expect(cells.every((cell) => typeof cell !== "number" || Number.isFinite(cell))).toBe(true);
  }
}

async function tableOf(reading: Promise<Table>): Promise<Table | VouchError> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof VouchError) return error;
    throw error;
  }
}

/** Returns what a user sees: cells, or an error. */
function shownOf(result: Table | VouchError): unknown {
  return result instanceof VouchError ? `${result.code} ${result.message}` : cellsOf(result);
}

const samples = await sampleFiles();

test.each(samples.map((sample, number) => [sample.format, number, sample] as const))(
  "mutants of %s sample %i give their cells or a clear error",
  async (format, number, { bytes: sample, inserts }) => {
    const reference = REFERENCES[format];
    // To read Parquet takes many times longer.
    const tries = format === "parquet" ? Math.ceil(TRIES / 5) : TRIES;
    let read = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + tries; seed++) {
      const bytes = mutated(sample, inserts, seededIntegers(seed * samples.length + number));
      const shown = `seed ${seed}: ${JSON.stringify(bytes.toString("latin1").slice(0, 2000))}`;
      const dialect =
        format === "csv" ? { header: true, delimiter: "," } : format === "tsv" ? { header: true } : {};
      const options = { format, ...AS_WRITTEN, ...dialect };
      const result = await tableOf(readTable(bytes, options));
      // A third of the files is enough for the second reader, which shares most code with the first.
      const isShared = format !== "parquet" && seed % 3 > 0;
      const inBrowser = isShared ? result : await tableOf(readData(bytes, options));
      const table = result instanceof VouchError ? undefined : result;
      if (table !== undefined && table.columns.length > WIDEST_COMPARED) continue;
      if (table !== undefined) expectSound(table);
      if (!(inBrowser instanceof VouchError)) expectSound(inBrowser);
      // Two readers of Parquet need not agree on what damaged bytes mean.
      if (format !== "parquet") expect(shownOf(inBrowser), shown).toEqual(shownOf(result));
      if (reference) expect(table && cellsOf(table), shown).toEqual(reference(bytes));
      if (table) read++;
    }
    // Both outcomes must occur, or the test shows nothing.
    expect(read, "files that were read").toBeLessThan(tries);
    if (reference) expect(read, "files that were read").toBeGreaterThan(tries / 50);
  },
);
