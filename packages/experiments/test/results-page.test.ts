import { readFileSync } from "node:fs";
import { experiments, resultsPage } from "@vouch/experiments";
import { expect, it } from "vitest";

const root = new URL("../", import.meta.url);

it("RESULTS.md is what the committed results render to (npm run render)", async () => {
  const page = readFileSync(new URL("RESULTS.md", root), "utf8");
  expect(page).toBe(await resultsPage(new URL("results/", root)));
  for (const { name } of experiments) expect(page).toContain(`## ${name}\n`);
  // Of all others the paper scale has been computed; that of the networks takes half a day.
  const quick = Array.from(page.matchAll(/vouch experiment (\S+) --scale quick/g), ([, name]) => name);
  expect(quick.filter((name) => name !== "model-selection/networks")).toEqual([]);
});
