import type { Json } from "@vouch/core/internal/runtime/codec/state";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { catalogue, loadDataset } from "@vouch/datasets";
import * as z from "zod";
import { availableSets } from "../datasets.js";
import {
  type ExperimentRun,
  isWanted,
  missingParts,
  type PartialResults,
  PartsLeft,
  partOf,
  type Scale,
} from "../experiment.js";
import type { ChoiceData, ChoiceOnSet } from "./choice-data.js";
import { choiceDivisions, choiceSets, EXPERT_SEED } from "./choice-divisions.js";
import { raceOn, raceSchema, singlesOn, singlesSchema } from "./choice-trial.js";
import { recordedExpert } from "./expert-results.js";

/** Time limits in seconds. */
interface Limits {
  /** Budget of the choice; some sets have their own. */
  readonly budget: number;
  readonly budgets: Readonly<Record<string, number>>;
  /** Limit of a single learner; slower ones are skipped. */
  readonly single: number;
}

const limits: Readonly<Record<Scale, Limits>> = {
  quick: { budget: 5, budgets: {}, single: 20 },
  paper: { budget: 60, budgets: { mnist: 600 }, single: 600 },
};

/** The work on one split of a data set. */
interface DivisionParts {
  readonly dataset: string;
  readonly division: number;
  /** Names of its two parts: the choice within the budget, and the single learners. */
  readonly race: string;
  readonly singles: string;
}

/**
 * Lists the splits of a data set: the official one, or several random ones, because a single small test part says
 * little.
 */
function divisionsOf(
  dataset: string,
  { scale, seed }: Pick<ExperimentRun, "scale" | "seed">,
): DivisionParts[] {
  const entry = catalogue.find(({ name }) => name === dataset);
  const isOfficial = entry?.split === "official";
  return Array.from({ length: isOfficial ? 1 : choiceDivisions[scale] }, (_, division) => {
    const name = `${dataset}, seed ${seed + division}`;
    return {
      dataset,
      division,
      race: `${budgetOf(dataset, scale)} s race: ${name}`,
      singles: `singles: ${name}`,
    };
  });
}

function budgetOf(dataset: string, scale: Scale): number {
  const { budget, budgets } = limits[scale];
  return budgets[dataset] ?? budget;
}

/**
 * Measures the requested parts, and returns the results of data sets with finished races. Throws `PartsLeft` if other
 * processes must compute parts.
 */
export async function measureChoices(given: ExperimentRun): Promise<ChoiceData> {
  const run = { ...given, partial: given.partial ?? keptInMemory() };
  const { present, absent } = await availableSets(choiceSets[run.scale], run.scale);
  const divisions = present.flatMap((dataset) => divisionsOf(dataset, run));
  if (!run.finishedOnly) await computeParts(divisions, run);
  const sets: ChoiceOnSet[] = [];
  for (const dataset of present) {
    const own = divisions.filter((one) => one.dataset === dataset);
    const races = own.flatMap(({ race }) => run.partial.get(race) ?? []);
    const singles = own.map(({ singles }) => run.partial.get(singles));
    if (races.length < own.length) absent.push(dataset);
    else {
      const trials = z.array(raceSchema).parse(races);
      const all = z.array(singlesSchema).safeParse(singles);
      sets.push({ dataset, trials, ...(all.success && { singles: all.data }) });
    }
  }
  return { sets, absent, expert: await expertOn(sets, run.seed) };
}

/** Returns the parts in the numbers of an earlier run, except those with another budget. */
export function choiceParts(
  { sets }: ChoiceData,
  run: Pick<ExperimentRun, "scale" | "seed">,
): ReadonlyMap<string, Json> {
  const parts = new Map<string, Json>();
  for (const { dataset, trials, singles } of sets) {
    for (const { race, singles: others, division } of divisionsOf(dataset, run)) {
      const trial = trials[division];
      if (trial?.budget === budgetOf(dataset, run.scale)) parts.set(race, trial);
      if (singles?.[division]) parts.set(others, singles[division]);
    }
  }
  return parts;
}

async function computeParts(divisions: readonly DivisionParts[], run: ExperimentRun): Promise<void> {
  const names = divisions.flatMap(({ race, singles }) => [race, singles]);
  const { own, left } = missingParts(
    run,
    names.filter((name) => isWanted(run, name)),
  );
  for (const division of divisions) {
    const { dataset, race, singles } = division;
    if (!own.includes(race) && !own.includes(singles)) continue;
    const data = await loadDataset(dataset, run.signal ? { signal: run.signal } : {});
    const inner = inDivision(run, division);
    const { single } = limits[run.scale];
    if (own.includes(race)) {
      await partOf(run, race, raceSchema, () => raceOn(data, budgetOf(dataset, run.scale), inner));
    }
    if (own.includes(singles)) {
      await partOf(run, singles, singlesSchema, () => singlesOn(data, single, inner));
    }
  }
  if (left > 0) throw new PartsLeft(left);
}

/** Returns the recorded results of the expert on the measured splits. */
async function expertOn(sets: readonly ChoiceOnSet[], seed: number): Promise<ChoiceData["expert"]> {
  if (seed !== EXPERT_SEED) return [];
  const divisions = new Map(sets.map(({ dataset, trials }) => [dataset, trials.length]));
  return (await recordedExpert()).filter(({ dataset, division }) => division < (divisions.get(dataset) ?? 0));
}

function keptInMemory(): PartialResults {
  const parts = new Map<string, Json>();
  return {
    get: (part) => parts.get(part),
    add: async (part, value) => {
      parts.set(part, value);
    },
    commits: () => [],
  };
}

function inDivision(run: ExperimentRun, { dataset, division }: DivisionParts): Run {
  const { seed, executor, signal, progress } = run;
  return {
    executor,
    signal,
    seed: seed + division,
    progress: (report) =>
      progress({ ...report, stage: `${dataset}, division ${division + 1}: ${report.stage}` }),
  };
}
