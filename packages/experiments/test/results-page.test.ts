import { readFileSync } from "node:fs";
import { experiments, resultsPage } from "@vouch/experiments";
import { expect, it } from "vitest";
import { coverage } from "#experiments/results-page.js";

const root = new URL("../", import.meta.url);

it("RESULTS.md is what the committed results render to (npm run render)", async () => {
  const page = readFileSync(new URL("RESULTS.md", root), "utf8");
  expect(page).toBe(await resultsPage(new URL("results/", root)));
  for (const { name } of experiments) expect(page).toContain(`## ${name}\n`);
  expect(page).toContain("[deep-cascades/table-1](#deep-cascadestable-1)");
  // All others have the paper scale; that of the networks takes half a day.
  const quick = Array.from(page.matchAll(/experiment -- (\S+) --scale quick/g), ([, name]) => name);
  expect(quick.filter((name) => name !== "model-selection/networks")).toEqual([]);
});

it("the list of tables and figures has every experiment once", () => {
  const covered = coverage.flatMap(({ experiment }) => experiment ?? []);
  expect(covered.toSorted()).toEqual(experiments.map(({ name }) => name).toSorted());
});

it("tables and figures that are not computed have a remark", () => {
  for (const { what, experiment, remark } of coverage) {
    expect(experiment ?? remark, what).toBeDefined();
  }
});
