import { execFileSync } from "node:child_process";
import { readTable } from "@vouch/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SparseValues, type Table } from "vouch";
import { Random } from "vouch/extend";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";

const folder = new FixtureFolder();

async function libsvm(text: string): Promise<Table> {
  return readTable(Buffer.from(text), { format: "libsvm", name: "t" });
}

/** Draws a number as a file may spell it. */
const spelled = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("+1", "1e2", "-0", "0", ".5", "5.", "nan", "1E-3", "123456789012345678"),
);

const row = fc.record({
  label: fc.constantFrom("+1", "-1", "0", "spam", "ä", "1.50"),
  cells: fc.dictionary(
    fc.integer({ min: 1, max: 12 }).map(String),
    fc.tuple(spelled, fc.constantFrom(" ", "\t", "  ")),
    { maxKeys: 5 },
  ),
  end: fc.constantFrom("\n", "\r\n", " \n", " # remark\n", "\n# 1:2\n\n"),
});

describe("sparse files", () => {
  test("LIBSVM: cells are those of the text, however it is spelled", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
        const width = Math.max(0, ...rows.flatMap(({ cells }) => Object.keys(cells).map(Number)));
        const text = rows.map(({ label, cells, end }) => {
          const pairs = Object.entries(cells).map(([index, [value, blank]]) => `${blank}${index}:${value}`);
          return `${label}${pairs.join("")}${end}`;
        });
        const expected = Array.from({ length: width }, (_, j) => [
          `f${j + 1}`,
          rows.map(({ cells }) => {
            const cell = cells[String(j + 1)]?.[0];
            return cell === "nan" ? null : Number(cell ?? 0);
          }),
        ]);
        const table = await libsvm(text.join(""));
        expect(cellsOf(table)).toEqual({
          ...Object.fromEntries(expected),
          label: rows.map(({ label }) => label),
        });
      }),
    );
  });

  test("columns are sparse if few of their cells are not 0", async () => {
    const lines = Array.from({ length: 100 }, (_, i) => `1 1:${i + 1} ${2 + (i % 20)}:1\n`);
    const { columns } = await libsvm(lines.join(""));
    const sparse = columns.map(
      (column) => column.kind === "numeric" && column.values instanceof SparseValues,
    );
    expect(sparse).toEqual([false, ...new Array(20).fill(true), false]);
  });

  test("ARFF: rows may be sparse or not", async () => {
    const cell = fc.oneof(
      { arbitrary: fc.constant("0"), weight: 3 },
      { arbitrary: fc.constantFrom("1", "-2.5", "?", "3e5"), weight: 1 },
    );
    const cells = fc.tuple(cell, fc.constantFrom("x", "y", "?"), cell, fc.constantFrom("7", "8"));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cells, fc.boolean()), { minLength: 1 }), async (rows) => {
        const header =
          "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c real\n@attribute d {7,8}\n@data\n";
        const defaults = ["0", "x", "0", "7"];
        const sparse = (values: readonly string[]) =>
          `{${values.flatMap((value, j) => (value === defaults[j] ? [] : `${j} ${value}`)).join(",")}}`;
        const read = (lines: readonly string[]) =>
          readTable(Buffer.from(`${header}${lines.join("\n")}\n`), { format: "arff", numeric: ["d"] });
        const dense = await read(rows.map(([values]) => values.join(",")));
        const mixed = await read(
          rows.map(([values, isSparse]) => (isSparse ? sparse(values) : values.join(","))),
        );
        expect(cellsOf(mixed)).toEqual(cellsOf(dense));
      }),
      { numRuns: 50 },
    );
  });
});

/** Runs a program that reads a file; returns the megabytes that the process took at most. */
function megabytes(program: string, path: string): number {
  const script = `
    import { readTable } from "@vouch/formats";
    import { createLearner, trainClassifier } from "vouch";
    const table = await readTable(process.argv[1]);
    ${program}
    console.log(process.resourceUsage().maxRSS / 1024);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script, path], {
    encoding: "utf8",
  });
  return Number(output.trim().split("\n").at(-1));
}

describe("memory", () => {
  test("a few bytes that name a large column", () => {
    const lines = Array.from({ length: 1200 }, (_, i) => `${i % 2} 3:1 ${100_000 - i}:1\n`);
    expect(megabytes("", folder.file("wide.libsvm", lines.join("")))).toBeLessThan(500);
  });

  test("sparse ARFF rows of many attributes", () => {
    const attributes = Array.from({ length: 20_000 }, (_, j) => `@attribute a${j} numeric\n`);
    const rows = Array.from({ length: 20_000 }, (_, i) => `{${i % 19_000} 1, 19999 ${i % 2}}\n`);
    const text = `@relation r\n${attributes.join("")}@data\n${rows.join("")}`;
    expect(megabytes("", folder.file("wide.arff", text))).toBeLessThan(500);
  });

  test("a linear learner on a sparse file: 5,000 × 16,000 cells would be 640 MB", () => {
    const random = new Random(1);
    const lines = Array.from({ length: 5000 }, (_, i) => {
      const cells = Array.from({ length: 16 }, (_, k) => `${1000 * k + 1 + random.integer(1000)}:1`);
      return `${i % 2} ${cells.join(" ")}\n`;
    });
    const program = `
      const learner = await createLearner("linear-svm", { maxPasses: 2 });
      await trainClassifier(table, learner, { target: "label", calibrate: false });`;
    expect(megabytes(program, folder.file("long.libsvm", lines.join("")))).toBeLessThan(450);
  });

  test("a kernel machine on a sparse file: 4,000 × 40,000 cells would be 1.3 GB", () => {
    const random = new Random(2);
    const lines = Array.from({ length: 4000 }, (_, i) => {
      const cells = Array.from({ length: 16 }, (_, k) => `${2500 * k + 1 + random.integer(2500)}:1`);
      return `${i % 2} ${cells.join(" ")}\n`;
    });
    const program = `
      const learner = await createLearner("svm", { cacheMegabytes: 20, maxIterations: 500 });
      const { classifier } = await trainClassifier(table, learner, { target: "label", calibrate: false });
      await classifier.evaluate(table);`;
    expect(megabytes(program, folder.file("wide-rows.libsvm", lines.join("")))).toBeLessThan(450);
  });
});
