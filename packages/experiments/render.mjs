// Writes RESULTS.md and the table of docs/probabilities.md from the results in results/. Run it after a result has changed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { withCalibrationTable } from "./dist/calibration/docs-table.js";
import { parseResult } from "./dist/experiment.js";
import { resultsPage } from "./dist/results-page.js";

const page = await resultsPage(new URL("results/", import.meta.url));
writeFileSync(new URL("RESULTS.md", import.meta.url), page);

const calibration = new URL("results/calibration/log-loss.json", import.meta.url);
const docs = new URL("../../docs/probabilities.md", import.meta.url);
if (existsSync(calibration)) {
  const result = parseResult(readFileSync(calibration, "utf8"), "log-loss.json");
  writeFileSync(docs, withCalibrationTable(readFileSync(docs, "utf8"), result));
}
