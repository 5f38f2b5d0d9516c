import { MISSING_MARKERS } from "@vouch/core/internal/table/missing-markers";
import { csvLine, readTable } from "@vouch/formats";
import fc from "fast-check";
import { expect, test } from "vitest";

/** Reads the texts as one categorical CSV column. */
async function read(texts: readonly string[]) {
  const csv = csvLine(["x"]) + texts.map((text) => csvLine([text])).join("");
  const table = await readTable(Buffer.from(csv), { format: "csv", categorical: ["x"] });
  const [column] = table.columns;
  return column.kind === "categorical" ? column : expect.fail("the column should be categorical");
}

test("categories are coded in order of first appearance", async () => {
  const word = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }).filter((text) => !text.includes("\0")),
    fc.constantFrom(...MISSING_MARKERS),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 300 }), async (words) => {
      const codeOf = new Map<string, number>();
      const codes = words.map((text) => {
        if (MISSING_MARKERS.has(text)) return -1;
        codeOf.set(text, codeOf.get(text) ?? codeOf.size);
        return codeOf.get(text);
      });
      const column = await read(words);
      expect(column.levels).toEqual([...codeOf.keys()]);
      expect(Array.from(column.codes)).toEqual(codes);
    }),
    { seed: 3 },
  );
});

test("many categories stay distinct", async () => {
  const levels = Array.from({ length: 50_000 }, (_, i) => `level ${i}`);
  const column = await read([...levels, ...levels]);
  expect(column.levels).toEqual(levels);
  expect(column.codes.every((code, row) => code === row % levels.length)).toBe(true);
});
