import * as z from "zod";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { coveragePage } from "./coverage-page.js";
import { misreadHoldouts, misreadSchema } from "./misread-stratification.js";
import { type Population, populationNames, populations } from "./populations.js";
import { type SimulatedLearner, simulatedLearnerNames, simulatedLearners } from "./simulated-learners.js";
import { type Setting, type SimulationInput, simulationTask, type Tally } from "./simulated-runs.js";

const HOLDOUTS = [0.1, 0.5, 0.9];
const ROWS = 200;
const RUNS: Readonly<Record<Scale, number>> = { quick: 40, paper: 1000 };
/** Learner of scale quick, whose bounds are the fastest. */
const QUICK_LEARNERS: readonly SimulatedLearner[] = ["svm"];
/** Stratified hold-outs, of populations and by learners. */
const STRATIFIED = ["balanced noise", "rare class", "three classes"] as const;
const STRATIFIED_LEARNERS: readonly SimulatedLearner[] = ["svm"];
const MISREAD_RUNS: Readonly<Record<Scale, number>> = { quick: 2000, paper: 20_000 };

/** Number of runs per task: few, so that the threads end together. */
const RUNS_OF_A_TASK = 50;

const counts = z.array(z.int().min(0)).length(3);

const settingSchema = z.strictObject({
  population: z.enum(populationNames),
  learner: z.enum(simulatedLearnerNames),
  rows: z.int().min(1),
  holdout: z.number(),
  stratify: z.boolean(),
  tallies: z.array(
    z.strictObject({ certificate: z.string(), runs: counts, claims: counts, failures: counts }),
  ),
});

/** The outcome of a setting. */
export type SimulatedSetting = z.infer<typeof settingSchema>;

/** Experiment: do certificates fail as rarely as they claim? */
export const certificateCoverage = defineExperiment({
  name: "certificates/coverage",
  paper: "vouch's own certificates",
  shows:
    "How often each certificate is false, on distributions where the truth is known exactly: at most δ of the runs in which no premise is reported violated, up to two standard errors.",
  cost: {
    quick: "1 learner on 8 distributions, 40 runs each: about 10 seconds",
    paper:
      "15 learners on 8 distributions, 1,000 runs each, fewer for some learners: about 22 minutes on two threads",
  },
  data: z.strictObject({ settings: z.array(settingSchema), misread: z.array(misreadSchema) }),
  async measure(run) {
    const planned = settingsAt(run.scale);
    const parts = await partsOf(run, populationNames, z.array(settingSchema), (name) =>
      simulated(
        name,
        planned.filter(({ setting }) => setting.population === name),
        run,
      ),
    );
    return { settings: parts.flat(), misread: misreadHoldouts(MISREAD_RUNS[run.scale], run.seed) };
  },
  tables: coveragePage,
});

interface PlannedSetting {
  readonly setting: Setting;
  readonly runs: number;
  /** The stream of random numbers of the setting. */
  readonly stream: number;
}

function settingsAt(scale: Scale): PlannedSetting[] {
  const learners = scale === "quick" ? QUICK_LEARNERS : simulatedLearnerNames;
  const planned = (split: Pick<Setting, "population" | "learner" | "stratify">) =>
    HOLDOUTS.map((holdout) => ({
      setting: { ...split, rows: ROWS, holdout },
      runs: Math.round(RUNS[scale] * simulatedLearners[split.learner].share),
    }));
  const settings = [
    ...populationNames.flatMap((population) =>
      learners
        .filter((learner) => suits(learner, populations[population]))
        .flatMap((learner) => planned({ population, learner, stratify: false })),
    ),
    ...STRATIFIED.flatMap((population) =>
      STRATIFIED_LEARNERS.filter((learner) => learners.includes(learner)).flatMap((learner) =>
        planned({ population, learner, stratify: true }),
      ),
    ),
  ];
  return settings.map((setting, stream) => ({ ...setting, stream }));
}

function suits(learner: SimulatedLearner, { classes, sampling }: Population): boolean {
  const { classes: taken, independentOnly = false } = simulatedLearners[learner];
  if (independentOnly && (sampling === "groups" || sampling === "copies")) return false;
  return taken === "any" || (taken === "two") === (classes.length === 2);
}

/** Simulates settings, in tasks of a few runs each; the result does not depend on the number of threads. */
async function simulated(
  population: string,
  planned: readonly PlannedSetting[],
  { executor, signal, seed, progress }: ExperimentRun,
): Promise<SimulatedSetting[]> {
  const inputs = planned.flatMap(({ setting, runs, stream }): SimulationInput[] =>
    Array.from({ length: Math.ceil(runs / RUNS_OF_A_TASK) }, (_, i) => {
      const firstRun = i * RUNS_OF_A_TASK;
      return { ...setting, seed, stream, firstRun, runs: Math.min(RUNS_OF_A_TASK, runs - firstRun) };
    }),
  );
  const tallies = await executor.map(simulationTask, inputs, {
    signal,
    onProgress: (done, total) => progress({ stage: `${population}: simulations`, done, total }),
  });
  return planned.map(({ setting, stream }) => ({
    ...setting,
    tallies: added(tallies.filter((_, i) => inputs[i].stream === stream).flat()),
  }));
}

/** Sums the tallies of each certificate. */
function added(tallies: readonly Tally[]): Tally[] {
  const sums = new Map<string, Tally>();
  const plus = (a: readonly number[], b: readonly number[]) => a.map((value, i) => value + b[i]);
  for (const tally of tallies) {
    const sum = sums.get(tally.certificate);
    sums.set(
      tally.certificate,
      sum
        ? {
            certificate: tally.certificate,
            runs: plus(sum.runs, tally.runs),
            claims: plus(sum.claims, tally.claims),
            failures: plus(sum.failures, tally.failures),
          }
        : tally,
    );
  }
  return [...sums.values()].sort((a, b) => (a.certificate < b.certificate ? -1 : 1));
}
