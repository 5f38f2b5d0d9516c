// Writes the splits of automatic/choice as CSV files for packages/bench/peers/expert.py: export-divisions.mjs FOLDER
// [SET,SET…]
import { choiceDivisions, choiceSets, EXPERT_SEED } from "./dist/automatic/choice-divisions.js";
import { exportDivisions } from "./dist/automatic/export-divisions.js";

const [folder, only] = process.argv.slice(2);
if (!folder || folder.startsWith("-"))
  throw new Error("Expected a folder: export-divisions.mjs FOLDER [SET,SET…]");
const datasets = choiceSets.paper.filter((name) => !only || only.split(",").includes(name));
await exportDivisions(folder, { datasets, divisions: choiceDivisions.paper, seed: EXPERT_SEED });
