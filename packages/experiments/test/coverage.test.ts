import { expect, it } from "vitest";
import { coverage, coverageTable } from "#experiments/coverage.js";
import { experiments } from "#experiments/experiments.js";

it("every experiment is part of what is covered, and nothing else is", () => {
  const covered = coverage.flatMap(({ experiment }) => experiment ?? []);
  expect(covered.toSorted()).toEqual(experiments.map(({ name }) => name).toSorted());
});

it("what is not computed has a reason", () => {
  for (const { what, experiment, remark } of coverage) {
    expect(experiment ?? remark, what).toBeDefined();
  }
});

it("links lead to the headings of the page", () => {
  expect(coverageTable()).toContain("[deep-cascades/table-1](#deep-cascadestable-1)");
});
