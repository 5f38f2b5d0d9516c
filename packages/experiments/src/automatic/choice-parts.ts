import { type LoadedDataset, loadDataset } from "@vouch/datasets";
import type { Run } from "vouch";
import * as z from "zod";
import { availableSets } from "../datasets.js";
import { type ExperimentRun, partOf, type Scale } from "../experiment.js";
import type { ChoiceData, ChoiceOnSet } from "./choice-data.js";
import { choiceDivisions, choiceSets, EXPERT_SEED } from "./choice-divisions.js";
import { raceOn, raceSchema, singlesOn, singlesSchema } from "./choice-trial.js";
import { type ExpertTrial, recordedExpert } from "./expert-results.js";

/** Time limits in seconds. */
interface Limits {
  /** Budget of the choice; some sets have their own. */
  readonly budget: number;
  readonly budgets: Readonly<Record<string, number>>;
  /** Limit of a single learner; slower ones are left out. */
  readonly single: number;
}

const limits: Readonly<Record<Scale, Limits>> = {
  quick: { budget: 5, budgets: {}, single: 20 },
  paper: { budget: 60, budgets: { mnist: 600 }, single: 600 },
};

/** Measures the official division of a data set, or several random ones: a single small test part says little. */
export async function choicesOn(dataset: string, run: ExperimentRun): Promise<ChoiceOnSet> {
  const data = await loadDataset(dataset, run.signal ? { signal: run.signal } : {});
  const trials: ChoiceOnSet["trials"] = [];
  const singles: ChoiceOnSet["singles"] = [];
  for (let division = 0; division < divisionsOf(data, run.scale); division++) {
    trials.push(await raceOfDivision(data, division, run));
    singles.push(await singlesOfDivision(data, division, run));
  }
  return { dataset, trials, singles };
}

/** Returns the recorded results of the expert on the divisions that were measured. */
export async function expertOf(
  sets: readonly ChoiceOnSet[],
  { seed }: Pick<Run, "seed">,
): Promise<ExpertTrial[]> {
  if (seed !== EXPERT_SEED) return [];
  const divisions = new Map(sets.map(({ dataset, trials }) => [dataset, trials.length]));
  return (await recordedExpert()).filter(({ dataset, division }) => division < (divisions.get(dataset) ?? 0));
}

function divisionsOf(data: LoadedDataset, scale: Scale): number {
  return data.test ? 1 : choiceDivisions[scale];
}

/** The parts of a run: the choice, or the single learners, on each division. */
export const choiceWork = ["race", "singles"] as const;

/** One part of a run. */
export interface ChoicePart {
  readonly dataset: string;
  readonly division: number;
  readonly work: (typeof choiceWork)[number];
}

/** Lists the parts of the experiment, for a run of several processes. */
export async function choiceParts(
  scale: Scale,
  { only, work }: { readonly only?: readonly string[]; readonly work: ChoicePart["work"] },
): Promise<ChoicePart[]> {
  const { present } = await availableSets(choiceSets[scale], scale);
  const parts: ChoicePart[] = [];
  for (const dataset of present.filter((name) => only?.includes(name) ?? true)) {
    const divisions = divisionsOf(await loadDataset(dataset), scale);
    for (let division = 0; division < divisions; division++) parts.push({ dataset, division, work });
  }
  // Long budgets first, so that no process ends long after the others.
  return parts.sort((a, b) => budgetOf(b.dataset, scale) - budgetOf(a.dataset, scale));
}

/** Computes one part, and stores it in the partial results of the run. */
export async function measurePart(
  { dataset, division, work }: ChoicePart,
  run: ExperimentRun,
): Promise<void> {
  const data = await loadDataset(dataset);
  if (work === "race") await raceOfDivision(data, division, run);
  else await singlesOfDivision(data, division, run);
}

/** Returns the name of a part in the partial results. */
export function choicePartName({ dataset, division, work }: ChoicePart, seed: number): string {
  return `${dataset}, seed ${seed + division}${work === "singles" ? ", singles" : ""}`;
}

/** Puts together the data sets whose races are finished, without computing any. */
export async function finishedChoices(
  run: Pick<ExperimentRun, "partial" | "seed" | "scale">,
): Promise<ChoiceData> {
  const { present, absent } = await availableSets(choiceSets[run.scale], run.scale);
  const sets: ChoiceOnSet[] = [];
  for (const dataset of present) {
    const races = await choiceParts(run.scale, { only: [dataset], work: "race" });
    const stored = (work: ChoicePart["work"]) =>
      races.flatMap((part) => run.partial?.get(choicePartName({ ...part, work }, run.seed)) ?? []);
    const trials = z.array(raceSchema).parse(stored("race"));
    const singles = races.flatMap((part) => {
      const found = run.partial?.get(choicePartName({ ...part, work: "singles" }, run.seed));
      return found === undefined ? [] : [singlesSchema.parse(found)];
    });
    if (trials.length < races.length) absent.push(dataset);
    else sets.push({ dataset, trials, ...(singles.length === races.length && { singles }) });
  }
  return { sets, absent, expert: await expertOf(sets, run) };
}

function raceOfDivision(data: LoadedDataset, division: number, run: ExperimentRun) {
  const dataset = data.entry.name;
  const name = choicePartName({ dataset, division, work: "race" }, run.seed);
  const budget = budgetOf(dataset, run.scale);
  return partOf(run, name, raceSchema, () => raceOn(data, budget, inDivision(run, dataset, division)));
}

function singlesOfDivision(data: LoadedDataset, division: number, run: ExperimentRun) {
  const dataset = data.entry.name;
  const name = choicePartName({ dataset, division, work: "singles" }, run.seed);
  const { single } = limits[run.scale];
  return partOf(run, name, singlesSchema, () => singlesOn(data, single, inDivision(run, dataset, division)));
}

function budgetOf(dataset: string, scale: Scale): number {
  const { budget, budgets } = limits[scale];
  return budgets[dataset] ?? budget;
}

function inDivision(run: ExperimentRun, dataset: string, division: number): Run {
  const stage = (of: string) => `${dataset}, division ${division + 1}: ${of}`;
  return {
    ...run,
    seed: run.seed + division,
    progress: (report) => run.progress({ ...report, stage: stage(report.stage) }),
  };
}
