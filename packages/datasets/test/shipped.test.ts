import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { catalogue, loadDataset } from "@vouch/datasets";
import { describe, expect, test, vi } from "vitest";
import { readCsvFile } from "./csv-file.js";

const data = new URL("../data/", import.meta.url);
const shipped = catalogue.filter((entry) => entry.shipped);

describe("shipped data sets", () => {
  test("are breastcancer, ionosphere, iris and penguins", () => {
    expect(shipped.map((entry) => entry.name)).toEqual(["breastcancer", "ionosphere", "iris", "penguins"]);
  });

  test.each(shipped.map((entry) => [entry.name, entry] as const))("%s is as declared", (name, entry) => {
    const [file] = entry.files;
    const { content, header, rows } = readCsvFile(fileURLToPath(new URL(`${name}.csv`, data)));
    expect(content).toEqual(file.content);
    expect(rows).toHaveLength(file.rows);
    expect(header).toHaveLength(entry.features + 1);
    expect(header.at(-1)).toBe(entry.target);
    for (const row of rows) expect(row).toHaveLength(header.length);
    expect(new Set(rows.map((row) => row.at(-1))).size).toBe(entry.classes);
  });

  test("breastcancer has 16 missing values, all in bare_nuclei", () => {
    const { header, rows } = readCsvFile(fileURLToPath(new URL("breastcancer.csv", data)));
    const missing = rows.flatMap((row) => header.filter((_, column) => row[column] === ""));
    expect(missing).toEqual(new Array(16).fill("bare_nuclei"));
  });

  test("penguins has two rows without measurements, and the sex of 11 penguins is missing", () => {
    const { header, rows } = readCsvFile(fileURLToPath(new URL("penguins.csv", data)));
    const counts = header.map((name, column) => [name, rows.filter((row) => row[column] === "").length]);
    expect(Object.fromEntries(counts)).toEqual({
      island: 0,
      bill_length_mm: 2,
      bill_depth_mm: 2,
      flipper_length_mm: 2,
      body_mass_g: 2,
      sex: 11,
      year: 0,
      species: 0,
    });
  });

  test("are read by name, without any data folder", async () => {
    vi.stubEnv("VOUCH_DATA", "");
    const { train, test, entry } = await loadDataset("breastcancer");
    vi.unstubAllEnvs();
    expect([train.name, train.rows, test, entry.name]).toEqual([
      "breastcancer",
      699,
      undefined,
      "breastcancer",
    ]);
    const bareNuclei = train.columns.find((column) => column.name === "bare_nuclei");
    if (bareNuclei?.kind !== "numeric") throw new Error("bare_nuclei should be numbers");
    expect(Array.from(bareNuclei.values).filter(Number.isNaN)).toHaveLength(16);
    const label = train.columns.at(-1);
    expect(label).toMatchObject({
      kind: "categorical",
      name: "label",
      levels: expect.arrayContaining(["benign"]),
    });
  });

  test("have their size and checksum in SOURCES.md", () => {
    const sources = readFileSync(new URL("SOURCES.md", data), "utf8");
    for (const { name, files, features } of shipped) {
      const { rows, content } = files[0];
      const row = new RegExp(
        `\\| ${name}.csv \\| ${rows} \\| ${features} \\|.*\\| ${content?.bytes} \\| \`${content?.sha256}\``,
      );
      expect(sources).toMatch(row);
      expect(sources).toContain(`## ${name}.csv`);
    }
  });
});
