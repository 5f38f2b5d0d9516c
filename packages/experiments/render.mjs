// Writes RESULTS.md and the tables of docs/probabilities.md and docs/watch.md from the results in results/. Run it after a result has changed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { withCalibrationTable } from "./dist/calibration/docs-table.js";
import { withWatchTables } from "./dist/certificates/watch.js";
import { parseResult } from "./dist/experiment.js";
import { resultsPage } from "./dist/results-page.js";

const page = await resultsPage(new URL("results/", import.meta.url));
writeFileSync(new URL("RESULTS.md", import.meta.url), page);

/** Writes the tables of a result into a page of the documentation, if there is a result. */
function renderInto(page, name, withTables) {
  const file = new URL(`results/${name}.json`, import.meta.url);
  const docs = new URL(`../../docs/${page}`, import.meta.url);
  if (!existsSync(file)) return;
  const result = parseResult(readFileSync(file, "utf8"), `${name}.json`);
  writeFileSync(docs, withTables(readFileSync(docs, "utf8"), result));
}

renderInto("probabilities.md", "calibration/log-loss", withCalibrationTable);
renderInto("watch.md", "certificates/watch", withWatchTables);
