import { cascadeForest, mddf } from "vouch";
import { mean } from "vouch/select";
import type { z } from "zod";
import { availableSets } from "../available-sets.js";
import { type DividedSet, dividedSet } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partOf, type Scale } from "../experiment.js";
import { fitDivision } from "../fit-division.js";
import { type Contender, contendersOn, seedsOf } from "./contenders.js";
import { paper, tablePublished } from "./paper.js";
import { type ForestSizes, type SetAccuracies, tableSchema, trialSchema } from "./table-data.js";
import { tablePage } from "./table-page.js";

/** How much is measured. */
export interface TableSizes extends ForestSizes {
  readonly seeds: number;
  /** Random splits for each seed, of sets without an official one. */
  readonly splits: number;
}

const sizes: Readonly<Record<Scale, TableSizes>> = {
  quick: { singleTrees: 50, trees: 10, folds: 3, seeds: 2, splits: 1 },
  paper: { singleTrees: 500, trees: 50, folds: 5, seeds: 3, splits: 10 },
};

/** The sets of the poster; at scale quick, shipped ones that it does not have. */
const datasets: Readonly<Record<Scale, readonly string[]>> = {
  quick: ["ionosphere", "iris"],
  paper: tablePublished.map(({ dataset }) => dataset),
};

/** The poster's table: forests, deep forests, mdDF with its variants, a network and boosted trees. */
export const marginForestTable = defineExperiment({
  name: "margin-forest/table",
  paper,
  shows:
    "Test accuracies of random forests, cascades of forests, mdDF with its variants SF, ST and NP, networks and boosted trees, compared with the published figures.",
  cost: {
    quick: "two shipped data sets, small forests, 2 seeds: a few seconds",
    paper:
      "all sets of the poster that are available locally, 3 seeds, including mnist: hours on two cores; --resume FILE keeps finished parts",
  },
  data: tableSchema,
  async measure(run) {
    const { seeds, splits, ...forests } = sizes[run.scale];
    const { present, absent } = await availableSets(datasets[run.scale], run.scale);
    const sets: SetAccuracies[] = [];
    for (const name of present) sets.push(await accuraciesOn(name, sizes[run.scale], run));
    return { seeds, sizes: forests, sets, absent };
  },
  tables: tablePage,
});

/** All contenders on one data set, one training after the other, so that only one model is in memory. */
export async function accuraciesOn(
  dataset: string,
  sizes: TableSizes,
  run: ExperimentRun,
): Promise<SetAccuracies> {
  const set = await dividedSet(dataset, run.signal);
  const { division, ...facts } = set;
  const splits = facts.split === "official" ? 1 : sizes.splits;
  const learners: SetAccuracies["learners"] = [];
  for (const contender of contendersOn(dataset)) {
    const perSeed: Trial[] = [];
    const seeds = seedsOf(contender, dataset, facts.split, sizes.seeds);
    for (let k = 0; k < seeds; k++) {
      const onSeed = { ...run, seed: run.seed + k };
      perSeed.push(await meanTrial({ dataset, set, splits, contender, sizes }, onSeed));
    }
    const { name } = contender;
    learners.push({
      name,
      accuracies: perSeed.map(({ accuracy }) => accuracy),
      layers: perSeed.map(({ layers }) => layers),
    });
  }
  return { dataset, ...facts, splits, learners };
}

type Trial = z.output<typeof trialSchema>;

/** What is tried for one seed. */
interface Trials {
  readonly dataset: string;
  readonly set: DividedSet;
  readonly splits: number;
  readonly contender: Contender;
  readonly sizes: ForestSizes;
}

/** One training for each split, and the means. */
async function meanTrial(
  { dataset, set, splits, contender, sizes }: Trials,
  run: ExperimentRun,
): Promise<Trial> {
  const trials: Trial[] = [];
  for (let split = 0; split < splits; split++) {
    const which = splits > 1 ? `, split ${split + 1}` : "";
    const part = `${dataset}, ${contender.name}, seed ${run.seed}${which}`;
    const compute = async () => {
      const learner = contender.learner(sizes);
      const { model, accuracyOf } = await fitDivision(learner, set.division(run.seed, split), part, run);
      return {
        accuracy: accuracyOf(model),
        layers: cascadeForest.made(model) || mddf.made(model) ? model.layers.length : 0,
      };
    };
    trials.push(await partOf(run, part, trialSchema, compute));
  }
  return {
    accuracy: mean(trials.map(({ accuracy }) => accuracy)),
    layers: mean(trials.map(({ layers }) => layers)),
  };
}
