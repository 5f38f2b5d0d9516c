import { expect, it } from "vitest";
import { spreadAxisEnd } from "#views/panels/race/comparison-figure.js";

it("a comparison leaves learners far off out of the figure, so that the others have room", () => {
  const spread = (mean: number) => ({ name: "", values: [mean], mean, sd: 0 });
  expect(spreadAxisEnd([spread(0.03), spread(0.05), spread(0.4)], 0.5)).toBe(0.05);
  expect(spreadAxisEnd([spread(0.3), spread(0.5)], 0.6)).toBe(0.6);
});
