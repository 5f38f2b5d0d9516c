import { expect, it } from "vitest";
import { completeRun } from "vouch/learning";
import { certificateWatch } from "#experiments/certificates/watch.js";

it("alarms are rare without a change, and follow a change", async () => {
  const result = await certificateWatch.run({ ...completeRun({ seed: 1 }), scale: "quick" });
  const [alarms, delays] = certificateWatch
    .render(result)
    .split("\n\n")
    .filter((block) => block.startsWith("|"))
    .map((table) =>
      table
        .split("\n")
        .slice(2)
        .filter((line) => line.startsWith("|"))
        .map((line) => line.split("|").map((cell) => cell.trim())),
    );
  // Five or more of 20 streams at δ = 5 % have a probability of 0.3 %.
  expect(Number.parseInt(alarms[0][5], 10)).toBeLessThan(5);
  expect(delays).toHaveLength(4);
  for (const [, , , , , median, , , limit] of delays) {
    const rows = Number(median.replaceAll("*", ""));
    expect(rows).toBeGreaterThan(Number(limit) / 2);
    expect(rows).toBeLessThan(6 * Number(limit));
  }
});
