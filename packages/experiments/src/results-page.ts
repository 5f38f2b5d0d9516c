import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Experiment, parseResult } from "./experiment.js";
import { experiments } from "./experiments.js";
import { markdownTable } from "./markdown-table.js";
import { outcomes } from "./outcomes.js";
import { papers } from "./papers.js";

/** A table, figure or theorem of a paper, and where it is computed. */
interface Coverage {
  readonly paper: string;
  readonly what: string;
  /** The experiment that computes it; absent if there is nothing to compute. */
  readonly experiment?: string;
  /** Parts that are missing or differ from the paper, and why. */
  readonly remark?: string;
}

/** Every table and figure of the five papers, and the theorems whose effect is measured. */
export const coverage: readonly Coverage[] = [
  {
    paper: papers.thesis.short,
    what: "Table 5.1, Figures 5.1 and 5.3",
    experiment: "model-selection/adaboost",
  },
  {
    paper: papers.thesis.short,
    what: "Tables 5.2 and 5.3, Figure 5.2",
    experiment: "model-selection/networks",
    remark: "at the scale of the thesis: about 5.5 hours of one core",
  },
  { paper: papers.thesis.short, what: "Theorem 3.1", experiment: "model-selection/training-error" },
  {
    paper: papers.thesis.short,
    what: "Corollary 2.1, eq. 2.5",
    experiment: "model-selection/held-out-coverage",
  },
  {
    paper: papers.thesis.short,
    what: "bounds of chapters 2 to 4",
    experiment: "model-selection/certificates",
  },
  {
    paper: papers.thesis.short,
    what: "AIC and BIC, eq. 2.30 and 2.31",
    experiment: "model-selection/logistic",
    remark: "the thesis has no experiment with them",
  },
  { paper: papers.thesis.short, what: "pre-training, chapter 4", experiment: "model-selection/pretraining" },
  { paper: papers.thesis.short, what: "Figures 2.1, 4.1, 4.2, 4.3", remark: "diagrams; nothing to compute" },
  { paper: papers.cascades.short, what: "Table 1", experiment: "deep-cascades/table-1" },
  {
    paper: papers.cascades.short,
    what: "cascades beyond the paper",
    experiment: "deep-cascades/best",
    remark: "the paper has two classes and chains",
  },
  { paper: papers.cascades.short, what: "Figures 1 and 2", remark: "diagrams; nothing to compute" },
  { paper: papers.perceptrons.short, what: "Table 4.1", experiment: "deep-cascades-perceptron/table-4-1" },
  { paper: papers.perceptrons.short, what: "Table 4.2", experiment: "deep-cascades-perceptron/table-4-2" },
  { paper: papers.perceptrons.short, what: "Figure 2.1", remark: "a diagram; nothing to compute" },
  {
    paper: papers.forests.short,
    what: "the table",
    experiment: "margin-forest/table",
    remark: "without protein, har and sensit, which were not available",
  },
  {
    paper: papers.forests.short,
    what: "margins by layer",
    experiment: "margin-forest/margins",
    remark: "the same sets without mnist",
  },
  {
    paper: papers.hierarchies.short,
    what: "Figures 1 to 3",
    experiment: "relaxed-hierarchy/hierarchies",
    remark: "on other data: the paper's images and their features are not available",
  },
  {
    paper: papers.hierarchies.short,
    what: "accuracy against cost, as ρ varies",
    experiment: "relaxed-hierarchy/tradeoff",
    remark: "from the main paper, on other data",
  },
  { paper: "–", what: "the learner that `vouch train` chooses", experiment: "automatic/choice" },
  { paper: "–", what: "how often certificates fail", experiment: "certificates/coverage" },
  {
    paper: "–",
    what: "certificates of forests with weighted votes and of halves",
    experiment: "certificates/vote-weights",
  },
  {
    paper: "–",
    what: "bounds on Brier score and log-loss compared",
    experiment: "certificates/bounded-means",
  },
  {
    paper: "–",
    what: "false alarms and delays of the watch of a certificate",
    experiment: "certificates/watch",
  },
  {
    paper: "–",
    what: "how often abstention and prediction sets keep their promises",
    experiment: "decisions/abstention-and-sets",
  },
  {
    paper: "–",
    what: "probabilities before and after calibration",
    experiment: "calibration/log-loss",
  },
  {
    paper: "–",
    what: "models trained for a metric or for costs",
    experiment: "decisions/metrics",
  },
];

/** The page of an experiment, in the folder of results of the documentation. */
export function pageFile(experiment: string): string {
  return `${experiment}.md`;
}

/** Lists the tables, figures and theorems of each paper, with the pages of the experiments that compute them. */
function coverageTable(): string {
  const rows = coverage.map(({ paper, what, experiment, remark }) => [
    paper,
    what,
    experiment ? `[${experiment}](${pageFile(experiment)})` : "–",
    remark ?? "",
  ]);
  return markdownTable(["paper", "table or figure", "experiment", "remark"], rows);
}

const INTRODUCTION = `# Results

These pages show the tables and figures of the papers, and our own experiments, recomputed with vouch. The page on
[papers](../papers.md) leads from each theorem to its function, test and experiment.

${coverageTable()}

## Outcomes
`;

const REPRODUCTION = `## Reproduce a result

Each page names the command that computes it and the commit of the code that computed it, or the commit that stored the result. The
same seed gives the same numbers for any number of threads. Times and \`automatic/choice\` depend on the clock. To recompute a
result, for example the first one:

\`\`\`
npm run experiment -- ${experiments[0].name} --scale paper --json --out packages/experiments/results/${experiments[0].name}.json
\`\`\`

\`npm run render --workspace packages/experiments\` writes these pages from the files in \`packages/experiments/results\`.
`;

/** Renders the pages of the results by their files: one for each experiment, and an index. */
export async function resultsPages(folder: URL): Promise<Map<string, string>> {
  const pages = experiments.map(
    async (experiment) => [pageFile(experiment.name), await pageOf(experiment, folder)] as const,
  );
  return new Map([["README.md", indexPage()], ...(await Promise.all(pages))]);
}

function indexPage(): string {
  const list = experiments.map(
    ({ name }) => `* [${name}](${pageFile(name)}): ${outcomes[name] ?? "Not computed yet."}`,
  );
  return [INTRODUCTION, ...list, "", REPRODUCTION].join("\n");
}

/** A page begins with the name of the experiment and its outcome. */
async function pageOf(experiment: Experiment, folder: URL): Promise<string> {
  const { name, shows, paper } = experiment;
  const file = fileURLToPath(new URL(`${name}.json`, folder));
  if (!existsSync(file)) return `# ${name}\n\nNot computed yet.\n\n${shows} (${paper})\n`;
  const section = experiment.render(parseResult(await readFile(file, "utf8"), file));
  const [title, ...rest] = section.replaceAll(/^#(?=#+ )/gm, "").split("\n");
  return [title, "", `**Outcome.** ${outcomes[name]}`, ...rest].join("\n");
}
