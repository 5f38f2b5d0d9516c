import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { type ReadOptions, readTable, readTableInChunks, type TableSource } from "@vouch/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTable as readData } from "#formats/read-table.browser.js";
import { cellsOf } from "./cells-of.js";
import { FixtureFolder } from "./fixture-folder.js";

const folder = new FixtureFolder();
const GUESSED = "is not UTF-8; read as Windows-1252. Choose another encoding with --encoding.";

/** Characters of bytes 128 to 255; of Windows-1252 by its table, as decoders of some versions of Node have it wrong. */
const UPPER: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ["windows-1252", "iso-8859-15", "windows-1250", "windows-1251", "koi8-r", "macintosh"].map((encoding) => {
    const bytes = Uint8Array.from({ length: 128 }, (_, i) => 128 + i);
    const upper = [...new TextDecoder(encoding).decode(bytes)];
    const low = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
    return [encoding, encoding === "windows-1252" ? [...low, ...upper.slice(32)] : upper];
  }),
);

/** Encodes a text: UTF-16, or one byte per character. */
function encode(text: string, encoding: string): Buffer {
  if (encoding === "utf-8") return Buffer.from(text);
  if (encoding.startsWith("utf-16")) {
    const bytes = Buffer.from(text, "utf16le");
    return encoding === "utf-16be" ? bytes.swap16() : bytes;
  }
  const upper = UPPER[encoding];
  return Buffer.from([...text].map((c) => (c < "\x80" ? c.charCodeAt(0) : 128 + upper.indexOf(c))));
}

async function read(source: TableSource, options: ReadOptions = { format: "csv" }) {
  const table = await readTable(source, { name: "FILE", ...options });
  return { cells: cellsOf(table), notices: table.notices.map(({ message }) => message) };
}

const TEXT = "name;city;n\nJosé;Köln;1\nZoë “Z”;10 €;2\n";
const CELLS = { name: ["José", "Zoë “Z”"], city: ["Köln", "10 €"], n: [1, 2] };

describe("a text that is not UTF-8", () => {
  test.each(["utf-16le", "utf-16be"])("%s by its byte-order mark, without a word", async (encoding) => {
    const bytes = encode(`\ufeff${TEXT}`, encoding);
    const expected = { cells: CELLS, notices: [] };
    expect(await read(bytes)).toEqual(expected);
    expect(await read(gzipSync(bytes))).toEqual(expected);
    expect(await read(folder.file(`${encoding}.txt`, bytes), {})).toEqual(expected);
    expect(await read(Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), {})).toEqual(expected);
    expect(cellsOf(await readData(bytes))).toEqual(CELLS);
  });

  test.each(["utf-16le", "utf-16be"])("%s without a mark, by its zeros", async (encoding) => {
    const { cells, notices } = await read(encode(TEXT, encoding));
    expect(cells).toEqual(CELLS);
    expect(notices).toEqual([
      `FILE is not UTF-8; read as ${encoding.toUpperCase()}. Choose another encoding with --encoding.`,
    ]);
  });

  test("Windows-1252 is guessed, and said", async () => {
    const bytes = encode(TEXT, "windows-1252");
    const expected = { cells: CELLS, notices: [`FILE ${GUESSED}`] };
    expect(await read(bytes)).toEqual(expected);
    expect(await read(gzipSync(bytes))).toEqual(expected);
    const web = await readData(bytes, { name: "FILE" });
    expect({ cells: cellsOf(web), notices: web.notices.map(({ message }) => message) }).toEqual(expected);
    expect(await read(bytes, { encoding: "latin1" })).toEqual({ cells: CELLS, notices: [] });
  });

  test.each([
    ["json", '[{"a":"é","b":1}]'],
    ["ndjson", '{"a":"é","b":1}\n'],
    ["arff", "@relation r\n@attribute a {é}\n@attribute b numeric\n@data\né,1\n"],
    ["libsvm", "é 1:1\n"],
  ] as const)("in %s", async (format, text) => {
    const plain = await read(Buffer.from(text), { format });
    for (const encoding of ["windows-1252", "utf-16le"]) {
      expect((await read(encode(text, encoding), { format })).cells).toEqual(plain.cells);
      expect((await read(encode(text, encoding), { format, encoding })).cells).toEqual(plain.cells);
    }
  });

  test("that shows late is read again, in parts it is an error", async () => {
    const lines = Array.from({ length: 620_000 }, (_, i) => `${i % 7},a category of some length ${i % 5}`);
    lines[600_000] = "3,ké";
    const bytes = Buffer.from(`n,k\n${lines.join("\n")}\n`, "latin1");
    const { cells, notices } = await read(bytes);
    expect(cells.k[600_000]).toBe("ké");
    expect(cells.n.length).toBe(lines.length);
    expect(notices).toEqual([`FILE ${GUESSED}`]);
    const parts = async () => {
      for await (const part of readTableInChunks(bytes, { name: "FILE", format: "csv" })) void part;
    };
    await expect(parts()).rejects.toMatchObject({
      code: "data/encoding",
      message: "FILE, line 600002: the text is not valid UTF-8.",
      hint: expect.stringContaining("--encoding windows-1252"),
    });
  });

  test("in parts, a guess is on the first part", async () => {
    const notices: string[][] = [];
    const bytes = encode(TEXT, "windows-1252");
    for await (const part of readTableInChunks(bytes, { format: "csv", name: "FILE", rows: 1 })) {
      notices.push(part.notices.map(({ message }) => message));
    }
    expect(notices).toEqual([[`FILE ${GUESSED}`], []]);
  });

  test.each([
    ["damaged UTF-8", Buffer.concat([Buffer.from("a,b\né,è\nö,ü\n"), Buffer.from([0xe9, 44, 49, 10])])],
    ["bytes without a character", Buffer.from([97, 44, 98, 10, 0x81, 44, 0x90, 10])],
    ["control characters", Buffer.from([97, 44, 98, 10, 0xe9, 44, 1, 10])],
  ])("%s: nothing is guessed", async (_, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({
      code: "data/encoding",
      message: expect.stringMatching(/^FILE, line \d: the text is not valid UTF-8\.$/),
      hint: expect.stringContaining("--encoding"),
    });
  });

  test("an encoding that is wrong or unknown", async () => {
    const bytes = encode(TEXT, "windows-1252");
    await expect(read(bytes, { encoding: "utf-8" })).rejects.toMatchObject({ code: "data/encoding" });
    await expect(read(bytes, { encoding: "shift_jis" })).rejects.toMatchObject({
      code: "data/encoding",
      message: "FILE is not SHIFT_JIS after line 0.",
    });
    await expect(read(bytes, { encoding: "ansi" })).rejects.toMatchObject({
      code: "option/invalid",
      hint: expect.stringContaining("windows-1252"),
    });
  });

  test("random tables in random encodings have the cells of UTF-8", async () => {
    const encodings = ["utf-16le", "utf-16be", ...Object.keys(UPPER)];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...encodings),
        fc.constantFrom(",", ";", "\t"),
        fc.array(fc.array(fc.nat(127), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        async (encoding, delimiter, rows, gzipped) => {
          const letters = (UPPER[encoding] ?? UPPER["windows-1251"]).filter(
            (c) => c > "\xa0" && c !== "\ufffd",
          );
          const lines = rows.map((codes, i) =>
            [codes.map((code) => letters[code % letters.length]).join(""), i, "x"].join(delimiter),
          );
          const text = `${["ключ", "n", "é"].map((_, j) => `${letters[j]}${j}`).join(delimiter)}\n${lines.join("\n")}`;
          const bytes = encode(text, encoding);
          const stored = gzipped ? gzipSync(bytes) : bytes;
          const expected = await read(Buffer.from(text), { format: "csv", delimiter });
          expect(await read(stored, { format: "csv", delimiter, encoding })).toEqual(expected);
        },
      ),
      { numRuns: 150, seed: 1 },
    );
  });
});
