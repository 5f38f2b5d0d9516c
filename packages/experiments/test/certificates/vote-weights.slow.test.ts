import { expect, it, vi } from "vitest";
import { completeRun } from "vouch/extend";
import { voteWeights } from "#experiments/certificates/vote-weights.js";

it("halves have far smaller bounds than weighted votes, and every bound is above the error", async () => {
  vi.stubEnv("VOUCH_DATA", "");
  const result = await voteWeights.run({ ...completeRun({ seed: 3 }), scale: "quick" });
  vi.unstubAllEnvs();
  const lines = voteWeights.render(result).split("\n");
  const cells = lines
    .filter((line) => /^\| (breastcancer|ionosphere|iris) /.test(line))
    .map((line) => line.split("|").slice(3, -1).map(Number));
  expect(cells).toHaveLength(3);
  for (const row of cells) {
    const [equal, , firstOrder, , tandem, , halves] = row.slice(1);
    for (let k = 0; k < row.length; k += 2) expect(row[k + 1]).toBeGreaterThan(row[k]);
    expect(halves).toBeLessThan(0.7 * Math.min(equal, firstOrder, tandem));
  }
});
