import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type ReadOptions, readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { FixtureFolder } from "./fixture-folder.js";

const folder = new FixtureFolder();
let files = 0;

/** Reads a file with these contents and returns the error, without the folder in its message. */
async function errorOf(contents: string | Uint8Array, extension = "csv", options: ReadOptions = {}) {
  const name = `f${++files}.${extension}`;
  const path = folder.file(name, contents);
  try {
    await readTable(path, options);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return Object.assign(error, { message: error.message.replace(path, "FILE") });
  }
  return expect.fail("there should be an error");
}

/** Windows has no permissions of this kind, and no device files. */
const isPosix = process.platform !== "win32";

describe("files that cannot be read", () => {
  test("missing, with the nearest name in the folder", async () => {
    const path = folder.file("flowers.csv", "a,b\n1,2\n");
    await expect(readTable(path.replace("flowers", "flovers"))).rejects.toMatchObject({
      code: "file/missing",
      message: expect.stringContaining("flovers.csv does not exist"),
      hint: expect.stringContaining("flowers.csv"),
    });
    await expect(readTable(join(folder.path, "no", "file.csv"))).rejects.toMatchObject({
      code: "file/missing",
    });
  });

  test("a directory", async () => {
    mkdirSync(join(folder.path, "d.csv"));
    await expect(readTable(join(folder.path, "d.csv"))).rejects.toMatchObject({ code: "file/directory" });
  });

  test.runIf(isPosix)("no permission", () => {
    const path = folder.file("secret.csv", "a,b\n1,2\n");
    chmodSync(path, 0);
    chmodSync(folder.path, 0o755);
    // Root may read everything, so the process drops its rights first.
    const script = `
      import { readTable } from ${JSON.stringify(fileURLToPath(import.meta.resolve("@vouch/formats")))};
      if (process.geteuid() === 0) process.seteuid(65534);
      await readTable(${JSON.stringify(path)}).then(() => console.log("read"), (error) => console.log(error.code));
    `;
    const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(child.stdout.trim(), child.stderr).toBe("file/permission");
  });

  test.runIf(isPosix)("a device", async () => {
    await expect(readTable("/dev/null")).rejects.toMatchObject({ code: "file/format" });
  });

  test("an unknown format", async () => {
    expect(await errorOf(Buffer.from([1, 0, 2, 0, 10, 0]), "bin")).toMatchObject({ code: "file/format" });
    await expect(
      readTable(folder.file("x.csv", "a\n1\n"), JSON.parse('{"format":"xls"}')),
    ).rejects.toMatchObject({
      code: "file/format",
      hint: expect.stringContaining("parquet"),
    });
  });

  test.each([
    ["zip", "PK\x03\x04\x14\0\0\0\b\0data.csv", "a ZIP archive", "unzip"],
    ["csv", gzipSync(gzipSync("a,b\n1,2\n")).toString("latin1"), "compressed with gzip twice", "gunzip"],
    ["csv.bz2", "BZh91AY&SY\0\0", "compressed with bzip2", "bunzip2"],
    ["csv.xz", "\xfd7zXZ\0\0", "compressed with xz", "unxz"],
    ["csv", "\x89PNG\r\n\x1a\n\0", "an image", "tables"],
    ["pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document", "tables"],
    ["db", "SQLite format 3\0", "an SQLite database", "sqlite3"],
    ["csv", "\n<!DOCTYPE html>\n<p>Sorry, not found</p>\n", "a web page, not data", "download"],
    ["st", '\x10\0\0\0\0\0\0\0{"__metadata__":{}}', "a model, not data", "vouch predict MODEL DATA"],
  ])("another kind of file, named .%s", async (extension, contents, is, advice) => {
    const error = await errorOf(Buffer.from(contents, "latin1"), extension);
    expect(error).toMatchObject({
      code: "file/format",
      message: `FILE is ${is}.`,
      hint: expect.stringContaining(advice),
    });
  });

  test("gzip that is not gzip, truncated or corrupt", async () => {
    const bytes = gzipSync(`a,b\n${Array.from({ length: 9999 }, (_, i) => `${i},${i * i}`).join("\n")}`);
    expect(await errorOf("a,b\n1,2\n", "csv.gz")).toMatchObject({ code: "file/format" });
    for (const length of [2, 10, 1000, bytes.length - 1]) {
      const error = await errorOf(bytes.subarray(0, length), "csv.gz");
      expect(error).toMatchObject({
        code: "data/malformed",
        message: expect.stringContaining("ends too early"),
      });
    }
    const corrupt = Buffer.from(bytes);
    corrupt.fill(255, 500, 600);
    expect(await errorOf(corrupt, "csv.gz")).toMatchObject({
      code: "data/malformed",
      message: expect.stringContaining("corrupt"),
    });
  });
});

describe("malformed or ambiguous CSV", () => {
  test.each([
    ["", "data/empty", "FILE is empty."],
    ["\ufeff\n\r\n\n", "data/empty", "FILE is empty."],
    ["a,b\n", "data/no-rows", "FILE has a header but no rows."],
    ["a,b,c,b\n1,2,3,4\n", "data/duplicate-column", 'FILE: columns 2 and 4 are both called "b".'],
    ["a,b\n1,2\n3\n", "data/ragged", "FILE, row 2 (line 3): 1 cell, but there are 2 columns."],
    ["a,b,c\n1,2,3\n\n3,4\n", "data/ragged", "FILE, row 2 (line 4): 2 cells, but there are 3 columns."],
    [
      "# made on Monday\na,b\nx,y\n",
      "data/ragged",
      "FILE, row 1 (line 2): more than 1 cell, but there is 1 column.",
    ],
    [
      'a,b\n"1\n",2\n3,4,5\n',
      "data/ragged",
      "FILE, row 2 (line 4): more than 2 cells, but there are 2 columns.",
    ],
    ['a,b\n1,"x"y\n', "data/malformed", 'FILE, row 1 (line 2), column "b": text after the closing quote.'],
    [
      'a,b\n1,2\n3,"x\n4,5\n',
      "data/malformed",
      "FILE, row 2: a quote in the record that starts on line 3 is never closed.",
    ],
    ['a,"b\n1,2\n', "data/malformed", "FILE: a quote in the record on line 1 is never closed."],
    ["a,b\r1,2\r", "data/malformed", "FILE, line 1: a carriage return without a line feed."],
    ["a,b\n1,2\r3,4\n", "data/malformed", "FILE, line 2: a carriage return without a line feed."],
    ["a,b\n1,2\n3,\0\n", "data/encoding", "FILE, line 3: there is a NUL byte."],
    [
      "a,b\n1,2\n-inf,3\n",
      "data/not-finite",
      'FILE, row 2 (line 3), column "a": "-inf" is not a finite number.',
    ],
    [
      "a,b\n1,2\n1e999,3\n",
      "data/not-finite",
      'FILE, row 2 (line 3), column "a": "1e999" is not a finite number.',
    ],
  ])("%j", async (contents, code, message) => {
    expect(await errorOf(contents)).toMatchObject({ code, message });
  });

  test("a column of numbers that turns into words after the rows from which its kind was inferred", async () => {
    const rows = Array.from({ length: 60_000 }, (_, i) => `${i},${i < 22_000 ? i / 7 : "oops"}\n`);
    const text = `n,width\n${rows.join("")}`;
    expect(await errorOf(text)).toMatchObject({
      code: "data/not-a-number",
      message:
        'FILE, row 22001 (line 22002), column "width": "oops" is not a number, nor are 37,999 more values of this column.',
      hint: expect.stringContaining("--categorical width"),
    });
    const table = await readTable(folder.file("late.csv", text), { categorical: ["width"] });
    expect(table.columns[1]).toMatchObject({ kind: "categorical" });
  });

  test("a column without numbers that an option makes numeric", async () => {
    expect(await errorOf("a,b\n1,x\n", "csv", { numeric: ["b"] })).toMatchObject({
      code: "data/not-a-number",
      message: 'FILE, row 1 (line 2), column "b": "x" is not a number.',
    });
  });
});
