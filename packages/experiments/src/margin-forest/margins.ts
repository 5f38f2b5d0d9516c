import { cascadeForest, firstLayers, mddf } from "@vouch/core/internal/learners/deep-forest/deep-forests";
import {
  formatCount,
  formatNumber,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { marginStatistics } from "@vouch/core/internal/theory/margins/margin-statistics";
import * as z from "zod";
import { absenceNote, availableSets } from "../datasets.js";
import { accuracyOn, dividedSet, type FittedDivision, fitDivision } from "../divisions.js";
import { defineExperiment, type ExperimentRun, eachWithParts, partsOf, type Scale } from "../experiment.js";
import { markdownTable } from "../markdown-table.js";
import { papers } from "../papers.js";
import { contendersOn, type ForestSizes, sizesSchema } from "./contenders.js";
import { tablePublished } from "./published.js";

type MarginsSizes = Omit<ForestSizes, "singleTrees">;

const sizes: Readonly<Record<Scale, MarginsSizes>> = {
  quick: { trees: 10, folds: 3 },
  paper: { trees: 50, folds: 5 },
};

/** Data sets of the paper; scale quick uses a shipped one. */
const datasets: Readonly<Record<Scale, readonly string[]>> = {
  quick: ["ionosphere"],
  paper: tablePublished.map(({ dataset }) => dataset),
};

/** The learners whose layers are shown. */
const SHOWN = ["mdDF", "gcForest"];

const margin = z.number().min(-1).max(1);

const layerSchema = z.strictObject({
  /** α_t from the line search. */
  alpha: z.number().min(0),
  /** Accuracy of the model up to this layer on the training rows, out of fold. */
  outOfFoldAccuracy: z.number().min(0).max(1),
  testAccuracy: z.number().min(0).max(1),
  mean: margin,
  variance: z.number().min(0),
  /** λ; null if the mean is 0. */
  ratio: z.number().min(0).nullable(),
  /** The cumulative curve: percentiles 0, 1, … 100 of the margins. */
  quantiles: z.array(margin).length(101),
});

type LayerMargins = z.infer<typeof layerSchema>;

const layersSchema = z.array(layerSchema).min(1);

const setSchema = z.strictObject({
  dataset: z.string(),
  rows: z.int(),
  learners: z.array(z.strictObject({ name: z.string(), layers: layersSchema })),
});

/** The layers of all models on one data set. */
type SetMargins = z.infer<typeof setSchema>;

const marginsSchema = z.strictObject({
  sizes: sizesSchema.omit({ singleTrees: true }),
  sets: z.array(setSchema),
  /** Data sets that are not available locally. */
  absent: z.array(z.string()),
});

/** Experiment: margins from layer to layer, with and without weights that depend on them. */
export const marginForestMargins = defineExperiment({
  name: "margin-forest/margins",
  paper: papers.forests.citation,
  shows:
    "Cumulative margin curves for the layers of mdDF and of a cascade of forests without its weights, with the mean, variance and ratio λ of Theorem 1.",
  cost: {
    quick: "one shipped data set, small forests: a few seconds",
    paper:
      "all sets of the poster that are available locally, one seed, including mnist: an hour or more on two cores; --resume FILE keeps finished parts",
  },
  data: marginsSchema,
  async measure(run) {
    const { present, absent } = await availableSets(datasets[run.scale], run.scale);
    const sets = await eachWithParts(run, present, (name, run) => marginsOn(name, sizes[run.scale], run));
    return { sizes: sizes[run.scale], sets, absent };
  },
  tables: marginsPage,
});

/** Trains the deep forests on one data set and measures their layers. */
export async function marginsOn(
  dataset: string,
  sizes: MarginsSizes,
  run: ExperimentRun,
): Promise<SetMargins> {
  const { division, training } = await dividedSet(dataset, run);
  const shown = contendersOn(dataset).filter(({ name }) => SHOWN.includes(name));
  const parts = shown.map(({ name }) => `${dataset}, ${name}`);
  const layers = await partsOf(run, parts, layersSchema, async (part, k) => {
    const sized = shown[k].learner({ ...sizes, singleTrees: 1 });
    return layersOf(await fitDivision(sized, division(run.seed, 0), part, run), run);
  });
  return { dataset, rows: training, learners: shown.map(({ name }, k) => ({ name, layers: layers[k] })) };
}

async function layersOf({ model, test }: FittedDivision, run: ExperimentRun): Promise<LayerMargins[]> {
  if (!cascadeForest.made(model) && !mddf.made(model)) throw new Error(`${model.learner} has no layers.`);
  const layers: LayerMargins[] = [];
  for (const [t, { alpha, outOfFoldAccuracy, margins }] of model.layers.entries()) {
    const { mean, variance, ratio, quantiles } = marginStatistics(margins);
    layers.push({
      alpha,
      outOfFoldAccuracy,
      testAccuracy: await accuracyOn(firstLayers(model, t + 1), test, run),
      mean,
      variance,
      ratio: Number.isFinite(ratio) ? ratio : null,
      quantiles: quantiles.map((margin) => Number(margin.toFixed(4))),
    });
  }
  return layers;
}

/** Percentiles that are printed; the result contains all of them. */
const SHOWN_PERCENTS = [1, 5, 10, 25, 50, 75, 90];

const NOTES = `\
These are the out-of-fold margins of the training rows, normalised to [−1, 1], for the model up to each layer. Each line in the lower
part is a point of every layer's cumulative curve: this share of the rows has at most this margin. Theorem 1 favours a large mean and
a small ratio λ = √variance / mean. In a cascade without weights, only the last layer predicts.`;

/** Renders one table for each data set and learner. */
function marginsPage({ sizes, sets, absent }: z.output<typeof marginsSchema>): string {
  return [
    `Layers have 4 forests × ${sizes.trees} trees with ${sizes.folds} folds.`,
    NOTES,
    ...sets.flatMap(({ dataset, rows, learners }) =>
      learners.map(
        ({ name, layers }) =>
          `### ${dataset}, ${name}: ${formatCount(rows, "training row")}\n\n${layersTable(layers)}`,
      ),
    ),
    ...absenceNote(absent),
  ].join("\n\n");
}

function layersTable(layers: readonly LayerMargins[]): string {
  const line = (title: string, cell: (layer: LayerMargins) => string) => [title, ...layers.map(cell)];
  return markdownTable(
    ["", ...layers.map((_, t) => `layer ${t + 1}`)],
    [
      line("α", ({ alpha }) => formatNumber(Number(alpha.toPrecision(3)))),
      line("accuracy out of fold, %", ({ outOfFoldAccuracy }) => (100 * outOfFoldAccuracy).toFixed(2)),
      line("test accuracy, %", ({ testAccuracy }) => (100 * testAccuracy).toFixed(2)),
      line("mean", ({ mean }) => mean.toFixed(4)),
      line("variance", ({ variance }) => variance.toFixed(4)),
      line("λ", ({ ratio }) => ratio?.toFixed(4) ?? "∞"),
      ...SHOWN_PERCENTS.map((percent) =>
        line(`${formatRoundPercent(percent / 100)} at most`, ({ quantiles }) =>
          quantiles[percent].toFixed(4),
        ),
      ),
    ],
  );
}
