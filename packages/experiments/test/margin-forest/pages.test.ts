import type { Json } from "@vouch/core/internal/runtime/codec/state";
import { experimentNamed } from "@vouch/experiments";
import { describe, expect, it } from "vitest";
import {
  publishedAccuracy,
  publishedLearners,
  tablePublished,
} from "#experiments/margin-forest/published.js";

const letter = {
  dataset: "letter",
  training: 16000,
  test: 4000,
  features: 16,
  classes: 26,
  split: "official" as const,
  splits: 1,
  learners: [
    { name: "random-trees", accuracies: [0.96, 0.96, 0.96], layers: [0, 0, 0] },
    { name: "gcForest", accuracies: [0.97, 0.972, 0.974], layers: [2, 3, 4] },
    { name: "mdDF", accuracies: [0.974, 0.974, 0.977], layers: [4, 4, 4] },
    { name: "mdDF as printed", accuracies: [0.973], layers: [3] },
  ],
};
const sizes = { singleTrees: 500, trees: 50, folds: 5 };

function render(experiment: string, data: Json): string {
  return experimentNamed(experiment).render({ experiment, scale: "paper", seed: 1, vouch: "0", data });
}

/** The cells of the first line of Markdown that starts with these cells. */
function cells(page: string, ...first: string[]): string[] {
  const lines = page.split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return lines.find((line) => first.every((cell, j) => line[j] === cell)) ?? [];
}

describe("the published table", () => {
  it("has an accuracy of every learner on every set, the best one for mdDF", () => {
    for (const { dataset, accuracies } of tablePublished) {
      expect(accuracies, dataset).toHaveLength(publishedLearners.length);
      expect(publishedAccuracy(dataset, "mdDF"), dataset).toBe(Math.max(...accuracies));
    }
    expect(publishedAccuracy("letter", "mdDF NP")).toBe(96.975);
    expect(publishedAccuracy("letter", "random-trees")).toBeUndefined();
    expect(publishedAccuracy("iris", "mdDF")).toBeUndefined();
  });
});

describe("the page of the table", () => {
  const page = render("margin-forest/table", { seeds: 3, sizes, sets: [letter], absent: ["mnist"] });

  it("has published accuracies above ours, and dashes for missing ones", () => {
    const titles = cells(page, "data set", "");
    expect(titles.filter((title) => title !== "mdDF as printed")).toEqual([
      "data set",
      "",
      ...publishedLearners,
      "random-trees",
    ]);
    expect(titles.indexOf("mdDF as printed")).toBe(titles.indexOf("mdDF") + 1);
    const published = cells(page, "letter", "published");
    const ours = cells(page, "", "vouch");
    const column = (name: string) => [published[titles.indexOf(name)], ours[titles.indexOf(name)]];
    expect(column("XGBoost")).toEqual(["95.850", "–"]);
    expect(column("random-trees")).toEqual(["–", "96.00 ± 0.00"]);
    // The deviation of 97.4, 97.4 and 97.7 is 0.1732.
    expect(column("mdDF")).toEqual(["97.500", "97.50 ± 0.10"]);
  });

  it("tells whether the published accuracy is reached, and the gain over gcForest", () => {
    // Differences 0.4, 0.2 and 0.3 points: deviation 0.1.
    expect(cells(page, "letter", "mdDF").slice(2)).toEqual([
      "97.500",
      "97.50 ± 0.10",
      "yes",
      "+0.30 ± 0.06",
      "official, 16,000 training and 4,000 test rows, 3 seeds",
    ]);
    // One seed, compared with the same seed of gcForest.
    expect(cells(page, "letter", "mdDF as printed").slice(2)).toEqual([
      "97.500",
      "97.30",
      "no",
      "+0.30",
      "official, 16,000 training and 4,000 test rows, 1 seed",
    ]);
    const lower = {
      ...letter,
      learners: [{ name: "mdDF", accuracies: [0.97, 0.97, 0.973], layers: [4, 4, 4] }],
    };
    const other = render("margin-forest/table", { seeds: 3, sizes, sets: [lower], absent: [] });
    expect(cells(other, "letter", "mdDF")[4]).toBe("no");
    expect(page).toContain("Not measured: mnist.");
  });

  it("names the settings of each learner that was measured", () => {
    expect(cells(page, "random-trees", "`random-trees trees=500`")).not.toEqual([]);
    expect(cells(page, "mdDF as printed")[1]).toBe("`mddf reweight=always`");
    expect(cells(page, "mdDF SF")).toEqual([]);
  });

  it("counts the layers of deep forests", () => {
    expect(cells(page, "data set", "gcForest")).toEqual(["data set", "gcForest", "mdDF", "mdDF as printed"]);
    expect(cells(page, "letter", "3.0")).toEqual(["letter", "3.0", "4.0", "3.0"]);
  });
});

describe("the page of the margins", () => {
  it("shows points of the cumulative curve of each layer", () => {
    const quantiles = Array.from({ length: 101 }, (_, percent) => (percent - 20) / 100);
    const layer = {
      alpha: 1.5,
      outOfFoldAccuracy: 0.8,
      testAccuracy: 0.75,
      mean: 0.3,
      variance: 0.09,
      ratio: 1,
      quantiles,
    };
    const second = { ...layer, ratio: null, quantiles: quantiles.map((margin) => margin + 0.1) };
    const page = render("margin-forest/margins", {
      sizes: { trees: 50, folds: 5 },
      sets: [{ dataset: "letter", rows: 16000, learners: [{ name: "mdDF", layers: [layer, second] }] }],
      absent: [],
    });
    expect(page).toContain("### letter, mdDF: 16,000 training rows");
    expect(cells(page, "", "layer 1")).toEqual(["", "layer 1", "layer 2"]);
    expect(cells(page, "accuracy out of fold, %").slice(1)).toEqual(["80.00", "80.00"]);
    expect(cells(page, "test accuracy, %").slice(1)).toEqual(["75.00", "75.00"]);
    expect(cells(page, "λ")).toEqual(["λ", "1.0000", "∞"]);
    expect(cells(page, "25% at most")).toEqual(["25% at most", "0.0500", "0.1500"]);
  });
});
