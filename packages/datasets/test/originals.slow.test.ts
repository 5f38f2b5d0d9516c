import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { catalogue, type DatasetEntry, fetchDataset } from "@vouch/datasets";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCsvFile } from "./csv-file.js";
import { dataFolder } from "./data-folder.js";
import { type LocalServer, startServer } from "./local-server.js";

/** Rows as in the catalogue's file, the label last. */
type Rows = readonly (readonly string[])[];

const label = (row: readonly string[]) => row[row.length - 1];
const features = (row: readonly string[]) => row.slice(0, -1);
const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join("");

const commas = (rows: Rows) => lines(rows.map((row) => row.join(",")));
const blanks = (rows: Rows) => lines(rows.map((row) => row.join(" ")));
const labelFirst = (rows: Rows) => lines(rows.map((row) => [label(row), ...features(row)].join(",")));
const orMissing = (row: readonly string[]) => row.map((cell) => cell || "?").join(", ");
const sparse = (rows: Rows, write = (value: string) => value) =>
  lines(
    rows.map((row) => {
      const pairs = features(row).flatMap((value, i) => (value === "0" ? [] : [`${i + 1}:${write(value)}`]));
      return `${label(row)} ${pairs.join(" ")} `;
    }),
  );
const decimals = (text: string, digits: number) => Number(text).toFixed(digits);

/**
 * Writes the rows of a file of the catalogue as in its public original: to the byte if `exact`, otherwise with the same
 * layout and values.
 */
const originals: Record<string, { exact?: true; write: (rows: Rows, part: string) => string | Uint8Array }> =
  {
    a1a: { write: (rows) => sparse(rows) },
    adult: {
      exact: true,
      write: (rows, part) =>
        part === "train"
          ? `${lines(rows.map(orMissing))}\n`
          : `|1x3 Cross validator\n${lines(rows.map((row) => `${orMissing(row)}.`))}\n`,
    },
    "breastcancer-libsvm": {
      write: (rows) =>
        sparse(
          rows.map((row) => [...features(row), decimals(label(row), 6)]),
          (value) => decimals(value, 6),
        ),
    },
    digits: { exact: true, write: commas },
    german: {
      write: (rows) => blanks(rows.map((row) => ["  ", ...features(row), label(row) === "good" ? "1" : "2"])),
    },
    letter: { exact: true, write: labelFirst },
    optdigits: { exact: true, write: commas },
    pendigits: {
      exact: true,
      write: (rows) =>
        commas(rows.map((row) => [...features(row).map((x) => x.padStart(3)), ` ${label(row)}`])),
    },
    satimage: { exact: true, write: blanks },
    splice: { write: (rows) => sparse(rows).replaceAll("+1 ", "1 ") },
    "splice-uci": {
      write: (rows) =>
        lines(rows.map((row, i) => `${label(row)},   NAME-${i},    ${features(row).join("")}`)),
    },
    usps: {
      write: (rows) =>
        gzipSync(blanks(rows.map((row) => [label(row), ...features(row)].map((x) => decimals(x, 4))))),
    },
    vowel: {
      write: (rows) =>
        `row.names,y,x.1\n${lines(rows.map((row, i) => [i + 1, label(row), ...features(row)].join(",")))}`,
    },
    wdbc: {
      write: (rows) =>
        lines(
          rows.map((row, i) => [8e5 + i, label(row) === "malignant" ? "M" : "B", ...features(row)].join(",")),
        ),
    },
    wine: { write: (rows) => labelFirst(rows).replaceAll(",0.", ",.") },
    yeast: { write: (rows) => lines(rows.map((row, i) => [`NAME_${i}`, ...row].join("  "))) },
  };

let cache: string;
let server: LocalServer;
const bodies = new Map<string, string | Uint8Array>();

/** Redirects the downloads of an entry to the test server, which serves the rewritten originals. */
function atServer(entry: DatasetEntry, folder: string): DatasetEntry {
  const { write, exact } = originals[entry.name];
  const parts = entry.files.map((file) => ({ file, rows: readCsvFile(join(folder, file.name)).rows }));
  const files = parts.map(({ file, rows }) => {
    if (file.download === undefined) return file;
    const { pathname } = new URL(file.download.url);
    const shared = parts.filter((other) => other.file.download?.url === file.download?.url);
    bodies.set(pathname, write(shared.length > 1 ? shared.flatMap((each) => each.rows) : rows, file.part));
    const { original, ...download } = file.download;
    const known = exact ? { original } : {};
    return { ...file, download: { ...download, ...known, url: `${server.address}${pathname}` } };
  });
  return { ...entry, files };
}

describe.skipIf(dataFolder === undefined)("a download is what the catalogue describes", () => {
  const folder = dataFolder ?? "";

  beforeAll(async () => {
    cache = mkdtempSync(join(tmpdir(), "vouch-originals-"));
    server = await startServer((request, response) => response.end(bodies.get(request.url ?? "")));
  });

  afterAll(async () => {
    await server.close();
    rmSync(cache, { recursive: true });
  });

  const fetched = catalogue.filter((entry) => entry.name in originals);

  test("covers every converted data set with known files", () => {
    const converted = catalogue.filter(({ files }) =>
      files.every((f) => f.download && f.download.convert.kind !== "keep"),
    );
    const here = converted.filter(({ files }) => files.every((file) => file.sha256 !== undefined));
    expect(fetched).toEqual(here);
  });

  test.each(fetched.map((entry) => [entry.name, entry] as const))("%s", async (_, entry) => {
    const { files, verified } = await fetchDataset(atServer(entry, folder), { cacheFolder: cache });
    for (const [i, { content, name }] of entry.files.entries()) {
      const expected = content ?? readCsvFile(join(folder, name)).content;
      expect(readCsvFile(files[i]).content).toEqual(expected);
    }
    // LIBSVM has the test rows of splice in another order, so their checksum differs.
    expect(verified).toBe(entry.name === "splice" ? "counts" : "checksum");
  });
});
