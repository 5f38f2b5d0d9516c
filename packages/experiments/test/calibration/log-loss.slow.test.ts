import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { completeRun } from "vouch/extend";
import { calibrationResultSchema } from "#experiments/calibration/calibration-result.js";
import { withCalibrationTable } from "#experiments/calibration/docs-table.js";
import { calibrationLogLoss } from "#experiments/calibration/log-loss.js";
import { parseResult } from "#experiments/experiment.js";

it("measures probabilities before and after calibration on shipped data sets", async () => {
  const result = await calibrationLogLoss.run({ ...completeRun({ seed: 1 }), scale: "quick" });
  const { cells } = calibrationResultSchema.parse(result.data);
  expect(cells).toHaveLength(15);
  for (const { learner, trials } of cells) {
    const [trial] = trials;
    // Votes of a committee are not probabilities, and softmax does not make them so.
    if (learner === "adaboost") expect(trial.after).toBeLessThan(trial.before - 0.1);
    // The frequencies of the classes are calibrated.
    if (learner === "majority") expect(trial.method).toBe("none");
    expect(trial.scoring === "decision" && trial.method === "none").toBe(false);
  }
  const page = calibrationLogLoss.render(result);
  expect(page).toMatch(/Log-loss worse by more than 0\.002: \d+ of 15/);
  const docs = withCalibrationTable(
    "a\n<!-- calibration/log-loss -->\nb\n<!-- end of calibration/log-loss -->\nc",
    result,
  );
  expect(docs).toMatch(/^a\n<!-- .* -->\n\n\| learner [^\n]*\n(\|[^\n]*\n)*\n<!-- end [^\n]* -->\nc$/);
  expect(() => withCalibrationTable("a", result)).toThrow("no lines");
}, 60_000);

it("docs/probabilities.md has the table of the committed result (npm run render)", () => {
  const file = new URL("../../results/calibration/log-loss.json", import.meta.url);
  const docs = readFileSync(new URL("../../../../docs/probabilities.md", import.meta.url), "utf8");
  if (!existsSync(file)) expect(docs).toContain("Not computed yet.");
  else
    expect(docs).toBe(withCalibrationTable(docs, parseResult(readFileSync(file, "utf8"), "log-loss.json")));
});
