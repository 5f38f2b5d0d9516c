// Writes the pages of docs/results and the tables of docs/probabilities.md and docs/watch.md from the results in
// results/. Run it after a change of a result.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { withCalibrationTable } from "./dist/calibration/docs-table.js";
import { withWatchTables } from "./dist/certificates/watch.js";
import { parseResult } from "./dist/experiment.js";
import { resultsPages } from "./dist/results-page.js";

const folder = new URL("../../docs/results/", import.meta.url);
rmSync(folder, { recursive: true, force: true });
for (const [file, text] of await resultsPages(new URL("results/", import.meta.url))) {
  const page = new URL(file, folder);
  mkdirSync(new URL(".", page), { recursive: true });
  writeFileSync(page, text);
}

/** Writes the tables of a result into a page of the documentation, if the result exists. */
function renderInto(page, name, withTables) {
  const file = new URL(`results/${name}.json`, import.meta.url);
  const docs = new URL(`../../docs/${page}`, import.meta.url);
  if (!existsSync(file)) return;
  const result = parseResult(readFileSync(file, "utf8"), `${name}.json`);
  writeFileSync(docs, withTables(readFileSync(docs, "utf8"), result));
}

renderInto("probabilities.md", "calibration/log-loss", withCalibrationTable);
renderInto("watch.md", "certificates/watch", withWatchTables);
