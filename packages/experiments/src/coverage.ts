import { markdownTable } from "./markdown-table.js";

/** A table, figure or theorem of a paper, and where it is computed. */
export interface Coverage {
  readonly paper: string;
  readonly what: string;
  /** The experiment that computes it; absent where there is nothing to compute. */
  readonly experiment?: string;
  /** What is missing or other than in the paper, and why. */
  readonly remark?: string;
}

const THESIS = "Triviño 2017";
const CASCADES = "DeSalvo, Mohri, Syed 2015";
const PERCEPTRONS = "Vani, Venkatesh 2015";
const FORESTS = "Lyu, Yang, Zhou 2019";
const HIERARCHIES = "Gao, Koller 2011";

/** Every table and figure of the five papers, and the theorems whose effect is measured. */
export const coverage: readonly Coverage[] = [
  { paper: THESIS, what: "Table 5.1, Figures 5.1 and 5.3", experiment: "model-selection/adaboost" },
  {
    paper: THESIS,
    what: "Tables 5.2 and 5.3, Figure 5.2",
    experiment: "model-selection/networks",
    remark: "at scale quick; the scale of the thesis takes half a day",
  },
  { paper: THESIS, what: "Theorem 3.1", experiment: "model-selection/training-error" },
  { paper: THESIS, what: "Corollary 2.1, eq. 2.5", experiment: "model-selection/held-out-coverage" },
  { paper: THESIS, what: "bounds of chapters 2 to 4", experiment: "model-selection/certificates" },
  { paper: THESIS, what: "pre-training, chapter 4", experiment: "model-selection/pretraining" },
  { paper: THESIS, what: "Figures 2.1, 4.1, 4.2, 4.3", remark: "diagrams; nothing to compute" },
  { paper: CASCADES, what: "Table 1", experiment: "deep-cascades/table-1" },
  { paper: CASCADES, what: "Figures 1 and 2", remark: "diagrams; nothing to compute" },
  { paper: PERCEPTRONS, what: "Table 4.1", experiment: "deep-cascades-perceptron/table-4-1" },
  { paper: PERCEPTRONS, what: "Table 4.2", experiment: "deep-cascades-perceptron/table-4-2" },
  { paper: PERCEPTRONS, what: "Figure 2.1", remark: "a diagram; nothing to compute" },
  {
    paper: FORESTS,
    what: "the table",
    experiment: "margin-forest/table",
    remark: "without protein, har and sensit, which were not available, and mnist, which takes hours",
  },
  {
    paper: FORESTS,
    what: "margins by layer",
    experiment: "margin-forest/margins",
    remark: "the same sets",
  },
  {
    paper: HIERARCHIES,
    what: "Figures 1 to 3",
    experiment: "relaxed-hierarchy/hierarchies",
    remark: "on other data: the paper's images and their features are not available",
  },
  {
    paper: HIERARCHIES,
    what: "accuracy against cost, as ρ varies",
    experiment: "relaxed-hierarchy/tradeoff",
    remark: "from the main paper, on other data",
  },
  { paper: "–", what: "the learner that `vouch train` chooses", experiment: "automatic/choice" },
];

/** What of the papers is on the page, as a table. */
export function coverageTable(): string {
  const rows = coverage.map(({ paper, what, experiment, remark }) => [
    paper,
    what,
    experiment ? `[${experiment}](#${experiment.replaceAll("/", "")})` : "–",
    remark ?? "",
  ]);
  return markdownTable(["paper", "table or figure", "here", "remark"], rows);
}
