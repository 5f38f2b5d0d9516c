import { type LoadedDataset, loadDataset } from "@vouch/datasets";
import {
  byRacing,
  createLearner,
  defaultCandidates,
  type Learner,
  type Run,
  type TrainOptions,
  trainClassifier,
  VouchError,
} from "vouch";
import { mean } from "vouch/select";
import * as z from "zod";
import { absenceNote, availableSets } from "../datasets.js";
import { defineExperiment, type ExperimentRun, partOf, type Scale } from "../experiment.js";
import { markdownTable, percentCell } from "../markdown-table.js";

/** The size of the experiment. */
interface Sizes {
  /** Time budget of the choice in seconds. */
  readonly budget: number;
  /** Time limit of a single learner in seconds; slower ones are left out. */
  readonly timeLimit: number;
  /** Random divisions of a data set without an official test part. */
  readonly divisions: number;
}

const sizes: Readonly<Record<Scale, Sizes>> = {
  quick: { budget: 5, timeLimit: 20, divisions: 2 },
  paper: { budget: 60, timeLimit: 600, divisions: 5 },
};

/** Data sets; at scale quick shipped ones. */
const datasets: Readonly<Record<Scale, readonly string[]>> = {
  quick: ["ionosphere", "iris"],
  paper: [
    "adult",
    "breastcancer",
    "german",
    "ionosphere",
    "isolet",
    "leaves100",
    "letter",
    "optdigits",
    "pendigits",
    "satimage",
    "splice",
    "usps",
    "vowel",
    "yeast",
  ],
};

/** Single learners, with their default options. */
const singleLearners = [
  "majority",
  "stump",
  "adaboost",
  "linear-svm",
  "svm",
  "forest",
  "random-trees",
  "boosted-trees",
  "mlp",
  "cascade-forest",
  "mddf",
];

/** Largest difference to the best single learner that counts as near: half a point. */
const TOLERANCE = 0.005;

/** Share of the held-out rows if there is no official test part. */
const HOLDOUT = 0.2;

const errorSchema = z.number().min(0).max(1);

const trialSchema = z.strictObject({
  testRows: z.int().min(1),
  /** The chosen learner with its options, and its error on the test rows. */
  chosen: z.string(),
  error: errorSchema,
  /** Numbers of candidates that were tried, and of all candidates. */
  tried: z.int().min(1),
  candidates: z.int().min(1),
  /** Errors of single learners on the same test rows; absent if one takes too long or cannot be fitted. */
  singles: z.array(z.strictObject({ learner: z.string(), error: errorSchema.optional() })),
});

/** The results on one division of a data set. */
export type ChoiceTrial = z.output<typeof trialSchema>;

const setSchema = z.strictObject({ dataset: z.string(), trials: z.array(trialSchema).min(1) });

/** The results on a data set. */
type ChoiceOnSet = z.output<typeof setSchema>;

const dataSchema = z.strictObject({
  budget: z.number(),
  sets: z.array(setSchema),
  absent: z.array(z.string()),
});

/** The learner that `vouch train` chooses, compared with single learners. */
export const automaticChoice = defineExperiment({
  name: "automatic/choice",
  paper: "vouch itself",
  shows:
    "Test errors of the learner that `vouch train` chooses within its budget, compared with single learners at their defaults. The choice depends on the clock, so this table differs between machines.",
  cost: {
    quick: "two splits of two shipped data sets, 5 seconds each, and single learners: about a minute",
    paper:
      "nine data sets with official test rows, five splits of five others, 60 seconds each, and eleven single learners of at most ten minutes: about an hour on two cores; --resume FILE keeps finished parts",
  },
  data: dataSchema,
  async measure(run) {
    const { present, absent } = await availableSets(datasets[run.scale], run.scale);
    const sets: ChoiceOnSet[] = [];
    for (const name of present) sets.push(await choicesOn(name, sizes[run.scale], run));
    return { budget: sizes[run.scale].budget, sets, absent };
  },
  tables: ({ budget, sets, absent }) =>
    [choiceTable(sets), summary(sets, budget), ...absenceNote(absent)].join("\n\n"),
});

/** Measures the official division of a data set, or several random ones: a single small test part says little. */
async function choicesOn(dataset: string, sizes: Sizes, run: ExperimentRun): Promise<ChoiceOnSet> {
  const data = await loadDataset(dataset, run.signal ? { signal: run.signal } : {});
  const divisions = data.test ? 1 : sizes.divisions;
  const trials: ChoiceTrial[] = [];
  for (let division = 0; division < divisions; division++) {
    const seed = run.seed + division;
    const inDivision: Run = {
      ...run,
      seed,
      progress: (report) =>
        run.progress({
          ...report,
          stage: `${dataset}, division ${division + 1} of ${divisions}: ${report.stage}`,
        }),
    };
    const part = divisions === 1 ? dataset : `${dataset}, seed ${seed}`;
    trials.push(await partOf(run, part, trialSchema, () => choiceOn(data, sizes, inDivision)));
  }
  return { dataset, trials };
}

/** Trains the choice and the single learners on the same rows, and tests them on the same others. */
export async function choiceOn(
  { train, test, entry }: LoadedDataset,
  { budget, timeLimit }: Pick<Sizes, "budget" | "timeLimit">,
  run: Run,
): Promise<ChoiceTrial> {
  const measured = test ? { test } : { holdout: HOLDOUT, stratify: true };
  const options: TrainOptions = { target: entry.target, ...measured, calibrate: false, run };
  const choose = byRacing(defaultCandidates, { seconds: budget });
  const { evaluation, choice } = await trainClassifier(train, choose, options);
  if (!evaluation || !choice) throw new VouchError("data/no-rows", `${entry.name} has no rows to test on.`);
  const { candidates, untried } = choice;
  const singles: ChoiceTrial["singles"] = [];
  for (const name of singleLearners) {
    const learner = await createLearner(name);
    const error = await errorOf(learner, train, options, timeLimit, run);
    singles.push({ learner: name, ...(error !== undefined && { error }) });
  }
  return {
    testRows: evaluation.rows,
    chosen: candidates[0].name,
    error: evaluation.error,
    tried: candidates.length,
    candidates: candidates.length + untried.length,
    singles,
  };
}

/** Measures the error of a learner on the test rows; undefined if it takes too long or cannot be fitted. */
async function errorOf(
  learner: Learner,
  table: Parameters<typeof trainClassifier>[0],
  options: TrainOptions,
  seconds: number,
  run: Run,
): Promise<number | undefined> {
  const timeout = AbortSignal.timeout(1000 * seconds);
  const signal = run.signal ? AbortSignal.any([run.signal, timeout]) : timeout;
  try {
    const { evaluation } = await trainClassifier(table, learner, { ...options, run: { ...run, signal } });
    return evaluation?.error;
  } catch (error) {
    if (run.signal?.aborted || !(error instanceof VouchError)) throw error;
    return undefined;
  }
}

/** A learner and its errors on the divisions of a data set. */
interface Single {
  readonly learner: string;
  readonly errors: readonly number[];
}

/**
 * Finds the learner with the smallest mean test error among those that could be fitted to every division. Its error is
 * optimistic, because the test rows choose it.
 */
function bestSingle({ trials }: ChoiceOnSet): Single {
  const none: Single = { learner: "none", errors: trials.map(() => 1) };
  return singleLearners
    .map((learner): Single => {
      const errors = trials.flatMap(
        ({ singles }) => singles.find((one) => one.learner === learner)?.error ?? [],
      );
      return { learner, errors };
    })
    .filter(({ errors }) => errors.length === trials.length)
    .reduce((best, one) => (mean(one.errors) < mean(best.errors) ? one : best), none);
}

/** Computes the error of the choice minus that of the best single learner, on each division. */
function behind(set: ChoiceOnSet): number[] {
  const { errors } = bestSingle(set);
  return set.trials.map(({ error }, division) => error - errors[division]);
}

function choiceTable(sets: readonly ChoiceOnSet[]): string {
  const titles = [
    "data set",
    "test rows",
    "chosen",
    "tried",
    "error",
    "best single learner",
    "error",
    "behind",
  ];
  const rows = sets.map((set) => {
    const { trials } = set;
    const best = bestSingle(set);
    return [
      set.dataset,
      trials.length > 1 ? `${trials.length} × ${trials[0].testRows}` : String(trials[0].testRows),
      chosenCell(trials),
      `${Math.min(...trials.map(({ tried }) => tried))} of ${trials[0].candidates}`,
      percentCell(trials.map(({ error }) => error)),
      best.learner,
      percentCell(best.errors),
      percentCell(behind(set)),
    ];
  });
  return markdownTable(titles, rows);
}

/** Names the chosen learner with its options; for several divisions, counts the kinds of learners. */
function chosenCell(trials: readonly ChoiceTrial[]): string {
  if (trials.length === 1) return trials[0].chosen;
  const kinds = trials.map(({ chosen }) => chosen.split(" ")[0]);
  const counts = [...new Set(kinds)].map((kind) => ({
    kind,
    times: kinds.filter((one) => one === kind).length,
  }));
  counts.sort((a, b) => b.times - a.times);
  return counts.map(({ kind, times }) => (times > 1 ? `${times} × ${kind}` : kind)).join(", ");
}

function summary(sets: readonly ChoiceOnSet[], budget: number): string {
  const near = sets.filter((set) => mean(behind(set)) <= TOLERANCE);
  const missing = sets.flatMap(({ dataset, trials }) =>
    singleLearners
      .filter((learner) => trials.some(({ singles }) => lacks(singles, learner)))
      .map((learner) => `${learner} on ${dataset}`),
  );
  const left = missing.length > 0 ? ` Too slow or not possible: ${missing.join(", ")}.` : "";
  return `Errors are in %; with several random splits, the mean ± its standard error. The budget is ${budget} s. The choice is at most half a point behind the best single learner, which is picked on the test rows, on ${near.length} of ${sets.length} sets.${left}`;
}

function lacks(singles: ChoiceTrial["singles"], learner: string): boolean {
  return singles.find((one) => one.learner === learner)?.error === undefined;
}
