import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { loadDataset } from "@vouch/datasets";
import { afterAll, expect, it } from "vitest";
import { Table } from "vouch";
import { choiceDivision } from "#experiments/automatic/choice-divisions.js";
import { csvText, exportDivisions } from "#experiments/automatic/export-divisions.js";

const folder = mkdtempSync(join(tmpdir(), "vouch-divisions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("writes the rows of each division", async () => {
  await exportDivisions(folder, { datasets: ["iris"], divisions: 2, seed: 1 });
  expect(readdirSync(folder).sort()).toEqual(
    ["iris-0", "iris-1"].flatMap((name) => [`${name}.json`, `${name}.test.csv.gz`, `${name}.train.csv.gz`]),
  );
  const facts = JSON.parse(readFileSync(join(folder, "iris-1.json"), "utf8"));
  expect(facts).toEqual({
    dataset: "iris",
    division: 1,
    kinds: ["numeric", "numeric", "numeric", "numeric"],
    classes: ["setosa", "versicolor", "virginica"],
  });
  const lines = gunzipSync(readFileSync(join(folder, "iris-1.test.csv.gz")))
    .toString()
    .trimEnd()
    .split("\n");
  const { test } = choiceDivision(await loadDataset("iris"), 2);
  expect(lines.length).toBe(31);
  expect(lines.slice(1).map((line) => Number(line.split(",").at(-1)))).toEqual([...test.labels]);
});

it("writes categories by their index in training, and missing and new ones as -1", () => {
  const numbers = { kind: "numeric", name: "n", values: Float64Array.of(0.5, Number.NaN) } as const;
  const colours = (levels: string[], ...codes: number[]) =>
    ({ kind: "categorical", name: "c", codes: Int32Array.from(codes), levels }) as const;
  const trained = new Table("trained", 2, [numbers, colours(["red", "blue"], 0, 1)]);
  const other = new Table("other", 2, [colours(["blue", "green"], 0, -1), numbers]);
  const labels = Int32Array.of(1, -1);
  expect(csvText({ features: other, labels }, trained.columns, "t")).toBe("n,c,t\n0.5,1,1\nnan,-1,-1\n");
  const green = new Table("other", 2, [colours(["blue", "green"], 1, 0), numbers]);
  expect(csvText({ features: green, labels }, trained.columns, "t")).toBe("n,c,t\n0.5,-1,1\nnan,1,-1\n");
  const wrong = new Table("wrong", 2, [numbers, { ...numbers, name: "c" }]);
  expect(() => csvText({ features: wrong, labels }, trained.columns, "t")).toThrow(
    'Column "c" is categorical',
  );
});
