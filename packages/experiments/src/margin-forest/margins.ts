import { cascadeForest, mddf } from "vouch";
import { firstLayers } from "vouch/learning";
import { marginStatistics } from "vouch/theory";
import { availableSets } from "../available-sets.js";
import { dividedSet } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partOf, type Scale } from "../experiment.js";
import { type FittedDivision, fitDivision } from "../fit-division.js";
import { contendersOn } from "./contenders.js";
import { type LayerMargins, layersSchema, marginsSchema, type SetMargins } from "./margins-data.js";
import { marginsPage } from "./margins-page.js";
import { paper, tablePublished } from "./paper.js";
import type { ForestSizes } from "./table-data.js";

type MarginsSizes = Omit<ForestSizes, "singleTrees">;

const sizes: Readonly<Record<Scale, MarginsSizes>> = {
  quick: { trees: 10, folds: 3 },
  paper: { trees: 50, folds: 5 },
};

/** The sets of the poster; at scale quick, a shipped one. */
const datasets: Readonly<Record<Scale, readonly string[]>> = {
  quick: ["ionosphere"],
  paper: tablePublished.map(({ dataset }) => dataset),
};

/** Of the contenders, those whose layers are shown. */
const SHOWN = ["mdDF", "gcForest"];

/** How the margin distribution moves from layer to layer, with weights that follow it and without. */
export const marginForestMargins = defineExperiment({
  name: "margin-forest/margins",
  paper,
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
    const sets: SetMargins[] = [];
    for (const name of present) sets.push(await marginsOn(name, sizes[run.scale], run));
    return { sizes: sizes[run.scale], sets, absent };
  },
  tables: marginsPage,
});

/** The layers of the deep forests on one data set. */
export async function marginsOn(
  dataset: string,
  sizes: MarginsSizes,
  run: ExperimentRun,
): Promise<SetMargins> {
  const { division, training } = await dividedSet(dataset, run.signal);
  const learners: SetMargins["learners"] = [];
  for (const { name, learner } of contendersOn(dataset).filter((contender) =>
    SHOWN.includes(contender.name),
  )) {
    const part = `${dataset}, ${name}`;
    const compute = async () =>
      layersOf(await fitDivision(learner({ ...sizes, singleTrees: 1 }), division(run.seed, 0), part, run));
    learners.push({ name, layers: await partOf(run, part, layersSchema, compute) });
  }
  return { dataset, rows: training, learners };
}

function layersOf({ model, accuracyOf }: FittedDivision): LayerMargins[] {
  if (!cascadeForest.made(model) && !mddf.made(model)) throw new Error(`${model.learner} has no layers.`);
  return model.layers.map(({ alpha, outOfFoldAccuracy, margins }, t) => {
    const { mean, variance, ratio, quantiles } = marginStatistics(margins);
    return {
      alpha,
      outOfFoldAccuracy,
      testAccuracy: accuracyOf(firstLayers(model, t + 1)),
      mean,
      variance,
      ratio: Number.isFinite(ratio) ? ratio : null,
      quantiles: quantiles.map((margin) => Number(margin.toFixed(4))),
    };
  });
}
