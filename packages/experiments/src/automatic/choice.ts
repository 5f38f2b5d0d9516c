import { loadDataset } from "@vouch/datasets";
import {
  byRacing,
  type Learner,
  learners,
  type Run,
  type TrainOptions,
  trainClassifier,
  usualCandidates,
  VouchError,
} from "vouch";
import { z } from "zod";
import { absenceNote, availableSets } from "../available-sets.js";
import { defineExperiment, type ExperimentRun, partOf, type Scale } from "../experiment.js";
import { markdownTable } from "../markdown-table.js";

/** Seconds to choose within, and that a single learner may take before it is left out. */
interface Sizes {
  readonly budget: number;
  readonly patience: number;
}

const sizes: Readonly<Record<Scale, Sizes>> = {
  quick: { budget: 5, patience: 20 },
  paper: { budget: 60, patience: 600 },
};

/** Shared data sets; at scale quick, shipped ones. */
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

/** Each kind of learner by itself, with the options that it has by default. */
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

/** How far the choice may be behind the best single learner: half a point. */
const TOLERANCE = 0.005;

/** Rows that are held out where there is no official test part. */
const HOLDOUT = 0.2;

const errorSchema = z.number().min(0).max(1);

const setSchema = z.strictObject({
  dataset: z.string(),
  testRows: z.int().min(1),
  /** The learner that was chosen, with its options, and its error on the test rows. */
  chosen: z.string(),
  error: errorSchema,
  /** How many candidates were tried, and how many there were. */
  tried: z.int().min(1),
  candidates: z.int().min(1),
  /** Errors of single learners on the same test rows; absent where it takes too long or cannot be fitted. */
  singles: z.array(z.strictObject({ learner: z.string(), error: errorSchema.optional() })),
});

/** What was found on a data set. */
export type ChoiceOnSet = z.output<typeof setSchema>;

const dataSchema = z.strictObject({
  budget: z.number(),
  sets: z.array(setSchema),
  absent: z.array(z.string()),
});

/** How good the learner is that `vouch train` chooses by itself. */
export const automaticChoice = defineExperiment({
  name: "automatic/choice",
  paper: "vouch itself",
  shows:
    "Test errors of the learner that `vouch train` chooses by itself within its budget, beside those of single learners at their defaults. What is chosen depends on the clock: this table is not the same on every machine.",
  cost: {
    quick: "two shipped data sets, 5 seconds each, and single learners: less than a minute",
    paper:
      "fourteen shared data sets, 60 seconds each, and eleven single learners of at most ten minutes: about an hour on two cores; --resume FILE keeps what is finished",
  },
  data: dataSchema,
  async measure(run) {
    const { present, absent } = await availableSets(datasets[run.scale], run.scale);
    const sets: ChoiceOnSet[] = [];
    for (const name of present) {
      sets.push(await partOf(run, name, setSchema, () => choiceOn(name, sizes[run.scale], run)));
    }
    return { budget: sizes[run.scale].budget, sets, absent };
  },
  tables: ({ budget, sets, absent }) =>
    [choiceTable(sets), summary(sets, budget), ...absenceNote(absent)].join("\n\n"),
});

/** The choice and the single learners on one data set, all trained on the same rows and tested on the same others. */
export async function choiceOn(dataset: string, sizes: Sizes, run: ExperimentRun): Promise<ChoiceOnSet> {
  const { train, test, entry } = await loadDataset(dataset, run.signal ? { signal: run.signal } : {});
  const measured = test ? { test } : { holdout: HOLDOUT };
  const inSet: Run = {
    ...run,
    progress: (report) => run.progress({ ...report, stage: `${dataset}: ${report.stage}` }),
  };
  const options: TrainOptions = { target: entry.target, ...measured, run: inSet };
  const choose = byRacing(usualCandidates, { seconds: sizes.budget });
  const { evaluation, choice } = await trainClassifier(train, choose, options);
  if (!evaluation || !choice) throw new VouchError("data/no-rows", `${dataset} has no rows to test on.`);
  const { candidates, untried } = choice;
  const singles: ChoiceOnSet["singles"] = [];
  for (const name of singleLearners) {
    const learner = learners.find((definition) => definition.name === name)?.create();
    if (!learner) continue;
    const error = await errorOf(learner, train, options, sizes.patience, inSet);
    singles.push({ learner: name, ...(error !== undefined && { error }) });
  }
  return {
    dataset,
    testRows: evaluation.rows,
    chosen: candidates[0].name,
    error: evaluation.error,
    tried: candidates.length,
    candidates: candidates.length + untried.length,
    singles,
  };
}

/** The error of a learner on the test rows; undefined if it takes too long or cannot be fitted. */
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

/** The single learner with the smallest test error: an optimistic measure, as it is chosen by the test rows. */
function bestSingle({ singles }: ChoiceOnSet): { learner: string; error: number } {
  return singles.reduce<{ learner: string; error: number }>(
    (best, { learner, error }) => (error !== undefined && error < best.error ? { learner, error } : best),
    { learner: "none", error: 1 },
  );
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
    const best = bestSingle(set);
    return [
      set.dataset,
      String(set.testRows),
      set.chosen,
      `${set.tried} of ${set.candidates}`,
      percent(set.error),
      best.learner,
      percent(best.error),
      percent(set.error - best.error),
    ];
  });
  return markdownTable(titles, rows);
}

function summary(sets: readonly ChoiceOnSet[], budget: number): string {
  const near = sets.filter((set) => set.error - bestSingle(set).error <= TOLERANCE);
  const singles = sets.flatMap(({ dataset, singles }) =>
    singles.filter(({ error }) => error === undefined).map(({ learner }) => `${learner} on ${dataset}`),
  );
  const left = singles.length > 0 ? ` Too slow or not possible: ${singles.join(", ")}.` : "";
  return `Errors in %. Budget ${budget} s. At most half a point behind the best single learner, which the test rows themselves choose: ${near.length} of ${sets.length} sets.${left}`;
}

function percent(share: number): string {
  return (100 * share).toFixed(2);
}
