import { formatCount, formatNumber, formatRoundPercent } from "vouch";
import { mean } from "vouch/select";
import type { z } from "zod";
import { absenceNote } from "../available-sets.js";
import { TEST_SHARE } from "../divisions.js";
import { markdownTable } from "../markdown-table.js";
import { differenceCell, pointsCell, standardError } from "../points-cell.js";
import { publishedAccuracy, publishedLearners } from "./paper.js";
import type { LearnerAccuracies, SetAccuracies, tableSchema } from "./table-data.js";

const NOTES = `\
_gcForest_ is our \`cascade-forest\`, that is without scanning, as the poster seems to have it: the authors of gcForest
report 99.26 on mnist with scanning. (If mnist is measured with _scanning_, windows of 10 × 10 pixels scan the images before
the first layer.) _mdDF SF_ has four random forests in each layer; _ST_ passes on only predictions, without the features; _NP_ passes
on the last layer's predictions instead of the accumulated ones. The poster does not specify the loss ℓ_md, the size of RF or the
protocol for yeast. _MLP_ is our \`mlp\`, and our own _boosted-trees_ are shown next to the published XGBoost, both at their
defaults; the poster gives the settings of neither. Learners without a number from vouch were not measured; those without a published
number are not on the poster.`;

const REACHED = `\
_Reached_: our mean plus one standard error is at least the published accuracy. The poster gives no spread. _Over gcForest_
is the mean difference, mdDF minus gcForest, over the seeds, with its standard error; both have the same rows and seeds.`;

/** The result as Markdown, in the layout of the poster's table. */
export function tablePage({ seeds, sizes, sets, absent }: z.output<typeof tableSchema>): string {
  const { trees, folds, singleTrees } = sizes;
  return [
    `The table shows test accuracies in per cent: as published, and as the mean ± standard error over ${formatCount(seeds, "seed")} (no ± for a single seed). Layers have 4 forests × ${trees} trees with ${folds} folds; RF and random-trees have ${formatNumber(singleTrees)} trees.`,
    accuracyTable(sets),
    splitNote(sets),
    NOTES,
    "### mdDF compared with the published figure and with gcForest",
    REACHED,
    comparisonTable(sets),
    "### Layers",
    "Mean number of layers kept by the out-of-fold score, over the seeds.",
    layersTable(sets),
    ...absenceNote(absent),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function accuracyTable(sets: readonly SetAccuracies[]): string {
  const ours = sets.flatMap(({ learners }) => learners.map(({ name }) => name));
  const names = [...new Set([...publishedLearners, ...ours])];
  const cells = sets.flatMap((set) => {
    const { dataset } = set;
    const isPublished = publishedAccuracy(dataset, "mdDF") !== undefined;
    const published = [dataset, "published", ...names.map((name) => publishedCell(dataset, name))];
    const measured = names.map((name) => accuracyCell(learnerNamed(set, name)));
    return isPublished ? [published, ["", "vouch", ...measured]] : [[dataset, "vouch", ...measured]];
  });
  return markdownTable(["data set", "", ...names], cells);
}

function splitNote(sets: readonly SetAccuracies[]): string {
  const random = sets.filter(({ split }) => split === "random");
  if (random.length === 0) return "";
  const names = random.map(({ dataset }) => dataset).join(", ");
  const { splits } = random[0];
  return `Test rows are the official ones, except for ${names}: there each seed is the mean over ${formatCount(splits, "stratified random split")} with ${formatRoundPercent(TEST_SHARE)} test rows.`;
}

function comparisonTable(sets: readonly SetAccuracies[]): string {
  const cells = sets.map((set) => {
    const mddf = learnerNamed(set, "mdDF");
    const published = publishedAccuracy(set.dataset, "mdDF");
    return [
      set.dataset,
      `${formatNumber(set.training)} / ${formatNumber(set.test)}`,
      publishedCell(set.dataset, "mdDF"),
      accuracyCell(mddf),
      published === undefined || !mddf ? "–" : reaches(mddf, published) ? "yes" : "no",
      overCell(mddf, learnerNamed(set, "gcForest")),
    ];
  });
  return markdownTable(
    ["data set", "rows: training / test", "published", "mdDF", "reached", "over gcForest"],
    cells,
  );
}

/** Whether the mean and one standard error are at least the published accuracy. */
export function reaches({ accuracies }: Pick<LearnerAccuracies, "accuracies">, published: number): boolean {
  return 100 * (mean(accuracies) + standardError(accuracies)) >= published;
}

function layersTable(sets: readonly SetAccuracies[]): string {
  const layered = sets.flatMap(({ learners }) =>
    learners.filter(({ layers }) => Math.max(...layers) > 0).map(({ name }) => name),
  );
  const names = [...new Set(layered)];
  const cells = sets.map((set) => [
    set.dataset,
    ...names.map((name) => {
      const layers = learnerNamed(set, name)?.layers;
      return layers ? mean(layers).toFixed(1) : "–";
    }),
  ]);
  return markdownTable(["data set", ...names], cells);
}

function learnerNamed({ learners }: SetAccuracies, wanted: string): LearnerAccuracies | undefined {
  return learners.find(({ name }) => name === wanted);
}

function publishedCell(dataset: string, learner: string): string {
  return publishedAccuracy(dataset, learner)?.toFixed(3) ?? "–";
}

function accuracyCell(learner: LearnerAccuracies | undefined): string {
  return learner ? pointsCell(learner.accuracies) : "–";
}

function overCell(first: LearnerAccuracies | undefined, second: LearnerAccuracies | undefined): string {
  return first && second ? differenceCell(first.accuracies, second.accuracies) : "–";
}
