import { describe, expect, it } from "vitest";
import type { Json } from "vouch";
import { marginStatistics } from "vouch/theory";
import { layerTable } from "#cli/layer-table.js";
import { layerInWords, layersOf } from "#cli/layers.js";

const described = (layer: number, margins: number[]): { [key: string]: Json } => {
  const { mean, variance, ratio, quantiles } = marginStatistics(margins);
  const known = Number.isFinite(ratio) ? ratio : null;
  return { layer, alpha: 0.5, outOfFoldAccuracy: 0.75, margins: { mean, variance, ratio: known, quantiles } };
};

describe("the layers of a description", () => {
  it("are read with their margins, a missing ratio as infinity", () => {
    const layers = layersOf({ depth: 2, layers: [described(1, [-0.5, 0.5]), described(2, [0.25, 0.75])] });
    expect(layers.map(({ layer, margins }) => [layer, margins.mean, margins.ratio])).toEqual([
      [1, 0, Number.POSITIVE_INFINITY],
      [2, 0.5, 0.5],
    ]);
    expect(layerInWords(layers[1])).toBe(
      "α 0.5, 75.0 % right out of fold, margins of mean 0.5, variance 0.0625, λ 0.5",
    );
  });

  it("are none where there are no layers, or layers of another kind", () => {
    const others: Json[] = ["text", {}, { layers: 3 }, { layers: [] }, { layers: [{ units: 5 }] }];
    for (const description of others) expect(layersOf(description)).toEqual([]);
    expect(layersOf({ layers: [described(1, [0.5]), { units: 5 }] })).toEqual([]);
  });
});

describe("the table of layers", () => {
  it("has a line for each layer, with its margins from −1 to 1 as bars to a common scale", () => {
    const spread = Array.from({ length: 101 }, (_, i) => (i < 50 ? -1 : i === 50 ? 0 : 1));
    const same = Array.from({ length: 101 }, () => 0.5);
    const layers = layersOf({ layers: [described(1, spread), described(2, same)] });
    const lines = layerTable(layers, 120).split("\n");
    // 50 margins of −1, one of 0, 50 of 1 against 101 in one cell: four eighths, an eighth, and all of the height.
    expect(lines).toEqual([
      "  layer    α  accuracy  mean  variance  λ  median  −1 to 1",
      "      1  0.5    75.0 %     0    0.9901  ∞       0  ▄·······▁······▄",
      "      2  0.5    75.0 %   0.5         0  0     0.5  ············█···",
    ]);
  });

  it("fits on 80 columns with long numbers", () => {
    const layers = layersOf({ layers: [described(12, [0.123456, 0.654321, -0.0123456])] });
    for (const line of layerTable(layers, 80).split("\n")) {
      expect([...line].length).toBeLessThanOrEqual(80);
      expect(line).not.toContain("…");
    }
  });
});
