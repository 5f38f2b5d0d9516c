import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { csvLine, MISSING_MARKERS, readTable, writeCsv } from "@vouch/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cellsOf } from "../cells-of.js";

describe("csvLine", () => {
  test("quotes where a reader needs it, and only there", () => {
    expect(csvLine(["a", 1.5, true, null, undefined])).toBe("a,1.5,true,,\n");
    expect(csvLine(["a,b", 'say "hi"', "two\nlines", "c\rd", ";"])).toBe(
      '"a,b","say ""hi""","two\nlines","c\rd",";"\n',
    );
    expect(csvLine([""])).toBe('""\n');
  });

  test("what is written reads back as the same cells", async () => {
    // NUL is refused by the reader; a missing marker reads back as a missing cell.
    const cell = fc.oneof(
      fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
      fc.constantFrom("?", "NA", "", '"', '""', "\r\n", "\ufeff", "a,b", " x "),
    );
    const tables = fc
      .integer({ min: 1, max: 4 })
      .chain((width) => fc.array(fc.tuple(...Array.from({ length: width }, () => cell)), { minLength: 1 }));
    await fc.assert(
      fc.asyncProperty(tables, async (rows) => {
        const names = rows[0].map((_, j) => `name ${j}, "quoted"`);
        const stream = new PassThrough({ highWaterMark: 16 });
        const [bytes] = await Promise.all([
          buffer(stream),
          writeCsv(stream, names, rows).then(() => stream.end()),
        ]);
        const table = await readTable(bytes, { format: "csv", categorical: names });
        const expected = names.map((name, j) => [
          name,
          rows.map((row) => (MISSING_MARKERS.has(row[j]) ? null : row[j])),
        ]);
        expect(cellsOf(table)).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 300, seed: 4 },
    );
  });
});
