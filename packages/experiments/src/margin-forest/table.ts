import { cascadeForest, mddf } from "vouch";
import { mean } from "vouch/select";
import * as z from "zod";
import { availableSets } from "../datasets.js";
import { accuracyOn, type DividedSet, dividedSet, fitDivision } from "../divisions.js";
import { defineExperiment, type ExperimentRun, isWanted, partOf, type Scale } from "../experiment.js";
import { papers } from "../papers.js";
import { contendersOn, type ForestContender, type ForestSizes, seedsOf } from "./contenders.js";
import { tablePublished } from "./published.js";
import { type SetAccuracies, shareSchema, tablePage, tableSchema } from "./table-page.js";

/** The size of the experiment. */
interface TableSizes extends ForestSizes {
  readonly seeds: number;
  /** Random splits for each seed, if there is no official one. */
  readonly splits: number;
}

const sizes: Readonly<Record<Scale, TableSizes>> = {
  quick: { singleTrees: 50, trees: 10, folds: 3, seeds: 2, splits: 1 },
  paper: { singleTrees: 500, trees: 50, folds: 5, seeds: 3, splits: 10 },
};

/** The data sets of the poster; at scale quick shipped ones, which are not on it. */
const datasets: Readonly<Record<Scale, readonly string[]>> = {
  quick: ["ionosphere", "iris"],
  paper: tablePublished.map(({ dataset }) => dataset),
};

/** Accuracy on the test rows, and the number of layers of the model; 0 without layers. */
const splitSchema = z.strictObject({ accuracy: shareSchema, layers: z.int().min(0) });

type SplitResult = z.output<typeof splitSchema>;

/** The poster's table: forests, deep forests, mdDF with its variants, a network and boosted trees. */
export const marginForestTable = defineExperiment({
  name: "margin-forest/table",
  paper: papers.forests.citation,
  shows:
    "Test accuracies of random forests, cascades of forests, mdDF at our defaults and as printed, its variants SF, ST and NP, networks and boosted trees, compared with the published figures.",
  cost: {
    quick: "two shipped data sets, small forests, 2 seeds: a few seconds",
    paper:
      "all sets of the poster that are available locally, 3 seeds, including mnist: hours on two cores; --resume FILE keeps finished parts, --only TEXT computes some",
  },
  data: tableSchema,
  divisible: true,
  async measure(run) {
    const { seeds, splits: _, ...forests } = sizes[run.scale];
    const { present, absent } = await availableSets(datasets[run.scale], run.scale);
    const sets: SetAccuracies[] = [];
    for (const name of present) {
      if (!hasWantedParts(name, seeds, run)) continue;
      sets.push(await accuraciesOn(name, sizes[run.scale], run));
    }
    return { seeds, sizes: forests, sets, absent };
  },
  tables: tablePage,
});

/** Names the trainings of a learner with one seed. */
function partName(dataset: string, { name }: ForestContender, seed: number): string {
  return `${dataset}, ${name}, seed ${seed}`;
}

/** Tells whether the run computes anything on a data set, before it is loaded. */
function hasWantedParts(dataset: string, seeds: number, run: ExperimentRun): boolean {
  return contendersOn(dataset).some((contender) =>
    Array.from({ length: seeds }, (_, k) => partName(dataset, contender, run.seed + k)).some((part) =>
      isWanted(run, part),
    ),
  );
}

/** Measures all learners on one data set, one after the other, so that only one model is in memory. */
export async function accuraciesOn(
  dataset: string,
  sizes: TableSizes,
  run: ExperimentRun,
): Promise<SetAccuracies> {
  const set = await dividedSet(dataset, run);
  const { division: _, ...facts } = set;
  const splits = facts.split === "official" ? 1 : sizes.splits;
  const learners: SetAccuracies["learners"] = [];
  for (const contender of contendersOn(dataset)) {
    const perSeed: SplitResult[] = [];
    const seeds = seedsOf(contender, dataset, facts.split, sizes.seeds);
    for (let k = 0; k < seeds; k++) {
      const seed = run.seed + k;
      const part = partName(dataset, contender, seed);
      if (!isWanted(run, part)) continue;
      perSeed.push(await meanOverSplits({ part, set, splits, contender, sizes }, { ...run, seed }));
    }
    if (perSeed.length === 0) continue;
    learners.push({
      name: contender.name,
      accuracies: perSeed.map(({ accuracy }) => accuracy),
      layers: perSeed.map(({ layers }) => layers),
    });
  }
  return { dataset, ...facts, splits, learners };
}

/** One learner on the splits of one seed. */
interface SeedWork {
  readonly part: string;
  readonly set: DividedSet;
  readonly splits: number;
  readonly contender: ForestContender;
  readonly sizes: ForestSizes;
}

/** Trains once for each split and returns the means. */
async function meanOverSplits(
  { part: name, set, splits, contender, sizes }: SeedWork,
  run: ExperimentRun,
): Promise<SplitResult> {
  const trials: SplitResult[] = [];
  for (let split = 0; split < splits; split++) {
    const part = splits > 1 ? `${name}, split ${split + 1}` : name;
    const compute = async () => {
      const learner = contender.learner(sizes);
      const { model, test } = await fitDivision(learner, set.division(run.seed, split), part, run);
      return {
        accuracy: await accuracyOn(model, test, run),
        layers: cascadeForest.made(model) || mddf.made(model) ? model.layers.length : 0,
      };
    };
    trials.push(await partOf(run, part, splitSchema, compute));
  }
  return {
    accuracy: mean(trials.map(({ accuracy }) => accuracy)),
    layers: mean(trials.map(({ layers }) => layers)),
  };
}
