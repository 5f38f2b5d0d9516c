import { describe, expect, it } from "vitest";
import { dividedSet } from "#experiments/divisions.js";

describe("the division of a data set without an official one", () => {
  it("tests 30 % of each class and trains on the others", async () => {
    const { training, test, features, classes, split, division } = await dividedSet("iris");
    expect({ training, test, features, classes, split }).toEqual({
      training: 105,
      test: 45,
      features: 4,
      classes: 3,
      split: "random",
    });
    const { labels } = division(1, 0).test;
    for (const label of [0, 1, 2]) expect(labels.filter((own) => own === label)).toHaveLength(15);
  });

  it("is another one for every seed and split, and the same for the same", async () => {
    const { division } = await dividedSet("iris");
    const cells = (seed: number, split: number) => {
      const [first] = division(seed, split).test.features.columns;
      return first.kind === "numeric" ? Array.from(first.values) : [];
    };
    expect(cells(1, 0)).toEqual(cells(1, 0));
    expect(cells(1, 0)).not.toEqual(cells(1, 1));
    expect(cells(1, 0)).not.toEqual(cells(2, 0));
  });
});
