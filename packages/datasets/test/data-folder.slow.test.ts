import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { catalogue, loadDataset } from "@vouch/datasets";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Table } from "vouch";
import { readCsvFile } from "./csv-file.js";
import { dataFolder } from "./data-folder.js";

const known = catalogue.flatMap((entry) =>
  entry.files.flatMap((file) => (file.sha256 === undefined ? [] : [[file.name, entry, file] as const])),
);

/** Returns the class of each row. */
function labelsOf(table: Table, target: string): string[] {
  const column = table.columns.find((each) => each.name === target);
  if (column === undefined) throw new Error(`${table.name} has no column ${target}.`);
  if (column.kind === "numeric") return Array.from(column.values, String);
  return Array.from(column.codes, (code) => column.levels[code]);
}

describe.skipIf(dataFolder === undefined)("the data folder", () => {
  const folder = dataFolder ?? "";

  beforeAll(() => void vi.stubEnv("VOUCH_DATA", folder));
  afterAll(() => void vi.unstubAllEnvs());

  test.each(known)("%s has the declared size and checksum", async (name, _, file) => {
    const path = join(folder, name);
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    expect({ bytes: (await stat(path)).size, sha256: hash.digest("hex") }).toEqual({
      bytes: file.bytes,
      sha256: file.sha256,
    });
  });

  test.each(known.filter(([, , file]) => file.content !== undefined))(
    "%s has the declared text",
    (name, _, file) => {
      expect(readCsvFile(join(folder, name)).content).toEqual(file.content);
    },
  );

  test.each(catalogue.filter((entry) => entry.files[0].sha256).map((entry) => [entry.name, entry] as const))(
    "%s has the declared rows, features, kinds and classes, and is sorted by class or not as declared",
    async (name, entry) => {
      const { train, test } = await loadDataset(name);
      const tables = test === undefined ? [train] : [train, test];
      const tableFiles = entry.files.filter((file) => !file.labelsOnly);
      expect(tables.map((table) => table.rows)).toEqual(tableFiles.map((file) => file.rows));
      for (const table of tables) expect(table.columns.length).toBe(entry.features + 1);
      const categorical = Number(/(\d+) categorical/.exec(entry.kinds)?.[1] ?? 0);
      for (const table of tables) {
        const found = table.columns.filter(
          ({ kind, name }) => kind === "categorical" && name !== entry.target,
        );
        expect(found.length, `categorical features of ${table.name}`).toBe(categorical);
      }
      const labels = tables.map((table) => labelsOf(table, entry.target));
      expect(new Set(labels.flat()).size).toBe(entry.classes);
      const repeats = labels.map(
        (each) => each.filter((label, row) => label === each[row + 1]).length / each.length,
      );
      expect(Math.max(...repeats) > 0.9).toBe(entry.sortedByClass);
    },
  );
});
