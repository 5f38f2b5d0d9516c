import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { completeRun } from "vouch/extend";
import { certificateWatch, withWatchTables } from "#experiments/certificates/watch.js";
import { parseResult } from "#experiments/experiment.js";

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
  // Five or more of 20 streams at δ = 5% have a probability of 0.3%.
  expect(Number.parseInt(alarms[0][5], 10)).toBeLessThan(5);
  expect(delays).toHaveLength(4);
  for (const [, , , , , median, , , limit] of delays) {
    const rows = Number(median.replaceAll("*", ""));
    expect(rows).toBeGreaterThan(Number(limit) / 2);
    expect(rows).toBeLessThan(6 * Number(limit));
  }
});

it("its tables are in docs/watch.md: run `npm run render` in packages/experiments after a new result", () => {
  const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
  const docs = read("docs/watch.md");
  const result = parseResult(read("packages/experiments/results/certificates/watch.json"), "watch.json");
  expect(withWatchTables(docs, result)).toBe(docs);
});
