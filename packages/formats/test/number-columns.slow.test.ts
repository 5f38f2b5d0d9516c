import { type ReadOptions, readTable, readTableInChunks, readTableShard } from "@vouch/formats";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type Table, threadExecutor } from "vouch";
import { memoryExchange, ShardGroup } from "vouch/extend";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";

const folder = new FixtureFolder();

/** Reads one column, in quotes so that every notation is possible. */
async function column(cells: readonly string[], options: ReadOptions = {}): Promise<Table> {
  const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"\n`);
  return readTable(Buffer.from(`x\n${quoted.join("")}`), { format: "csv", name: "t.csv", ...options });
}

async function valuesOf(cells: readonly string[], options: ReadOptions = {}) {
  return cellsOf(await column(cells, options)).x;
}

const messages = (table: Table) => table.notices.map(({ message }) => message);
const doubts = (table: Table) => table.notices.filter(({ isDoubtful }) => isDoubtful);

describe("numbers as people write them", () => {
  test.each<[string, readonly string[], readonly number[]]>([
    ["a decimal comma", ["0,5", "12", "-3,25", "1,5E+03"], [0.5, 12, -3.25, 1500]],
    ["thousands separated by commas", ["1,234,567", "1,234.5", "12"], [1234567, 1234.5, 12]],
    ["thousands separated by points", ["1.234.567", "1.234,5", "1.234"], [1234567, 1234.5, 1234]],
    ["thousands separated by spaces", ["1 234,5", "1\u00a0234\u00a0567", "7"], [1234.5, 1234567, 7]],
    ["thousands separated by narrow spaces", ["1\u202f234,5", "9,5"], [1234.5, 9.5]],
    ["thousands separated by apostrophes", ["1'234.5", "1’234’567", "3"], [1234.5, 1234567, 3]],
    ["lakhs", ["12,34,567", "1,234.5"], [1234567, 1234.5]],
    ["dollars", ["$800.00", "-$1,234.50", "$ 5", "$-7"], [800, -1234.5, 5, -7]],
    ["euros", ["1.234,50 €", "€ 5", "0,99€"], [1234.5, 5, 0.99]],
    ["currency codes", ["USD 5.5", "7.25 USD", "1,000.00 USD"], [5.5, 7.25, 1000]],
    ["other currencies", ["R$ 1.234,56", "12,5 kr", "3,10 zł", "4,5 Kč"], [1234.56, 12.5, 3.1, 4.5]],
    ["percentages", ["34.6 %", "5%", "-0.5%", "100"], [34.6, 5, -0.5, 100]],
    ["negative amounts in parentheses", ["(1,234.50)", "($3.00)", "12.5"], [-1234.5, -3, 12.5]],
    ["a Unicode minus and an apostrophe", ["−1.5", "'2.5", "3"], [-1.5, 2.5, 3]],
    ["limits among numbers", ["<0.1", "2.5", "3+", "7.25", "9"], [0.1, 2.5, 3, 7.25, 9]],
    ["both decimal marks", ["0,5", "0.5", "1.234,5", "1,234.5"], [0.5, 0.5, 1234.5, 1234.5]],
  ])("%s", async (_, cells, expected) => {
    const table = await column(cells);
    expect(cellsOf(table).x).toEqual(expected);
    expect(messages(table)).toHaveLength(1);
  });

  test("one line says what was read how", async () => {
    const text = "a;b;c;label\n0,5;1,5;$5;x\n0,25;2,5;$7.50;y\n";
    const table = await readTable(Buffer.from(text), { format: "csv", target: "label" });
    expect(messages(table)).toEqual([
      'Columns "a", "b" contain numbers with a decimal comma: "0,5" is read as 0.5.',
      'Column "c" contains amounts of money: "$5" is read as 5.',
    ]);
  });

  test.each<[string, readonly string[]]>([
    ["versions", ["1.2.3", "1.2.4", "1.10.0"]],
    ["dates", ["31.12.2024", "01.01.2025"]],
    ["ISO dates", ["2024-12-31", "2025-01-01"]],
    ["times", ["12:30", "9:15"]],
    ["telephone numbers", ["612 345 678", "698 765 432"]],
    ["telephone numbers with a country", ["+49 170 123", "+49 171 456"]],
    ["addresses of machines", ["192.168.1.1", "10.0.0.1"]],
    ["ranges", ["0-10", "10-20", "20-30"]],
    ["limits only", ["<10", ">10", "<10"]],
    ["hexadecimal numbers and underscores", ["0x1F", "1_000"]],
    ["units", ["5 kg", "7 kg"]],
    ["codes with a letter", [...Array.from({ length: 90 }, (_, i) => String(100 + i)), "V57", "E909"]],
    ["codes with leading zeros", [...Array.from({ length: 90 }, (_, i) => `00${i}`), "other"]],
    ["long identifiers in groups", ["4111 1111 1111 1111", "5500 0000 0000 0004"]],
  ])("%s stay text", async (_, cells) => {
    expect(await valuesOf(cells)).toEqual(cells);
  });

  test("codes of digits only are numbers as before, and the target keeps its spelling", async () => {
    expect(await valuesOf(["007", "8"])).toEqual([7, 8]);
    expect(await valuesOf(["0,5", "1,5"], { target: "x" })).toEqual(["0,5", "1,5"]);
    expect(await valuesOf(["0,5", "1,5"], { categorical: ["x"] })).toEqual(["0,5", "1,5"]);
    expect(await valuesOf(["0,5", "1,5"], { verbatim: ["x"] })).toEqual(["0,5", "1,5"]);
  });

  test("1,234 alone is decided by other columns, by the delimiter or by an option", async () => {
    const read = async (text: string, options: ReadOptions = {}) =>
      readTable(Buffer.from(text), { format: "csv", ...options });
    const german = await read("a;b\n1,234;0,5\n5,678;1,5\n");
    expect(cellsOf(german).a).toEqual([1.234, 5.678]);
    expect(doubts(german)).toEqual([]);
    const english = await read("a;b\n1,234;0.5\n5,678;1.5\n");
    expect(cellsOf(english).a).toEqual([1234, 5678]);
    const thousands = await read("a;b\n1.234;0,5\n12;1,5\n");
    expect(cellsOf(thousands).a).toEqual([1234, 12]);
    const alone = await read("a;b\n1,234;1\n5,678;2\n");
    expect(cellsOf(alone).a).toEqual([1.234, 5.678]);
    expect(doubts(alone)).toMatchObject([{ columns: ["a"] }]);
    expect(messages(alone).at(-1)).toBe(
      'Column "a": "1,234" is read as 1.234, but it could also be 1234. Use --decimal-comma or --no-decimal-comma to settle it.',
    );
    const settled = await read("a;b\n1,234;1\n5,678;2\n", { decimalComma: false });
    expect(cellsOf(settled).a).toEqual([1234, 5678]);
    expect(doubts(settled)).toEqual([]);
    const quoted = await read('a,b\n"1,234",1\n"999",2\n');
    expect(cellsOf(quoted).a).toEqual([1234, 999]);
    expect(doubts(quoted)).toEqual([]);
    expect(cellsOf(await read("a,b\n1.234,1\n5.678,2\n")).a).toEqual([1.234, 5.678]);
  });

  const notations: readonly [string, string, (value: number) => string][] = [
    ["with a decimal comma", ";", (value) => String(value).replace(".", ",")],
    ["in German", ";", (value) => value.toLocaleString("de-DE", { maximumFractionDigits: 20 })],
    ["in French", ";", (value) => value.toLocaleString("fr-FR", { maximumFractionDigits: 20 })],
    ["in English", "\t", (value) => value.toLocaleString("en-US", { maximumFractionDigits: 20 })],
    ["in Indian English", "\t", (value) => value.toLocaleString("en-IN", { maximumFractionDigits: 20 })],
    ["in Swiss German", "\t", (value) => value.toLocaleString("de-CH", { maximumFractionDigits: 20 })],
    ["as dollars", "\t", (value) => value.toLocaleString("en-US", { style: "currency", currency: "USD" })],
    ["as euros", "\t", (value) => value.toLocaleString("de-DE", { style: "currency", currency: "EUR" })],
    ["as zloty", "\t", (value) => value.toLocaleString("pl-PL", { style: "currency", currency: "PLN" })],
    [
      "as amounts of a ledger",
      "\t",
      (value) =>
        value.toLocaleString("en-US", { style: "currency", currency: "USD", currencySign: "accounting" }),
    ],
  ];

  test.each(notations)(
    "a random table that is written %s reads back equal",
    async (_, delimiter, written) => {
      const value = fc.integer({ min: -10_000_000, max: 10_000_000 }).map((cents) => cents / 100 + 0);
      // A value with decimals in each column proves the notation.
      const cells = fc.array(value, { minLength: 3, maxLength: 20 }).map((values) => [0.25, ...values]);
      await fc.assert(
        fc.asyncProperty(cells, async (values) => {
          const lines = values.map((each, i) => `${written(each)}${delimiter}${i % 2}\n`);
          const text = `x${delimiter}label\n${lines.join("")}`;
          const table = await readTable(Buffer.from(text), { format: "csv", delimiter, target: "label" });
          expect(cellsOf(table).x).toEqual(values);
        }),
        { numRuns: 60, seed: 1 },
      );
    },
  );
});

describe("words among numbers", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i / 8 + 0.5));

  test("are missing if at least nine in ten values are numbers, with their counts", async () => {
    const cells = [...numbers(90), "oops", "oops", "-", "unknown", "#N/A", "", " ", "None"];
    const table = await column(cells);
    expect(cellsOf(table).x).toEqual([...numbers(90).map(Number), ...Array.from({ length: 8 }, () => null)]);
    expect(messages(table)).toEqual([
      'Column "x": 5 values read as missing: "oops" 2, "-" 1, "unknown" 1, "None" 1.',
    ]);
  });

  test("of many columns fold into one line", async () => {
    const header = "a,b,c,d,e";
    const rows = Array.from({ length: 40 }, (_, i) => (i === 7 ? "-,-,none,-,-" : "1.5,2.5,3.5,4.5,5.5"));
    const table = await readTable(Buffer.from(`${header}\n${rows.join("\n")}\n`), { format: "csv" });
    expect(messages(table)).toEqual([
      '5 columns: 5 values read as missing: "-" 4, "none" 1. By column: "a" 1, "b" 1, "c" 1, "d" 1, "e" 1.',
    ]);
  });

  test("that are not rare make a column of categories, which is doubtful if it measures something", async () => {
    const cells = [...numbers(60), ...Array.from({ length: 40 }, (_, i) => (i % 2 ? "low" : "high"))];
    const table = await column(cells);
    expect(cellsOf(table).x).toEqual(cells);
    expect(doubts(table)).toEqual([
      {
        message:
          'Column "x" is read as categories, although 60% of its values are numbers: others are "high", "low". Use --numeric x to read them as missing, or --categorical x to keep them.',
        columns: ["x"],
        isDoubtful: true,
      },
    ]);
    expect(doubts(await column(cells, { categorical: ["x"] }))).toEqual([]);
    const declared = await column(cells, { numeric: ["x"] });
    expect(doubts(declared)).toEqual([]);
    expect(messages(declared)).toEqual(['Column "x": 40 values read as missing: "high" 20, "low" 20.']);
    // A few codes and a word are categories.
    expect(doubts(await column(["2", "4", "more", "2", "4", "more", "2", "4"]))).toEqual([]);
    expect(doubts(await column(["A/5 21171", "113803", "PC 17599", "373450", "330877"]))).toEqual([]);
  });

  test("are an error only if a column that is declared numeric has hardly any number", async () => {
    await expect(
      column(["high", "low", "1", ...Array(20).fill("high")], { numeric: ["x"] }),
    ).rejects.toMatchObject({
      code: "data/not-a-number",
      message:
        't.csv, row 1 (line 2), column "x": "high" is not a number, nor are 21 more values of this column.',
    });
  });

  test("--missing names further words, also in columns of categories and as numbers", async () => {
    const text = "a,b,label\n1,red,x\n-999,n.b.,y\n3,n.b.,x\n4,blue,n.b.\n";
    const table = await readTable(Buffer.from(text), { format: "csv", missing: ["n.b.", "-999"] });
    expect(cellsOf(table)).toEqual({
      a: [1, null, 3, 4],
      b: ["red", null, null, "blue"],
      label: ["x", "y", "x", null],
    });
  });
});

describe("a large file with words and notations", () => {
  const executor = threadExecutor({ threads: 4 });
  afterAll(() => executor.close());
  const ROWS = 60_000;
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const early = i % 50 === 7 ? "unknown" : `${i % 1000},5`;
    const late =
      i > 30_000 && i % 100 === 3 ? ["oops", `word ${i}`, "-"][i % 3] : String(i / 4).replace(".", ",");
    return `${early};${late};"1.234,${i % 10} €";${"x".repeat(60)}${i % 3};${i % 2}\r\n`;
  });
  const path = folder.file("large.csv", `\ufeffearly;late;money;text;label\r\n${lines.join("")}`);

  test("gives the same table and notices on one thread, on four, in chunks and in shards", async () => {
    const alone = await readTable(path);
    expect(alone.rows).toBe(ROWS);
    const { early, late, money } = cellsOf(alone);
    expect(early.slice(0, 8)).toEqual([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, null]);
    expect(late[30_000]).toBe(7500);
    expect(late[30_003]).toBe(null);
    expect(money[7]).toBe(1234.7);
    expect(messages(alone)).toEqual([
      'Columns "early", "late" contain numbers with a decimal comma: "0,5" is read as 0.5.',
      'Column "money" contains amounts of money with a decimal comma and thousands separators: "1.234,0 €" is read as 1234.',
      'Column "early": 1,200 values read as missing: "unknown".',
      'Column "late": 300 values read as missing: the first "oops" in row 30,004.',
    ]);
    const together = await readTable(path, { executor });
    expect(messages(together)).toEqual(messages(alone));
    expect(cellsOf(together)).toEqual(cellsOf(alone));
    let at = 0;
    const found: string[] = [];
    for await (const part of readTableInChunks(path, { rows: 10_000 })) {
      expect(cellsOf(part).late).toEqual(late.slice(at, at + part.rows));
      found.push(...messages(part));
      at += part.rows;
    }
    expect(at).toBe(ROWS);
    expect(found).toEqual(messages(alone));
    const exchange = memoryExchange();
    const shards = await Promise.all(
      [0, 1, 2].map((shard) => readTableShard(path, new ShardGroup(exchange, shard, 3))),
    );
    expect(shards.flatMap((shard) => cellsOf(shard).late)).toEqual(late);
    for (const shard of shards) expect(messages(shard)).toEqual(messages(alone));
  });
});

describe("a file for a model", () => {
  test("reads the columns that are numbers in the model, as far as they are", async () => {
    const text = "a;b\n1,5;high\n-;7\nhigh;low\n";
    const table = await readTable(Buffer.from(text), { format: "csv", expectNumbers: ["a", "b", "absent"] });
    expect(cellsOf(table)).toEqual({ a: [1.5, null, null], b: [null, 7, null] });
    const words = await readTable(Buffer.from("a\nhigh\nlow\n"), { format: "csv", expectNumbers: ["a"] });
    expect(cellsOf(words)).toEqual({ a: ["high", "low"] });
  });
});
