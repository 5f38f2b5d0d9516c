import { describe, expect, it } from "vitest";
import { dividedSet, testRows } from "#experiments/divisions.js";

describe("the random division of a data set", () => {
  it("tests 30% of each class by default", async () => {
    const { training, test, features, classes, split, division } = await dividedSet("iris", {});
    expect({ training, test, features, classes, split }).toEqual({
      training: 105,
      test: 45,
      features: 4,
      classes: 3,
      split: "random",
    });
    const { labels } = testRows(division(1, 0));
    for (const label of [0, 1, 2]) expect(labels.filter((own) => own === label)).toHaveLength(15);
  });

  it("depends on seed and split alone", async () => {
    const { division } = await dividedSet("iris", {});
    const cells = (seed: number, split: number) => {
      const [first] = testRows(division(seed, split)).features.columns;
      return first.kind === "numeric" ? Array.from(first.values) : [];
    };
    expect(cells(1, 0)).toEqual(cells(1, 0));
    expect(cells(1, 0)).not.toEqual(cells(1, 1));
    expect(cells(1, 0)).not.toEqual(cells(2, 0));
  });
});
