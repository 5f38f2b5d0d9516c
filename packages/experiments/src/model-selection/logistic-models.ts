import type { Learner } from "@vouch/core/internal/learners/learner";
import { logistic } from "@vouch/core/internal/learners/logistic/logistic";
import { logLoss } from "@vouch/core/internal/metrics/evaluation";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { checkpoint } from "@vouch/core/internal/runtime/parallel/run";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { findCriterion } from "@vouch/core/internal/select/criteria";
import type { Criterion } from "@vouch/core/internal/select/criterion";
import { select } from "@vouch/core/internal/select/select";
import { Table } from "@vouch/core/internal/table/table";
import type { Labelled } from "@vouch/core/internal/table/target";
import { type TrainTestSplit, TrialRows, tryLearners } from "@vouch/core/internal/validation/trial";
import * as z from "zod";
import { absenceNote, availableSets, binarySets } from "../datasets.js";
import { dividedSet, trainingRows } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { fractionCell, markdownTable, standardError } from "../markdown-table.js";
import { papers } from "../papers.js";

/** The true model has these weights; further features have none. */
const TRUE_WEIGHTS = [1, -0.8, 0.6, -0.4];
const FEATURES = 10;
const TRAINING = [100, 400, 1600] as const;
const FRESH_ROWS = 5000;
const FOLDS = 5;

/** Number of problems of each size, and of splits of each real data set. */
const PROBLEMS: Readonly<Record<Scale, number>> = { quick: 5, paper: 50 };
const SPLITS: Readonly<Record<Scale, number>> = { quick: 2, paper: 10 };

/** Costs C of the lassos for real data sets, simplest model first. */
const COSTS = [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];

/** The criteria: information criteria, and cross-validation by two metrics. */
const CRITERIA = ["AIC", "BIC", "CV, error", "CV, log-loss"] as const;

const choiceSchema = z.strictObject({
  criterion: z.enum(CRITERIA),
  /** How often each candidate was chosen. */
  chosen: z.array(z.int().min(0)),
  /** Error and log loss of the choice on unseen rows, one per problem. */
  errors: z.array(z.number()),
  logLosses: z.array(z.number()),
});

const partSchema = z.strictObject({
  name: z.string(),
  rows: z.int().min(1),
  /** Smallest log loss of any candidate, per problem. */
  least: z.array(z.number()),
  choices: z.array(choiceSchema),
});

type Part = z.infer<typeof partSchema>;

/** Experiment: AIC, BIC and cross-validation choose among logistic regressions. */
export const logisticModels = defineExperiment({
  name: "model-selection/logistic",
  paper: papers.thesis.citation,
  shows:
    "AIC (eq. 2.30) and BIC (eq. 2.31) choose among logistic regressions: the number of features where the truth is known, and the penalty of a lasso on real data sets; compared with 5-fold cross-validation.",
  cost: {
    quick: "5 problems of each size, 2 splits of each shipped set: about 10 seconds",
    paper: "50 problems of each size, 10 splits of each available set with two classes: about 2 minutes",
  },
  data: z.strictObject({
    nested: z.array(partSchema),
    lassos: z.array(partSchema),
    absent: z.array(z.string()),
  }),
  async measure(run) {
    const sizes = TRAINING.map((rows) => `${rows} rows`);
    const nested = await partsOf(run, sizes, partSchema, (name) =>
      nestedModels(name, PROBLEMS[run.scale], run),
    );
    const { present, absent } = await availableSets(smallSets(await binarySets()), run.scale);
    const lassos = await partsOf(run, present, partSchema, (name) =>
      lassoModels(name, SPLITS[run.scale], run),
    );
    return { nested, lassos, absent };
  },
  tables({ nested, lassos, absent }) {
    return [...nested.map(nestedTable), ...lassos.map(lassoTable), ...absenceNote(absent)].join("\n\n");
  },
});

/** Drops sets with tens of thousands of rows, where all criteria choose the same model. */
function smallSets(names: readonly string[]): string[] {
  return names.filter((name) => name !== "adult");
}

/** Score of a candidate by each criterion, and its results on unseen rows. */
interface Candidate {
  readonly scores: readonly number[];
  readonly error: number;
  readonly logLoss: number;
}

/** Chooses the number of leading features in a model without a penalty: 1 to 10, where 4 is right. */
export async function nestedModels(name: string, problems: number, run: ExperimentRun): Promise<Part> {
  const rows = TRAINING.find((size) => name === `${size} rows`) ?? TRAINING[0];
  const learner = logistic({ penalty: "none" });
  const trials: Candidate[][] = [];
  for (let problem = 0; problem < problems; problem++) {
    const division = syntheticDivision(rows, new Random(run.seed).fork(problem).fork(rows));
    const candidates: Candidate[] = [];
    for (let k = 1; k <= FEATURES; k++) {
      await checkpoint(run);
      candidates.push(...(await judged([learner], firstColumns(division, k), run)));
    }
    trials.push(candidates);
    run.progress({ stage: name, done: problem + 1, total: problems });
  }
  return partOfTrials(name, rows, trials);
}

/** Chooses C of a lasso on random splits of a data set. */
export async function lassoModels(name: string, splits: number, run: ExperimentRun): Promise<Part> {
  const learners = COSTS.map((C) => logistic({ C, l1Ratio: 1 }));
  const { division, training, split } = await dividedSet(name, run);
  const trials: Candidate[][] = [];
  for (let k = 0; k < (split === "official" ? 1 : splits); k++) {
    await checkpoint(run);
    trials.push(await judged(learners, division(run.seed, k), run));
    run.progress({ stage: name, done: k + 1, total: splits });
  }
  return partOfTrials(name, training, trials);
}

/** Scores learners by every criterion on the training rows, and measures them on the test rows. */
async function judged(
  learners: readonly Learner[],
  division: TrainTestSplit,
  run: ExperimentRun,
): Promise<Candidate[]> {
  const data = trainingRows(division);
  const options = { folds: FOLDS, run: { seed: run.seed, executor: run.executor } };
  const by = async (names: readonly string[], more = {}) => {
    const criteria: Criterion[] = names.map(findCriterion);
    return (await select(learners, data, criteria, { ...options, ...more })).rankings;
  };
  const rankings = [
    ...(await by(["aic", "bic", "cv"])),
    ...(await by(["cv"], { objective: { metric: "log-loss" } })),
  ];
  const scored = { scores: Number.POSITIVE_INFINITY };
  const tested = await tryLearners(learners, new TrialRows(division), run, scored);
  return tested.map(({ errors, rows, classified }, candidate) => {
    if (!classified) throw new Error("The trial has no scores.");
    const { labels, scores } = classified;
    return {
      scores: rankings.map(
        (ranking) =>
          ranking.scores.find((score) => score.candidate === candidate)?.value ?? Number.POSITIVE_INFINITY,
      ),
      error: errors / rows,
      logLoss: logLoss(labels, new Matrix(rows, scores.length / rows, scores)),
    };
  });
}

function partOfTrials(name: string, rows: number, trials: readonly (readonly Candidate[])[]): Part {
  return {
    name,
    rows,
    least: trials.map((candidates) => Math.min(...candidates.map((candidate) => candidate.logLoss))),
    choices: CRITERIA.map((criterion, c) => {
      const choices = trials.map((candidates) => {
        const scores = candidates.map((candidate) => candidate.scores[c]);
        return scores.indexOf(Math.min(...scores));
      });
      return {
        criterion,
        chosen: trials[0].map((_, k) => choices.filter((choice) => choice === k).length),
        errors: choices.map((choice, t) => trials[t][choice].error),
        logLosses: choices.map((choice, t) => trials[t][choice].logLoss),
      };
    }),
  };
}

/** Draws normal features and labels by the true model: training rows, then fresh ones. */
function syntheticDivision(rows: number, random: Random): TrainTestSplit {
  const all = rows + FRESH_ROWS;
  const columns = Array.from({ length: FEATURES }, (_, j) => ({
    kind: "numeric" as const,
    name: `x${j + 1}`,
    values: Float64Array.from({ length: all }, () => random.normal()),
  }));
  const labels = Int32Array.from({ length: all }, (_, i) => {
    const logOdds = TRUE_WEIGHTS.reduce((sum, weight, j) => sum + weight * columns[j].values[i], 0);
    return random.uniform() < 1 / (1 + Math.exp(-logOdds)) ? 1 : 0;
  });
  const data: Labelled = {
    target: "label",
    classes: ["no", "yes"],
    features: new Table("synthetic", all, columns),
    labels,
    notices: [],
  };
  const order = Int32Array.from(labels.keys());
  return { data, train: order.subarray(0, rows), test: order.subarray(rows) };
}

function firstColumns({ data, ...rows }: TrainTestSplit, k: number): TrainTestSplit {
  const { features } = data;
  return {
    ...rows,
    data: { ...data, features: new Table(features.name, features.rows, features.columns.slice(0, k)) },
  };
}

function nestedTable({ rows, least, choices }: Part): string {
  const problems = least.length;
  const sizes = choices[0].chosen.map((_, k) => k + 1);
  const titles = ["criterion", "true size chosen", "mean size", "error", "log-loss", "above the best"];
  const cells = choices.map(({ criterion, chosen, errors, logLosses }) => [
    criterion,
    `${chosen[TRUE_WEIGHTS.length - 1]} of ${problems}`,
    (chosen.reduce((sum, count, k) => sum + count * sizes[k], 0) / problems).toFixed(1),
    fractionCell(mean(errors)),
    fractionCell(mean(logLosses)),
    excess(logLosses, least),
  ]);
  const heading = `### Nested models: ${formatCount(rows, "training row")}, ${formatCount(problems, "problem")}`;
  const reading = `The first ${TRUE_WEIGHTS.length} of ${FEATURES} features matter. Error and log-loss are those on ${formatCount(FRESH_ROWS, "fresh row")}.`;
  return [heading, reading, markdownTable(titles, cells)].join("\n\n");
}

function lassoTable({ name, rows, least, choices }: Part): string {
  const titles = ["criterion", "mean log₁₀ C", "error", "log-loss", "above the best"];
  const cells = choices.map(({ criterion, chosen, errors, logLosses }) => [
    criterion,
    (chosen.reduce((sum, count, k) => sum + count * Math.log10(COSTS[k]), 0) / least.length).toFixed(1),
    fractionCell(mean(errors)),
    fractionCell(mean(logLosses)),
    excess(logLosses, least),
  ]);
  const heading = `### Lassos: ${name}, ${formatCount(rows, "training row")}, ${formatCount(least.length, "split")}`;
  return [heading, markdownTable(titles, cells)].join("\n\n");
}

/** Formats the mean and standard error of the differences to the best candidate. */
function excess(logLosses: readonly number[], least: readonly number[]): string {
  const differences = logLosses.map((loss, t) => loss - least[t]);
  return `${mean(differences).toFixed(4)} ± ${standardError(differences).toFixed(4)}`;
}
