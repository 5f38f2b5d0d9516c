import { existsSync, readdirSync, readFileSync } from "node:fs";
import { experiments, resultsPages } from "@vouch/experiments";
import { describe, expect, it } from "vitest";
import { outcomes } from "#experiments/outcomes.js";
import { coverage, pageFile } from "#experiments/results-page.js";

const results = new URL("../results/", import.meta.url);
const docs = new URL("../../../docs/results/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, docs), "utf8");

describe("docs/results", () => {
  it("is what the committed results render to (npm run render)", async () => {
    const pages = await resultsPages(results);
    for (const [file, text] of pages) {
      expect(existsSync(new URL(file, docs)), `${file} is missing: npm run render`).toBe(true);
      expect(read(file), file).toBe(text);
    }
    const files = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".md"),
    );
    expect(files.sort()).toEqual([...pages.keys()].sort());
  });

  it("has results at the scale of the paper, except where that takes half a day", () => {
    const quick = experiments.filter(({ name }) => read(pageFile(name)).includes(`${name} --scale quick`));
    expect(quick.map(({ name }) => name).filter((name) => name !== "model-selection/networks")).toEqual([]);
  });
});

describe("outcomes", () => {
  it("exist for every experiment, and for nothing else", () => {
    expect(Object.keys(outcomes).sort()).toEqual(experiments.map(({ name }) => name).sort());
  });

  it.each(experiments.map(({ name }) => name))("%s states numbers that its page has", (name) => {
    const [heading, , outcome, ...rest] = read(pageFile(name)).split("\n");
    expect(heading).toBe(`# ${name}`);
    expect(outcome).toBe(`**Outcome.** ${outcomes[name]}`);
    const page = rest.join("\n");
    const numbers = Array.from(outcome.matchAll(/\d+(?:[.,]\d+)*/g), ([number]) => number);
    const missing = numbers.filter(
      (number) => !new RegExp(`(?<![\\d.,])${number.replaceAll(".", "\\.")}(?![\\d]|[.,]\\d)`).test(page),
    );
    expect(missing, `write the outcome of ${name} again, in src/outcomes.ts`).toEqual([]);
  });
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
