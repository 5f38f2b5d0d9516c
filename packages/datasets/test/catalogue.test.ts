import { readFileSync } from "node:fs";
import { catalogue } from "@vouch/datasets";
import { describe, expect, test } from "vitest";
import { fileFacts } from "#datasets/file-facts.js";
import { catalogueNotes, catalogueTable } from "#datasets/markdown-table.js";

const files = catalogue.flatMap((entry) => entry.files.map((file) => ({ entry, file })));

describe("the catalogue", () => {
  test("has the data sets of the experiments and the papers", () => {
    expect(catalogue.map((entry) => entry.name)).toEqual(
      (
        "a1a adult breastcancer breastcancer-libsvm diatoms digits german german-categorical har imclef07a " +
        "imclef07d ionosphere iris isolet landuse21 leaves100 letter mnist news20 omniglot8 optdigits pendigits " +
        "penguins protein satimage sensit splice splice-uci usps vowel wdbc wine yeast"
      ).split(" "),
    );
  });

  test("uses every file fact once", () => {
    const described = files.filter(({ file }) => file.sha256 !== undefined).map(({ file }) => file.name);
    expect(described.sort()).toEqual(Object.keys(fileFacts).sort());
  });

  test("has well-formed checksums and sizes", () => {
    for (const { file } of files) {
      const known = [file.content, file.download?.original, file.sha256 === undefined ? undefined : file];
      for (const digest of known) {
        if (digest === undefined) continue;
        expect(digest.sha256, file.name).toMatch(/^[0-9a-f]{64}$/);
        expect(digest.bytes, file.name).toBeGreaterThan(0);
      }
    }
  });

  test("has a checksum of every download, except those that the documentation names", () => {
    const unknown = files.filter(
      ({ file }) => file.download && !file.download.original && file.content === undefined,
    );
    expect(unknown.map(({ file }) => file.name)).toEqual([
      "protein.train.csv.gz",
      "protein.test.csv.gz",
      "sensit.train.csv.gz",
      "sensit.test.csv.gz",
      "splice.test.csv.gz",
    ]);
    const page = readFileSync(new URL("../../../docs/datasets.md", import.meta.url), "utf8");
    expect(page).toContain("of `protein`, `sensit` and the test rows of `splice`");
  });

  test("has one file for all rows, or one each for train and test", () => {
    for (const entry of catalogue) {
      const parts = entry.files.filter((file) => !file.labelsOnly).map((file) => file.part);
      expect(parts, entry.name).toEqual(entry.split === "official" ? ["train", "test"] : ["all"]);
    }
  });

  test("ships each data set, downloads it, or says how to make it by hand", () => {
    for (const entry of catalogue) {
      const fetched = entry.files.filter((file) => file.download !== undefined).length;
      const ways = [entry.shipped, fetched === entry.files.length, entry.byHand !== undefined];
      expect(ways.filter(Boolean), entry.name).toHaveLength(1);
      expect([0, entry.files.length], entry.name).toContain(fetched);
    }
  });

  test("gives public addresses", () => {
    for (const entry of catalogue) {
      expect(entry.urls.length, entry.name).toBeGreaterThan(0);
      for (const url of entry.urls) expect(new URL(url).protocol).toMatch(/^https?:$/);
      for (const file of entry.files) {
        if (file.download) expect(new URL(file.download.url).protocol, file.name).toBe("https:");
      }
    }
  });

  test("names each feature of a converted data set once", () => {
    for (const { entry, file } of files) {
      const convert = file.download?.convert;
      if (convert === undefined || convert.kind === "keep") continue;
      expect(new Set([...convert.columns, entry.target]).size, file.name).toBe(entry.features + 1);
      expect(convert.columns.length, file.name).toBe(entry.features);
    }
  });

  test("is in the documentation", () => {
    const page = readFileSync(new URL("../../../docs/datasets.md", import.meta.url), "utf8");
    const update = "run: node packages/datasets/update-docs.mjs";
    expect(page.includes(catalogueTable()), update).toBe(true);
    expect(page.includes(catalogueNotes()), update).toBe(true);
  });
});
