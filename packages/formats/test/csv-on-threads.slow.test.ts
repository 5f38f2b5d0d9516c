import { denseValues } from "@vouch/core/internal/table/column";
import { type ReadOptions, readTable, readTableInChunks } from "@vouch/formats";
import { afterAll, describe, expect, test } from "vitest";
import { type Column, limitMemory, type Table, threadExecutor, VouchError } from "vouch";
import { FixtureFolder } from "./fixture-folder.js";

const folder = new FixtureFolder();
const executor = threadExecutor({ threads: 16 });
afterAll(() => executor.close());

const ROWS = 60_000;
const TEXTS = ["a", 'say ""hi""', "two\nlines", "é,è", "", "NA", "\ufeff"];

/** A file of some megabytes; rows are numbers, texts in quotes, and one very long line. */
function lines(): string[] {
  const long = "é\n".repeat(300_000);
  return Array.from({ length: ROWS }, (_, i) => {
    const numbers = Array.from({ length: 10 }, (_, j) => ((i * 7919 + j * 104729) % 10007) / 16 - 100);
    const text = i === 50_000 ? long : TEXTS[Math.floor((i * TEXTS.length) / ROWS + (i % 2)) % TEXTS.length];
    return `${numbers.join(",")},${i % 9 === 0 ? "" : i},"${text}","level ${ROWS - i}",${i % 3 === 0 ? "yes" : "no"}\r\n`;
  });
}

const HEADER = `${Array.from({ length: 10 }, (_, j) => `x${j}`).join(",")},id,text,level,label\n`;
const GOOD = lines();
const good = folder.file("good.csv", `\ufeff${HEADER}${GOOD.join("")}`);

function withoutCells(column: Column): unknown {
  return column.kind === "numeric" ? { ...column, values: [] } : { ...column, codes: [] };
}

function bytesOf(column: Column): Uint8Array {
  const cells = column.kind === "numeric" ? denseValues(column.values) : column.codes;
  return new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength);
}

async function errorOf(reading: Promise<Table>): Promise<unknown> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof VouchError)) throw new Error(`no VouchError, but ${error}`);
  const { code, message, hint } = error;
  return { code, message, hint };
}

describe("a large CSV file", () => {
  test.each<[string, ReadOptions]>([
    ["as it is", {}],
    [
      "with a target, spelled columns and ignored ones",
      { target: "x3", verbatim: ["id", "x5"], ignore: ["x1"] },
    ],
    ["with declared kinds", { categorical: ["x2"], text: ["text"], numeric: ["id"] }],
  ])("is the same table on sixteen threads %s", async (_, options) => {
    const alone = await readTable(good, options);
    const together = await readTable(good, { ...options, executor });
    expect(executor.running).toBe(16);
    expect(together.rows).toBe(ROWS);
    expect(together.columns.map(withoutCells)).toEqual(alone.columns.map(withoutCells));
    together.columns.forEach((column, j) => {
      const cells = bytesOf(column);
      expect(cells.buffer).toBeInstanceOf(SharedArrayBuffer);
      expect(Buffer.compare(cells, bytesOf(alone.columns[j])), column.name).toBe(0);
    });
  });

  test.each([
    ["an infinite number", 55_000, "inf,2,3,4,5,6,7,8,9,10,1,a,b,yes\n"],
    ["a short record", 30_001, "1,2\n"],
    ["a quote that is never closed", 40_000, '1,2,3,4,5,6,7,8,9,10,1,a,b,"yes\n'],
    ["text after a quote", 59_999, '1,2,3,4,5,6,7,8,9,10,1,"a"b,c,yes\n'],
    ["a NUL byte", 59_000, "1,2,3,4,5,6,7,8,9,10,1,\0,c,yes\n"],
  ])("has the same error on threads: %s", async (name, row, line) => {
    const path = folder.file(`${name}.csv`, HEADER + GOOD.with(row, line).join(""));
    const together = await errorOf(readTable(path, { executor }));
    expect(together).toEqual(await errorOf(readTable(path)));
    expect(together).toMatchObject({ message: expect.stringMatching(/row [\d,]+|line \d+/) });
  });

  test("that does not fit the memory limit is refused", async () => {
    const file = folder.file("wide.csv", wideText());
    // Less than the table itself needs, however much memory is freed meanwhile.
    limitMemory(2 ** 24);
    try {
      expect(await errorOf(readTable(file, { executor }))).toMatchObject({
        code: "memory/limit",
        message: expect.stringMatching(/^A table of 300000 rows and 10 columns needs 23 MB/),
      });
    } finally {
      limitMemory(undefined);
    }
  });

  test("reports bytes up to its size, and can be interrupted", async () => {
    const reports: number[] = [];
    let size = 0;
    await readTable(good, {
      executor,
      onProgress: ({ done, total = 0 }) => {
        reports.push(done);
        size = total;
      },
    });
    expect(reports.at(-1)).toBe(size);
    const controller = new AbortController();
    const reading = readTable(good, {
      executor,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(await errorOf(reading)).toMatchObject({ code: "run/interrupted" });
  });

  test("gives the same cells in parts", async () => {
    const texts = ["a", "b", "c\n", "é"].map((text) => `"${text.repeat(300)}"`);
    const rows = Array.from({ length: 90_000 }, (_, i) => `${i},${texts[Math.floor(i / 1000) % 4]}\n`);
    const path = folder.file("long.csv", `number,text\n${rows.join("")}`);
    let next = 0;
    for await (const part of readTableInChunks(path, { rows: 20_000, executor })) {
      expect(part.firstRow).toBe(next);
      next += part.rows;
      const [numbers, cells] = part.columns;
      if (numbers.kind !== "numeric" || cells.kind !== "categorical") throw new Error("wrong kinds");
      const expected = Array.from({ length: part.rows }, (_, i) => part.firstRow + i);
      expect(
        Buffer.compare(bytesOf(numbers), bytesOf({ ...numbers, values: Float64Array.from(expected) })),
      ).toBe(0);
      for (const i of [0, part.rows - 1]) {
        expect(JSON.stringify(cells.levels[cells.codes[i]])).toBe(
          JSON.stringify(textAt(texts, part.firstRow + i)),
        );
      }
    }
    expect(next).toBe(90_000);
  });

  test("is read on one thread if it is small", async () => {
    const threads = threadExecutor({ threads: 2 });
    await readTable(folder.file("small.csv", HEADER + GOOD.slice(0, 2000).join("")), { executor: threads });
    expect(threads.running).toBe(0);
  });
});

function textAt(texts: readonly string[], row: number): string {
  return texts[Math.floor(row / 1000) % texts.length].slice(1, -1);
}

function wideText(): string {
  return `${Array.from({ length: 10 }, (_, j) => `x${j}`).join(",")}\n${`${Array(10).fill("1").join(",")}\n`.repeat(300_000)}`;
}
