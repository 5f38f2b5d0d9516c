import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { csvLine, type ReadOptions, readTable, readTableInChunks, type TableSource } from "@vouch/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VouchError } from "vouch";
import { readTable as readData } from "#formats/read-table.browser.js";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";
import { rowsXml, workbook, workbookParts, zipped } from "./handmade-xlsx.js";

const folder = new FixtureFolder();
const real = (name: string) => readFileSync(join(import.meta.dirname, "xlsx", name));

async function read(source: TableSource, options: ReadOptions = {}) {
  const table = await readTable(source, { name: "FILE", ...options });
  return { cells: cellsOf(table), notices: table.notices.map(({ message }) => message) };
}

const GERMAN = {
  Name: ["Müller", "Weiß", "François", 'Oë "K"', "€uro; Komma, Tab"],
  Datum: ["2024-03-31", "2023-12-01", null, "1999-01-02", "2024-02-29"],
  Umsatz: [1234.5, 0.5, -17, 88.25, 3],
  Anteil: [0.125, 0.34, 1, 0, 0.07],
  Kauf: ["ja", "nein", "ja", "nein", "ja"],
};
const LEFT_OUT = [
  '2 title lines above the header skipped ("Bericht 2024"); --skip 0 reads them.',
  '1 total line below the rows skipped ("Summe"); --keep-totals reads it.',
];

describe("a German report", () => {
  test.each(["german.xlsx", "german-calc.xlsx"])("%s", async (name) => {
    const expected = {
      cells: GERMAN,
      notices: [
        ...LEFT_OUT,
        'FILE: read sheet "Kunden & Käufe", not "Hinweise", "Leer". Choose another sheet with --sheet.',
      ],
    };
    expect(await read(real(name))).toEqual(expected);
    expect(await read(folder.file("named.csv", real(name)))).toEqual(expected);
    expect(await read(gzipSync(real(name)))).toEqual(expected);
    expect(await read(Readable.from([real(name)]))).toEqual(expected);
    const web = await readData(new File([real(name)], name), { name: "FILE" });
    expect({ cells: cellsOf(web), notices: web.notices.map(({ message }) => message) }).toEqual(expected);
  });

  test("has the cells of its export as CSV in Windows-1252", async () => {
    const lines = [
      "Bericht 2024;;;;",
      "Stand: März;;;;",
      ";;;;",
      "Name;Datum;Umsatz;Anteil;Kauf",
      "Müller;31.03.2024;1234,5;0,125;ja",
      "Weiß;01.12.2023;0,5;0,34;nein",
      "François;;-17;1;ja",
      '"Oë ""K""";02.01.1999;88,25;0;nein',
      '"\x80uro; Komma, Tab";29.02.2024;3;0,07;ja',
      ";;;;",
      "Summe;;1309,25;;",
    ];
    const { cells, notices } = await read(Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1"));
    const iso = (day: unknown) => (typeof day === "string" ? day.split(".").toReversed().join("-") : day);
    expect({ ...cells, Datum: cells.Datum.map(iso) }).toEqual(GERMAN);
    expect(notices).toEqual([
      'Columns "Umsatz", "Anteil" contain numbers with a decimal comma: "1234,5" is read as 1234.5.',
      ...LEFT_OUT,
      expect.stringContaining("read as Windows-1252"),
    ]);
  });

  test("sheets can be chosen", async () => {
    const chosen = { cells: GERMAN, notices: LEFT_OUT };
    expect(await read(real("german.xlsx"), { sheet: "kunden & käufe" })).toEqual(chosen);
    expect(await read(real("german.xlsx"), { sheet: "2" })).toEqual(chosen);
    await expect(read(real("german.xlsx"), { sheet: "Kunden" })).rejects.toMatchObject({
      code: "option/invalid",
      message: 'FILE has no sheet "Kunden".',
      hint: 'Its sheets are "Hinweise", "Kunden & Käufe", "Leer".',
    });
    await expect(read(real("german.xlsx"), { sheet: "Leer" })).rejects.toMatchObject({ code: "data/empty" });
  });

  test("lines are the rows of the sheet", async () => {
    const { cells, notices } = await read(real("german.xlsx"), { sheet: "2", headerRow: 5 });
    expect([cells, notices]).toEqual([GERMAN, LEFT_OUT.slice(1)]);
    expect(await read(real("german.xlsx"), { sheet: "2", skip: 4 })).toEqual({ cells, notices });
    await expect(read(real("german.xlsx"), { sheet: "2", headerRow: 4 })).rejects.toMatchObject({
      message: "FILE has no column names on line 4.",
    });
    await expect(read(real("german.xlsx"), { sheet: "2", numeric: ["Kauf"] })).rejects.toMatchObject({
      message: expect.stringContaining('FILE, row 1 (line 6), column "Kauf"'),
    });
  });
});

describe("cells", () => {
  test("of all types, as openpyxl writes them", async () => {
    const { cells, notices } = await read(real("types.xlsx"));
    expect(cells).toEqual({
      group: ["north", "north", "south", "south"],
      when: ["2024-03-31 12:30:00", "2024-04-01 00:00:00", "1970-01-01 00:00:01", null],
      at: [0.25, 0.75, null, null],
      share: [0.5, 0.25, 1e-7, 123456789012],
      flag: ["TRUE", "FALSE", "TRUE", null],
      broken: [null, null, 3, 4],
      text: ["line\nbreak", "007", 'a < b & "c"', " space "],
      formula: [null, null, null, null],
    });
    expect(notices).toEqual([
      "The sheet has merged cells: each row of a merged cell gets its value.",
      expect.stringContaining("4 formulas have no result in the file"),
    ]);
  });

  test("as other programs write them", async () => {
    const sheet =
      '<x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="inlineStr"><x:is><x:t>b&#x41;</x:t></x:is></x:c><x:c t="str"><x:f>"c"</x:f><x:v><![CDATA[c<]]></x:v></x:c></x:row>' +
      '<row r="3" spans="1:9"><c r="A3" s="1"><v>45382</v></c><c r="C3" t="e"><v>#N/A</v></c></row>' +
      '<row r="4"><c s="3" r="A4"><v>59</v></c><c r="B4" t="s"><v>1</v></c><c r="C4" s="6"><v>0.1234</v></c><c r="D4" s="1"/></row>' +
      '<row r="9"><c r="A9" s="2"><v>45382.520833333336</v></c><c r="B9" t="b"><v>1</v></c><c r="C9" s="4"><v>1.1000000000000001</v></c></row>' +
      '<row r="10"><c r="A10" t="d"><v>2024-03-31T00:00:00</v></c><c r="B10" t=\'str\'><v>x&gt;y</v></c><c r="C10" s="5"><v>1.5</v></c></row>';
    expect((await read(workbook({ a: sheet }))).cells).toEqual({
      plain: ["2024-03-31", "1900-02-28", "2024-03-31 12:30:00", "2024-03-31"],
      bA: [null, "rich ", "TRUE", "x>y"],
      "c<": [null, 0.1234, 1.1, 1.5],
    });
  });

  test.each([undefined, true, false])("numbers have no notation: decimalComma %s", async (decimalComma) => {
    const sheet = rowsXml([
      ["weight", "price", "size"],
      [1.234, "0,5", 1.5e-7],
      [2.345, "1.234,5", "1,5"],
      [3.456, "12,25", 1e21],
    ]);
    const { cells } = await read(workbook({ a: sheet }), decimalComma === undefined ? {} : { decimalComma });
    expect(cells).toEqual({
      weight: [1.234, 2.345, 3.456],
      price: [0.5, 1234.5, 12.25],
      size: [1.5e-7, 1.5, 1e21],
    });
  });

  test("texts that are numbers follow the notation of texts", async () => {
    const sheet = rowsXml([
      ["amount", "price", "weight"],
      ["1.234", "0,5", 1.234],
      ["5.678", "7,5", 5.678],
    ]);
    const { cells } = await read(workbook({ a: sheet }));
    expect(cells).toEqual({ amount: [1234, 5678], price: [0.5, 7.5], weight: [1.234, 5.678] });
  });

  test("in the first visible sheet with a table", async () => {
    const table = rowsXml([
      ["a", "b"],
      [1, "x"],
      [2, "y"],
    ]);
    const notes = rowsXml([["Notes"], ["Lines of"], ["text"]]);
    const parts = workbookParts({ old: table.replace("<v>1</v>", "<v>7</v>"), notes, data: table });
    const hidden = parts["xl/workbook.xml"].replace('name="old"', 'name="old" state="hidden"');
    const { cells } = await read(zipped({ ...parts, "xl/workbook.xml": hidden }, true));
    expect(cells).toEqual({ a: [1, 2], b: ["x", "y"] });
    await expect(read(workbook({ notes, more: notes }))).rejects.toMatchObject({
      code: "data/empty",
      message: "FILE has no sheet with a table.",
      hint: expect.stringContaining('"notes", "more"'),
    });
  });

  test("of random tables are those of CSV, whole, in parts and in a browser", async () => {
    const text = fc.constantFrom(
      "a",
      "é",
      "b c",
      "x,y",
      'say "hi"',
      "tab\tbed",
      "two\nlines",
      "1,5",
      "007",
      "NA",
      "=1",
      "&amp;",
      " ",
    );
    const value = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 30 }).chain((width) =>
          fc.array(fc.array(fc.option(value, { nil: undefined }), { minLength: width, maxLength: width }), {
            minLength: 1,
            maxLength: 9,
          }),
        ),
        async (values) => {
          const rows = [
            values[0].map((_, j) => `name ${j}`),
            // A row without any cell is blank in a sheet, and a missing row in CSV.
            ...values.map((row, i) => [`id ${i}`, ...row.slice(1).map((cell) => (cell === 0 ? 0 : cell))]),
          ];
          const csv = await read(Buffer.from(rows.map((row) => csvLine(row)).join("")), { format: "csv" });
          const xlsx = workbook({ data: rowsXml(rows) });
          expect(await read(xlsx)).toEqual(csv);
          expect(cellsOf(await readData(xlsx))).toEqual(csv.cells);
          let read2 = 0;
          for await (const part of readTableInChunks(xlsx, { rows: 2 })) read2 += part.rows;
          expect(read2).toBe(values.length);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });
});

describe("refuses", () => {
  test.each([
    [
      "a Word document",
      zipped({ "[Content_Types].xml": "<Types/>", "word/document.xml": "" }),
      "not an Excel workbook",
    ],
    [
      "a binary workbook",
      zipped({ "[Content_Types].xml": "<Types/>", "xl/workbook.bin": "" }),
      "a binary Excel workbook (.xlsb)",
    ],
    [
      "an OpenDocument spreadsheet",
      zipped({ mimetype: "application/vnd.oasis.opendocument.spreadsheet" }, true),
      "an OpenDocument spreadsheet",
    ],
    [
      "an old or encrypted workbook",
      Buffer.from("d0cf11e0a1b11ae1", "hex"),
      "an Excel workbook with a password, or in the old format .xls",
    ],
    ["text", Buffer.from("a,b\n1,2\n"), "not an Excel workbook"],
  ])("%s", async (_, bytes, is) => {
    await expect(readTable(folder.file("x.xlsx", bytes), { name: "FILE" })).rejects.toMatchObject({
      code: "file/format",
      message: `FILE is ${is}.`,
      hint: expect.stringMatching(/CSV|csv/),
    });
  });

  test("another format for a workbook", async () => {
    await expect(read(real("german.xlsx"), { format: "csv" })).rejects.toMatchObject({
      code: "file/format",
      hint: expect.stringContaining("--format xlsx"),
    });
  });

  test.each([
    [
      "a table of a few cells that are far apart",
      workbook({
        a: `${rowsXml(Array.from({ length: 2000 }, () => ["x", 1]))}<row r="9999"><c r="XFD9999"><v>1</v></c></row>`,
      }),
    ],
    ["a sheet that is nearly nothing when compressed", workbook({ a: " ".repeat(1 << 27) })],
  ])("%s", async (_, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: "data/too-large" });
  });

  test.each([
    ["a document type", '<!DOCTYPE x [<!ENTITY a "b">]><row/>'],
    ["rows out of order", '<row r="2"><c r="A2"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>'],
    ["a column beyond the last", '<row r="1"><c r="XFE1"><v>1</v></c></row>'],
    ["a text that is not there", '<row r="1"><c r="A1" t="s"><v>9</v></c></row>'],
    ["a number that is none", '<row r="1"><c r="A1"><v>x</v></c></row>'],
  ])("%s", async (_, sheet) => {
    await expect(read(workbook({ a: sheet }))).rejects.toMatchObject({ code: "data/malformed" });
  });

  test("ZIP64, with advice", async () => {
    const bytes = workbook({
      s: rowsXml([
        ["a", "b"],
        [1, 2],
        [3, 4],
      ]),
    });
    const entry = bytes.indexOf("PK\x01\x02", "latin1");
    const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
    for (const at of [entry + 20, entry + 24, entry + 42, end + 16]) {
      const large = Buffer.from(bytes);
      large.writeUInt32LE(0xffffffff, at);
      await expect(readTable(large, { name: "t" })).rejects.toMatchObject({
        code: "file/format",
        message: "t is a workbook in the format ZIP64, which vouch does not read.",
      });
    }
  });

  test("damage: bytes that are cut or changed, unless nothing depends on them", async () => {
    const bytes = real("german.xlsx");
    const expected = (await read(bytes)).cells;
    let refused = 0;
    const attempt = async (damaged: Uint8Array) => {
      try {
        expect((await read(damaged, { format: "xlsx" })).cells).toEqual(expected);
      } catch (error) {
        if (!(error instanceof VouchError)) throw error;
        refused++;
      }
    };
    for (let length = 0; length < bytes.length; length += 97) await attempt(bytes.subarray(0, length));
    expect(refused).toBe(Math.ceil(bytes.length / 97));
    for (let at = 0; at < bytes.length; at += 19) await attempt(bytes.with(at, bytes[at] ^ (1 << (at % 8))));
    expect(refused).toBeGreaterThan(200);
  });
});
