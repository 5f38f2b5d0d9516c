import { cascadeForest, mddf } from "@vouch/core/internal/learners/deep-forest/deep-forests";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { catalogue } from "@vouch/datasets";
import * as z from "zod";
import { availableSets } from "../datasets.js";
import { accuracyOn, type DividedSet, dividedSet, fitDivision } from "../divisions.js";
import { defineExperiment, type ExperimentRun, isWanted, partsOf, type Scale } from "../experiment.js";
import { papers } from "../papers.js";
import { contendersOn, type ForestContender, type ForestSizes, seedsOf } from "./contenders.js";
import { tablePublished } from "./published.js";
import { type SetAccuracies, shareSchema, tablePage, tableSchema } from "./table-page.js";

/** The size of the experiment. */
interface TableSizes extends ForestSizes {
  readonly seeds: number;
  /** Random splits per seed, if there is no official one. */
  readonly splits: number;
}

const sizes: Readonly<Record<Scale, TableSizes>> = {
  quick: { singleTrees: 50, trees: 10, folds: 3, seeds: 2, splits: 1 },
  paper: { singleTrees: 500, trees: 50, folds: 5, seeds: 3, splits: 10 },
};

/** Data sets of the paper; scale quick uses shipped ones, which are not in it. */
const datasets: Readonly<Record<Scale, readonly string[]>> = {
  quick: ["ionosphere", "iris"],
  paper: tablePublished.map(({ dataset }) => dataset),
};

/** Accuracy on the test rows, and the number of layers of the model; 0 without layers. */
const splitSchema = z.strictObject({ accuracy: shareSchema, layers: z.int().min(0) });

type SplitResult = z.output<typeof splitSchema>;

/** The published table: forests, deep forests, mdDF with its variants, a network and boosted trees. */
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
    const size = sizes[run.scale];
    const { seeds, splits: _, ...forests } = size;
    const { present, absent } = await availableSets(datasets[run.scale], run.scale);
    const sets = await accuraciesOn(present, size, run);
    return { seeds, sizes: forests, sets, absent: [...absent, ...unmeasured(present, sets, run)] };
  },
  tables: tablePage,
});

/** Lists the data sets without finished parts; a run of some parts skips others on purpose. */
function unmeasured(
  present: readonly string[],
  sets: readonly SetAccuracies[],
  run: ExperimentRun,
): string[] {
  return run.finishedOnly ? present.filter((name) => sets.every(({ dataset }) => dataset !== name)) : [];
}

/** A learner on the split of one seed. */
interface Training {
  readonly part: string;
  readonly dataset: string;
  readonly contender: ForestContender;
  readonly seed: number;
  readonly split: number;
}

/** Measures all learners on data sets one after the other, so that only one model and one set are in memory. */
export async function accuraciesOn(
  names: readonly string[],
  size: TableSizes,
  run: ExperimentRun,
): Promise<SetAccuracies[]> {
  const wanted = names
    .flatMap((name) => trainingsOn(name, size, run))
    .filter(({ part }) => isWanted(run, part));
  const { partial, finishedOnly } = run;
  const trainings = finishedOnly ? wanted.filter(({ part }) => partial?.get(part) !== undefined) : wanted;
  let loaded: { readonly name: string; readonly set: DividedSet } | undefined;
  const setOf = async (name: string) => {
    if (loaded?.name !== name) loaded = { name, set: await dividedSet(name, run) };
    return loaded.set;
  };
  const results = await partsOf(
    run,
    trainings.map(({ part }) => part),
    splitSchema,
    async (_, k) => train(trainings[k], await setOf(trainings[k].dataset), size, run),
  );
  const sets: SetAccuracies[] = [];
  for (const dataset of new Set(trainings.map((one) => one.dataset))) {
    const own = trainings
      .map((one, i) => ({ ...one, result: results[i] }))
      .filter((one) => one.dataset === dataset);
    const splits = splitsOf(dataset, size);
    const learners = learnersIn(own, splits);
    if (learners.length === 0) continue;
    const { division: _, ...facts } = await setOf(dataset);
    sets.push({ dataset, ...facts, splits, learners });
  }
  return sets;
}

/** Lists the trainings of all learners on a data set, in the order in which they are computed. */
function trainingsOn(dataset: string, size: TableSizes, { seed: first }: ExperimentRun): Training[] {
  const splits = splitsOf(dataset, size);
  return contendersOn(dataset).flatMap((contender) =>
    Array.from(
      { length: seedsOf(contender, dataset, kindOfSplit(dataset), size.seeds) },
      (_, k) => first + k,
    ).flatMap((seed) =>
      Array.from({ length: splits }, (_, split) => {
        const name = `${dataset}, ${contender.name}, seed ${seed}`;
        const part = splits > 1 ? `${name}, split ${split + 1}` : name;
        return { part, dataset, contender, seed, split };
      }),
    ),
  );
}

function kindOfSplit(dataset: string): "official" | "random" {
  return catalogue.find(({ name }) => name === dataset)?.split === "official" ? "official" : "random";
}

function splitsOf(dataset: string, { splits }: TableSizes): number {
  return kindOfSplit(dataset) === "official" ? 1 : splits;
}

async function train(
  { part, contender, seed, split }: Training,
  set: DividedSet,
  sizes: ForestSizes,
  given: ExperimentRun,
): Promise<SplitResult> {
  const run = { ...given, seed };
  const { model, test } = await fitDivision(contender.learner(sizes), set.division(seed, split), part, run);
  return {
    accuracy: await accuracyOn(model, test, run),
    layers: cascadeForest.made(model) || mddf.made(model) ? model.layers.length : 0,
  };
}

/** Averages the splits of each seed with all splits measured. */
function learnersIn(
  trainings: readonly (Training & { readonly result: SplitResult })[],
  splits: number,
): SetAccuracies["learners"] {
  const names = new Set(trainings.map(({ contender }) => contender.name));
  return [...names].flatMap((name) => {
    const own = trainings.filter(({ contender }) => contender.name === name);
    const seeds = [...new Set(own.map(({ seed }) => seed))]
      .map((seed) => own.filter((one) => one.seed === seed).map(({ result }) => result))
      .filter((results) => results.length === splits);
    if (seeds.length === 0) return [];
    return {
      name,
      accuracies: seeds.map((results) => mean(results.map(({ accuracy }) => accuracy))),
      layers: seeds.map((results) => mean(results.map(({ layers }) => layers))),
    };
  });
}
