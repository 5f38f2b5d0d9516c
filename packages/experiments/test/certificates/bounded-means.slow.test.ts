import { expect, it } from "vitest";
import { completeRun } from "vouch/extend";
import { boundedMeans } from "#experiments/certificates/bounded-means.js";

it("the betting bound is the smallest on the shipped data sets", async () => {
  const { data, markdown } = await quick();
  expect(markdown).toContain("is above Hoeffding's by more than 0.002 of the range in 0,");
  expect(markdown).toContain("and above empirical Bernstein's in 0.");
  expect(JSON.stringify(data)).toContain("ionosphere");
});

async function quick() {
  const run = { ...completeRun({ seed: 1 }), scale: "quick" as const };
  const result = await boundedMeans.run(run);
  return { data: result.data, markdown: boundedMeans.render(result) };
}
