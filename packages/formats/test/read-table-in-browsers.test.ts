import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Format, formatOfName, readTable, type TableSource } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { readTable as readData } from "#formats/read-table.browser.js";
import { cellsOf } from "./cells-of.js";

type TextFormat = Exclude<Format, "xlsx" | "parquet" | "idx">;

const TEXTS: Record<TextFormat, string> = {
  csv: '\ufefff1,f2,label\r\n1.5,0,"a ""é"""\r\n-2,3,b\r\nNA,0.25,a\r\n',
  tsv: "f1\tf2\tlabel\n1.5\t0\ta\n-2\t3\tb\n",
  json: '[{"f1": 1.5, "label": "a"},\n {"f1": -2, "label": "é"}]',
  ndjson: '{"f1":1.5,"label":"a"}\n{"f1":-2,"label":"b"}\n',
  arff: "@relation r\n@attribute f1 numeric\n@attribute label {a, b}\n@data\n1.5,a\n?,b\n",
  libsvm: "a 1:1.5\nb 1:-2 2:3 # comment\n",
};
const FORMATS: readonly TextFormat[] = ["csv", "tsv", "json", "ndjson", "arff", "libsvm"];

function streamOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

describe("readTable in a browser", () => {
  test.each(FORMATS)("reads %s from all sources as readTable does", async (format) => {
    const text = TEXTS[format];
    const bytes = new TextEncoder().encode(text);
    const expected = await readTable(bytes, { format, target: "label" });
    const sources: TableSource[] = [
      bytes,
      new Blob([bytes]),
      new File([bytes], "data.txt"),
      streamOf(bytes.subarray(0, 7), bytes.subarray(7)),
      gzipSync(bytes),
    ];
    for (const source of sources) {
      const table = await readData(source, { format, target: "label" });
      expect(table.columns).toEqual(expected.columns);
    }
    // TSV looks like CSV with another delimiter, and is read as such.
    expect(cellsOf(await readData(bytes, { target: "label" }))).toEqual(cellsOf(expected));
  });

  test("fetches an address", async () => {
    const server = createServer(({ url }, response) => {
      if (url === "/rows.csv") response.end("a,b\n1,x\n");
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new TypeError("The server has no port.");
    const site = `http://127.0.0.1:${address.port}`;
    expect(cellsOf(await readData(`${site}/rows.csv`, { categorical: ["b"] }))).toEqual({ a: [1], b: ["x"] });
    await expect(readData(`${site}/none.csv`)).rejects.toMatchObject({
      code: "file/read",
      message: `${site}/none.csv returned 404.`,
    });
    server.close();
    await expect(readData(`${site}/rows.csv`)).rejects.toMatchObject({ code: "file/read" });
  });

  test("takes name and format from a file", async () => {
    const table = await readData(new File(["a b\n1 2\n"], "rows.csv"), { delimiter: " " });
    expect([table.name, cellsOf(table)]).toEqual(["rows.csv", { a: [1], b: [2] }]);
    await expect(readData(new File(["a,b\n1\n"], "rows.csv"))).rejects.toMatchObject({
      message: "rows.csv, row 1 (line 2): 1 cell, but there are 2 columns.",
    });
  });

  test("finds a byte that is not UTF-8 wherever it is", async () => {
    const text = new TextEncoder().encode("a\n12345678\n1234\n");
    for (let at = 2; at < text.length; at++) {
      const damaged = text.with(at, 0xe9);
      const line = at < 11 ? 2 : 3;
      await expect(
        readData(damaged, { format: "csv", name: "t", encoding: "utf-8" }),
        `byte ${at}`,
      ).rejects.toMatchObject({
        message: `t, line ${line}: the text is not valid UTF-8.`,
      });
    }
  });

  test("reads IDX", async () => {
    const images = new Uint8Array([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 255]);
    for (const source of [images, gzipSync(images), new File([images], "train-images-idx3-ubyte")]) {
      expect(cellsOf(await readData(source))).toEqual({ p1: [1, 3], p2: [2, 255] });
    }
    await expect(readData(images.subarray(0, 19))).rejects.toMatchObject({
      message: "the input ends in row 2 of 2.",
    });
  });

  test("reads a large file in blocks and reports progress", async () => {
    const rows = 120_000;
    const text = `i,half,k\n${Array.from({ length: rows }, (_, i) => `${i},${i / 2},k${i % 5}\n`).join("")}`;
    const shares: number[] = [];
    const table = await readData(new Blob([text]), {
      onProgress: ({ done, total }) => shares.push(done / (total ?? Number.NaN)),
    });
    const { i, half, k } = cellsOf(table);
    expect(i.every((value, row) => value === row && half[row] === row / 2 && k[row] === `k${row % 5}`)).toBe(
      true,
    );
    expect(new Set(shares).size).toBeGreaterThan(1);
    expect(Math.max(...shares)).toBe(1);
  });

  test.each<[string, TableSource, string]>([
    ["an empty text", new Blob([]), "data/empty"],
    ["invalid UTF-8", new Uint8Array([97, 10, 0x81, 10]), "data/encoding"],
    ["NUL", new Blob(["a,b\n1,\0\n"]), "data/encoding"],
    ["half a workbook", new Blob(["PK\x03\x04\x14\0\0\0\b\0xl/workbook.xml"]), "data/malformed"],
    ["no Parquet", new File(["PAR1"], "rows.parquet"), "data/malformed"],
    ["binary data", new Uint8Array([1, 0, 2, 0, 10, 0]), "file/format"],
    ["truncated gzip", gzipSync("a,b\n1,2\n".repeat(999)).subarray(0, 30), "data/malformed"],
    ["corrupt gzip", new Uint8Array([0x1f, 0x8b, 9, 9, 9, 9]), "data/malformed"],
  ])("refuses %s", async (_, source, code) => {
    await expect(readData(source, code === "data/encoding" ? { format: "csv" } : {})).rejects.toMatchObject({
      code,
    });
  });

  test("stops when it is aborted, before and during reading", async () => {
    await expect(readData(new Blob(["a\n1\n"]), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "run/interrupted",
    });
    const controller = new AbortController();
    const silent = new ReadableStream<Uint8Array>();
    setTimeout(() => controller.abort(), 20);
    await expect(readData(silent, { signal: controller.signal })).rejects.toMatchObject({
      code: "run/interrupted",
    });
    const during = new AbortController();
    const reading = readData(new Blob(["0.123456789,2.5,word\n".repeat(500_000)]), {
      header: false,
      signal: during.signal,
      onProgress: () => during.abort(),
    });
    await expect(reading).rejects.toMatchObject({ code: "run/interrupted" });
  });
});

describe("a file that a browser reads", () => {
  test("keeps its format where the first bytes end within a character", async () => {
    for (const padding of ["", " ", "  "]) {
      const text = `${padding}[{"a":"${"€".repeat(30_000)}","y":"x"},{"a":"b","y":"z"}]`;
      expect((await readData(new Blob([text]))).rows).toBe(2);
      expect((await readTable(new TextEncoder().encode(text))).rows).toBe(2);
    }
  });

  test("is refused if its name says that it is compressed", async () => {
    const file = new File(["a,b\n1,x\n"], "rows.csv.gz");
    await expect(readData(file)).rejects.toMatchObject({
      code: "file/format",
      message: "rows.csv.gz is named .gz, but it is not compressed with gzip.",
    });
    // A response is decompressed on its way.
    expect((await readData(new Blob(["a,b\n1,x\n"]), { name: "rows.csv.gz" })).rows).toBe(1);
  });

  test.each(["rows.csv", "rows.csv.gz", "rows.parquet"])("may have changed: %s", async (name) => {
    const path = join(mkdtempSync(join(tmpdir(), "vouch-changed-")), name);
    const text = "a,b\n1,x\n";
    writeFileSync(path, name.endsWith(".gz") ? gzipSync(text) : text);
    const blob = await openAsBlob(path);
    writeFileSync(path, "other");
    await expect(readData(blob, { name, format: formatOfName(name) })).rejects.toMatchObject({
      code: "file/read",
      message: `${name} can no longer be read.`,
    });
    rmSync(dirname(path), { recursive: true });
  });
});
