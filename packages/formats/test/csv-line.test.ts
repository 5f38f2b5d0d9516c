import { MISSING_MARKERS } from "@vouch/core/internal/table/missing-markers";
import { csvLine, readTable } from "@vouch/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cellsOf } from "./cells-of.js";

describe("csvLine", () => {
  test("quotes only what a reader would misread", () => {
    expect(csvLine(["a", 1.5, true, null, undefined])).toBe("a,1.5,true,,\n");
    expect(csvLine(["a,b", 'say "hi"', "two\nlines", "c\rd", ";"])).toBe(
      '"a,b","say ""hi""","two\nlines","c\rd",";"\n',
    );
    expect(csvLine([""])).toBe('""\n');
  });

  test("a safe record has no text that a spreadsheet would run; numbers stay numbers", () => {
    const safe = (cell: string | number) => csvLine([cell, "x"], { safe: true }).slice(0, -3);
    for (const formula of [
      "=1+1",
      "+cmd",
      "-2+3",
      "@SUM(A1)",
      "＝1",
      "＋1",
      "－1",
      "＠x",
      "-",
      "+-1",
      "=1",
    ]) {
      expect(safe(formula)).toBe(`'${formula}`);
    }
    expect(safe("\t=1")).toBe(`"'\t=1"`);
    expect(safe("\r=1")).toBe(`"'\r=1"`);
    expect(safe('=HYPERLINK("http://x","y")')).toBe(`"'=HYPERLINK(""http://x"",""y"")"`);
    for (const plain of ["-1", "+1", "-.5", "-1.5e-7", "a=b", "'=1", "", "x-y"])
      expect(safe(plain)).toBe(plain);
    expect(safe(-1.5)).toBe("-1.5");
    expect(csvLine(["=1+1", "x"])).toBe("=1+1,x\n");
  });

  test("written records read back as the same cells", async () => {
    // The reader refuses NUL, and reads a missing marker as a missing cell.
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
        const csv = [names, ...rows].map((cells) => csvLine(cells)).join("");
        const table = await readTable(Buffer.from(csv), { format: "csv", categorical: names });
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
