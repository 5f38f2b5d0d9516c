import { expect, it } from "vitest";
import { describeLayers } from "#vouch/learners/deep-forest/describe-layers.js";
import { marginStatistics } from "#vouch/theory/margins/margin-statistics.js";

it("layers are described by number, weight, accuracy and margins, as JSON keeps them", () => {
  const described = describeLayers([
    { alpha: 1, outOfFoldAccuracy: 0.5, margins: marginStatistics([-0.5, 0.5]) },
    { alpha: 0.25, outOfFoldAccuracy: 1, margins: marginStatistics([0.25, 0.75]) },
  ]);
  expect(JSON.parse(JSON.stringify(described))).toEqual(described);
  expect(described).toMatchObject([
    { layer: 1, alpha: 1, outOfFoldAccuracy: 0.5, margins: { mean: 0, variance: 0.25, ratio: null } },
    { layer: 2, alpha: 0.25, outOfFoldAccuracy: 1, margins: { mean: 0.5, variance: 0.0625, ratio: 0.5 } },
  ]);
});
