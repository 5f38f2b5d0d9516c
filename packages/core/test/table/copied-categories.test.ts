import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { naturalRepeats } from "#core/table/duplicate-test.js";
import { Table } from "#core/table/table.js";

/** Rows of categories only; skewed ones repeat often. */
function categories(rows: number, columns: number, seed: number): Table {
  const random = new Random(seed);
  const cells = Array.from({ length: columns }, (_, j) => [
    `c${j}`,
    Array.from({ length: rows }, () => "abcdefgh"[Math.floor(8 * random.uniform() ** 2)]),
  ]);
  return Table.fromColumns("answers", Object.fromEntries(cells));
}

function schemaOf({ columns }: Table) {
  const known = columns.flatMap((column) =>
    column.kind === "categorical" ? [{ kind: column.kind, name: column.name, levels: column.levels }] : [],
  );
  return { columns: known, target: "y", classes: ["a", "b"] };
}

describe("repeats of rows without a number", () => {
  it.each([2, 3, 4, 5, 6])("are natural if %d columns are independent draws", (columns) => {
    for (let seed = 1; seed <= 40; seed++) {
      const table = categories(800, columns, seed);
      expect(runNow(naturalRepeats([table], schemaOf(table))).natural).toBe(true);
    }
  });

  it.each([
    ["all rows twice", (i: number) => i % 400, 800],
    ["all rows five times", (i: number) => i % 160, 800],
    ["all rows ten times", (i: number) => i % 80, 800],
    ["all rows a hundred times", (i: number) => i % 20, 2000],
    ["half of the rows twice", (i: number) => (i < 400 ? i : i - 400), 600],
  ] as const)("are copies: %s", (_, row, rows) => {
    for (let seed = 1; seed <= 20; seed++) {
      const table = categories(400, 12, seed).select(Int32Array.from({ length: rows }, (_, i) => row(i)));
      expect(runNow(naturalRepeats([table], schemaOf(table))).natural).toBe(false);
    }
  });
});
