import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ReadOptions, readTable, readTableInChunks } from "@vouch/formats";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Executor, inlineExecutor, Table, VouchError } from "vouch";
import { withFileInput } from "#formats/node/file-input.js";
import { identifyFile } from "#formats/node/known-file.js";
import { readCsvOnThreads, type ThreadedFile } from "#formats/node/read-csv-on-threads.js";
import { wholeTable } from "#formats/table-chunks.js";
import { mutated, sampleFiles, seededIntegers } from "../../../../scripts/mutated-data.mjs";
import { cellsOf } from "../cells-of.js";
import { FixtureFolder } from "../fixture-folder.js";
import { FIRST_SEED, TRIES } from "./tries.js";

/** Longer files would give very many parts. */
const LONGEST_IN_PARTS = 10_000;

const path = join(new FixtureFolder().path, "data.csv");
/** Runs the tasks of sixteen threads on this one. */
const executor: Executor = { ...inlineExecutor(), threads: 16 };

async function fileInRanges(rangeBytes: number): Promise<ThreadedFile> {
  const plainFile = await identifyFile(path, path);
  return { executor, plainFile, size: Number(plainFile.facts.size), rangeBytes };
}

/** Reads a file in ranges of so many bytes. */
async function inRanges(options: ReadOptions, rangeBytes: number): Promise<Table> {
  return withFileInput(path, path, options, async (input) => {
    const file = await fileInRanges(rangeBytes);
    return wholeTable(readCsvOnThreads(input, options, Number.POSITIVE_INFINITY, file));
  });
}

/** Reads a file in ranges of so many bytes, and in parts of so many rows. */
async function inParts(options: ReadOptions, rangeBytes: number, rows: number): Promise<unknown> {
  return withFileInput(path, path, options, async (input) => {
    const file = await fileInRanges(rangeBytes);
    return cellsInParts(readCsvOnThreads(input, options, rows, file), rows);
  });
}

/** Lists the cells row by row; the parts must be consecutive and not too long. */
async function cellsInParts(parts: AsyncGenerator<Table>, most: number): Promise<unknown> {
  const rows: unknown[] = [];
  for await (const part of parts) {
    expect(part.firstRow).toBe(rows.length);
    expect(part.rows).toBeLessThanOrEqual(most);
    const cells = Object.entries(cellsOf(part));
    for (let i = 0; i < part.rows; i++) rows.push(cells.map(([name, column]) => [name, column[i]]));
  }
  return rows;
}

/** The result or the error, as plain data. */
async function outcome(reading: Promise<unknown>): Promise<unknown> {
  try {
    const result = await reading;
    return result instanceof Table ? { ...result } : result;
  } catch (error) {
    if (!(error instanceof VouchError)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
}

/** Expects that a file in so many ranges gives what it gives as a whole; tells whether it is a table. */
async function expectSame(text: string | Uint8Array, ranges: number, options: ReadOptions): Promise<boolean> {
  const rangeBytes = Math.ceil(Buffer.byteLength(text) / ranges);
  writeFileSync(path, text);
  // Files in other encodings are not read in ranges.
  const asWhole: ReadOptions = { format: "csv", encoding: "utf-8", ...options };
  const whole = await outcome(readTable(path, asWhole));
  const shown = `ranges of ${rangeBytes} bytes: ${JSON.stringify(text.slice(-500).toString())}`;
  expect(await outcome(inRanges(options, rangeBytes)), shown).toEqual(whole);
  const rows = 1 + (rangeBytes % 7);
  if (Buffer.byteLength(text) < LONGEST_IN_PARTS) {
    const parts = readTableInChunks(path, { ...asWhole, rows });
    expect(await outcome(inParts(options, rangeBytes, rows)), shown).toEqual(
      await outcome(cellsInParts(parts, rows)),
    );
  }
  return "columns" in Object(whole);
}

/** Pieces of CSV that are hard to divide: a range may start after any line feed. */
const piece = fc.constantFrom(
  ...[
    '"',
    '""',
    '"\n"',
    '"a\nb"',
    ',"',
    '",',
    ",",
    "\n",
    "\n\n",
    "\r\n",
    "a",
    "1",
    "-2.5",
    "é",
    "\ufeff",
    "NA",
    "",
  ],
);
/** Records of a number and a text, most of them whole. */
const record = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("1,a\n", '2,"b\nc"\r\n', '"3","d""\n"\n', "NA,\n", '4,e"f\n', "\n"),
  },
  { weight: 1, arbitrary: piece },
);
const rangeCounts = fc.integer({ min: 1, max: 16 });

test("ranges of any size give the table or the error of the whole file", async () => {
  let tables = 0;
  const tries = Math.ceil(TRIES / 3);
  const records = fc.array(record, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(records, rangeCounts, fc.boolean(), async (lines, ranges, mark) => {
      const text = `${mark ? "\ufeff" : ""}x,label\n${lines.join("")}`;
      if (await expectSame(text, ranges, { delimiter: ",", header: true })) tables++;
    }),
    { numRuns: tries },
  );
  expect(tables).toBeGreaterThan(tries / 10);
  expect(tables).toBeLessThan(tries);
});

/** So many rows decide what the columns are: errors in rows behind them are found by the ranges. */
const SURVEYED = "1,a\n".repeat(20_480);

test("errors behind the surveyed rows are those of the whole file", async () => {
  let tables = 0;
  const pieces = fc.array(
    fc.oneof(record, record, record, piece, fc.constantFrom("\0", "\r", "1e400,a\n", "1,2,3\n")),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  const tries = Math.ceil(TRIES / 6);
  await fc.assert(
    fc.asyncProperty(pieces, rangeCounts, fc.nat(), async (lines, ranges, place) => {
      const tail = Buffer.from(lines.join(""));
      // Half of the files have a byte that is not UTF-8.
      if (place % 2 === 0) tail[place % tail.length] = 0xff;
      const text = Buffer.concat([Buffer.from(`x,label\n${SURVEYED}`), tail]);
      if (await expectSame(text, ranges, { delimiter: ",", header: true })) tables++;
    }),
    { numRuns: tries },
  );
  expect(tables).toBeGreaterThan(0);
  expect(tables).toBeLessThan(tries);
});

const samples = (await sampleFiles()).filter(({ format }) => format === "csv" || format === "tsv");

test.each(samples.map((sample, number) => [sample.format, number, sample] as const))(
  "mutants of %s sample %i give the same in ranges",
  async (format, number, { bytes: sample, inserts }) => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + TRIES / 6; seed++) {
      const integers = seededIntegers(seed * samples.length + number);
      const bytes = mutated(sample, inserts, integers);
      // Compressed files are not divided.
      if (bytes[0] === 0x1f) continue;
      const delimiter = format === "tsv" ? { delimiter: "\t" } : {};
      const options = { ...delimiter, ...(integers(2) === 0 && { verbatim: ["a", "b"] }) };
      await expectSame(bytes, 1 + integers(16), options);
    }
  },
);
