import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import {
  formatCount,
  formatNumber,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import * as z from "zod";
import { absenceNote } from "../datasets.js";
import { divisionFacts, TEST_SHARE } from "../divisions.js";
import { differenceCell, markdownTable, percentCell, standardError } from "../markdown-table.js";
import { AS_PRINTED, MORE_TREES, SCANNING, settingsOfContenders, sizesSchema } from "./contenders.js";
import { publishedAccuracy, publishedLearners } from "./published.js";

/** A fraction of rows. */
export const shareSchema = z.number().min(0).max(1);

/** Lists have one entry per seed, the mean over its splits. */
const learnerSchema = z.strictObject({
  name: z.string(),
  accuracies: z.array(shareSchema).min(1),
  layers: z.array(z.number().min(0)).min(1),
});

/** The accuracies of one learner. */
type LearnerAccuracies = z.infer<typeof learnerSchema>;

const setSchema = z.strictObject({
  dataset: z.string(),
  ...divisionFacts,
  /** Splits per seed; 1 if the split is official. */
  splits: z.int().min(1),
  learners: z.array(learnerSchema),
});

/** The results on one data set. */
export type SetAccuracies = z.infer<typeof setSchema>;

/** The numbers of the table. */
export const tableSchema = z.strictObject({
  seeds: z.int().min(1),
  sizes: sizesSchema,
  sets: z.array(setSchema),
  /** Data sets that are not available locally. */
  absent: z.array(z.string()),
});

const NOTES = `\
_mdDF_ has our defaults, where a probe decides whether rows are reweighted; _mdDF as printed_ always reweights, as Algorithm 2
does; on mnist, which has many features, each forest of a layer passes on its own sum, elsewhere the layer one mean of all.
_mdDF, more trees_ has three times as many trees, which was better out of fold on letter and satimage.
_gcForest_ is our \`cascade-forest\`, that is without scanning, as the poster seems to have it: the authors of gcForest
report 99.26 on mnist with scanning. In _mdDF, scanning_, windows of 10 × 10 pixels scan the images before the first layer.
_mdDF SF_ has four random forests in each layer; _ST_ passes on only predictions, without the features; _NP_ passes
on the last layer's predictions instead of the accumulated ones. The poster does not specify the loss ℓ_md, the size of RF or the
protocol for yeast. _MLP_ is our \`mlp\`, and our own _boosted-trees_ are shown next to the published XGBoost, both at their
defaults; the poster gives the settings of neither. Learners without a number from vouch were not measured; those without a published
number are not on the poster.`;

const REACHED = `\
_Reached_: our mean plus one standard error is at least the accuracy that the poster has for mdDF. The poster gives no spread and
no protocol. _Over gcForest_ is the mean difference over the seeds that both have, with its standard error; both have the same rows
and seeds.`;

const SETTINGS = `\
Options that are not listed are at their defaults. Those of the deep forests were chosen by the out-of-fold accuracy of training
rows of adult, yeast, letter and satimage, but the test accuracies of the same runs could be seen: small differences on these
sets mean little. Leaf sizes, the number of layers, reweighting, r and μ are chosen out of fold in each training.`;

/** The learners that the poster's mdDF is compared with. */
const COMPARED = ["mdDF", AS_PRINTED, MORE_TREES, SCANNING];

/** Renders the result in the layout of the poster's table. */
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
    "### Settings",
    SETTINGS,
    settingsTable(sets, sizes),
    "### Layers",
    "Mean number of layers kept by the out-of-fold score, over the seeds.",
    layersTable(sets),
    ...absenceNote(absent),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function accuracyTable(sets: readonly SetAccuracies[]): string {
  const names = columnNames(sets);
  const cells = sets.flatMap((set) => {
    const { dataset } = set;
    const isOnPoster = publishedAccuracy(dataset, "mdDF") !== undefined;
    const published = [dataset, "published", ...names.map((name) => publishedCell(dataset, name))];
    const measured = names.map((name) => accuracyCell(learnerNamed(set, name)));
    return isOnPoster ? [published, ["", "vouch", ...measured]] : [[dataset, "vouch", ...measured]];
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

function measuredNames(sets: readonly SetAccuracies[]): string[] {
  return [...new Set(sets.flatMap(({ learners }) => learners.map(({ name }) => name)))];
}

/** Lists the learners of the poster, our kinds of mdDF beside its own, and then the others. */
function columnNames(sets: readonly SetAccuracies[]): string[] {
  const measured = measuredNames(sets);
  const kinds = COMPARED.filter((name) => name === "mdDF" || measured.includes(name));
  const names = publishedLearners.flatMap((name) => (name === "mdDF" ? kinds : [name]));
  return [...new Set([...names, ...measured])];
}

function comparisonTable(sets: readonly SetAccuracies[]): string {
  const cells = sets.flatMap((set) => {
    const published = publishedAccuracy(set.dataset, "mdDF");
    const compared = COMPARED.map((name) => learnerNamed(set, name)).filter((found) => found !== undefined);
    return compared.map((learner) => [
      set.dataset,
      learner.name,
      publishedCell(set.dataset, "mdDF"),
      accuracyCell(learner),
      published === undefined ? "–" : reaches(learner, published) ? "yes" : "no",
      overCell(learner, learnerNamed(set, "gcForest")),
      protocolOf(set, learner),
    ]);
  });
  return markdownTable(
    ["data set", "learner", "published", "vouch", "reached", "over gcForest", "protocol of vouch"],
    cells,
  );
}

/** States on which rows and with how many seeds a learner was measured. */
function protocolOf({ split, splits, training, test }: SetAccuracies, learner: LearnerAccuracies): string {
  const rows = `${formatNumber(training)} training and ${formatNumber(test)} test rows`;
  const division = split === "official" ? "official" : formatCount(splits, "random split");
  return `${division}, ${rows}, ${formatCount(learner.accuracies.length, "seed")}`;
}

function settingsTable(sets: readonly SetAccuracies[], sizes: z.output<typeof sizesSchema>): string {
  const measured = measuredNames(sets);
  const cells = settingsOfContenders(sizes)
    .filter(({ name }) => measured.includes(name))
    .map(({ name, settings }) => [name, `\`${settings}\``]);
  return markdownTable(["learner", "settings"], cells);
}

/** Returns whether the mean plus one standard error is at least the published accuracy. */
function reaches({ accuracies }: Pick<LearnerAccuracies, "accuracies">, published: number): boolean {
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
  return learner ? percentCell(learner.accuracies) : "–";
}

function overCell(first: LearnerAccuracies, second: LearnerAccuracies | undefined): string {
  if (!second) return "–";
  const seeds = Math.min(first.accuracies.length, second.accuracies.length);
  return differenceCell(first.accuracies.slice(0, seeds), second.accuracies.slice(0, seeds));
}
