// Writes RESULTS.md from the results in results/. Run it after a result has changed.
import { writeFileSync } from "node:fs";
import { resultsPage } from "./dist/results-page.js";

const page = await resultsPage(new URL("results/", import.meta.url));
writeFileSync(new URL("RESULTS.md", import.meta.url), page);
