import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { coverageTable } from "./coverage.js";
import { type Experiment, parseResult } from "./experiment.js";
import { experiments } from "./experiments.js";

const INTRODUCTION = `# Results

This page shows the tables and figures of the papers, recomputed with vouch. \`npm run render\` in this folder renders it from the
files in \`results/\`. The same seed gives the same numbers for any number of threads, except for times and
\`automatic/choice\`, which depend on the clock. To recompute a result, for example the first one:

\`\`\`
vouch experiment ${experiments[0].name} --scale paper --json --out results/${experiments[0].name}.json
\`\`\`

${coverageTable()}
`;

/** RESULTS.md: every experiment with the result that lies in the folder under its name, if there is one. */
export async function resultsPage(folder: URL): Promise<string> {
  const sections = experiments.map((experiment) => sectionOf(experiment, folder));
  return [INTRODUCTION, ...(await Promise.all(sections))].join("\n");
}

async function sectionOf(experiment: Experiment, folder: URL): Promise<string> {
  const { name, shows, paper } = experiment;
  const file = fileURLToPath(new URL(`${name}.json`, folder));
  if (!existsSync(file)) return `## ${name}\n\n${shows} (${paper})\n\nNot computed yet.\n`;
  return experiment.render(parseResult(await readFile(file, "utf8"), file));
}
