import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import { logistic } from "@vouch/core/internal/learners/logistic/logistic";
import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { formatMetric, metricFacts, metricValue } from "@vouch/core/internal/metrics/metric-name";
import type { ObjectiveOptions } from "@vouch/core/internal/metrics/objective";
import { objectiveFor } from "@vouch/core/internal/metrics/objective";
import { type ClassifiedRows, rowLosses } from "@vouch/core/internal/metrics/objective-metric";
import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { defaultCandidates } from "@vouch/core/internal/select/candidates";
import { byRacing, type LearnerChoice } from "@vouch/core/internal/select/choose-learner";
import type { Table } from "@vouch/core/internal/table/table";
import { labelled, labelsFor } from "@vouch/core/internal/table/target";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { trainClassifier } from "@vouch/core/internal/train/train";
import * as z from "zod";
import { absenceNote, availableSets } from "../datasets.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { markdownTable, standardError } from "../markdown-table.js";
import { customerSource, datasetSource, type RandomTables, type SourceOfDataset } from "./drawn-tables.js";

/** Races get more time than they need, so that the clock decides nothing. */
const ENOUGH_SECONDS = 7200;

const FRESH_CUSTOMERS: Readonly<Record<Scale, number>> = { quick: 4000, paper: 20_000 };

/** A few fast candidates of different kinds, simplest first. */
const FOUR_CANDIDATES = [
  logistic({ C: 0.1 }),
  logistic(),
  forest({ trees: 100, minLeafRows: 3 }),
  boostedTrees({ rounds: 100, maxDepth: 3 }),
];

/** A race and the description of its candidates. */
interface Race {
  readonly choice: LearnerChoice;
  readonly among: string;
}

function race(candidates: Parameters<typeof byRacing>[0], among: string): Race {
  return { choice: byRacing(candidates, { seconds: ENOUGH_SECONDS }), among };
}

const raceOfDefaults = race(defaultCandidates, "all default candidates");
const raceOfFour = race(FOUR_CANDIDATES, "two logistic regressions, a forest and boosted trees");
const raceOfTwo = race([logistic(), adaboost({ rounds: 50 })], "logistic regression and AdaBoost");

/** A model trained for each metric against one that is not, on rows of one source. */
interface Contest extends Race {
  readonly title: string;
  /** The rows: a data set, the file of the churn example, or new customers for every seed. */
  readonly rows: SourceOfDataset | "churn.csv" | "new customers";
  readonly metrics: readonly ObjectiveOptions[];
  /** The same race by error, or plain logistic regression. */
  readonly opponent: "race by error" | "logistic";
  readonly seeds: number;
}

const CHURN_COST: ObjectiveOptions = { costs: { Yes: { No: 5 } } };
const GERMAN_COST: ObjectiveOptions = { costs: { bad: { good: 5 } } };
const OTHERS: readonly ObjectiveOptions[] = [
  { metric: "balanced-error" },
  { metric: "f1" },
  { metric: "log-loss" },
  { metric: "brier" },
];

const AUC = { metrics: [{ metric: "auc" }], ...raceOfDefaults, opponent: "logistic" } as const;
const byError = { ...raceOfFour, opponent: "race by error" } as const;
const COST = { ...byError, metrics: [CHURN_COST] };

const CONTESTS: Readonly<Record<Scale, readonly Contest[]>> = {
  quick: [
    { ...AUC, title: "churn.csv, AUC", rows: "churn.csv", ...raceOfTwo, seeds: 1 },
    { ...COST, title: "churn, cost", rows: "new customers", ...raceOfTwo, seeds: 2 },
    {
      ...byError,
      title: "breastcancer",
      rows: { dataset: "breastcancer", training: 300 },
      metrics: [{ metric: "balanced-error" }, { metric: "log-loss" }],
      ...raceOfTwo,
      seeds: 1,
    },
  ],
  paper: [
    { ...AUC, title: "churn.csv, AUC", rows: "churn.csv", seeds: 5 },
    { ...AUC, title: "churn, AUC", rows: "new customers", seeds: 5 },
    { ...COST, title: "churn, cost", rows: "new customers", seeds: 50 },
    {
      ...byError,
      title: "german, cost",
      rows: { dataset: "german", training: 600 },
      metrics: [GERMAN_COST],
      seeds: 50,
    },
    {
      ...byError,
      title: "german",
      rows: { dataset: "german", training: 600 },
      metrics: OTHERS,
      seeds: 10,
    },
    {
      ...byError,
      title: "adult",
      rows: { dataset: "adult", training: 2000, fresh: 20_000 },
      metrics: OTHERS,
      seeds: 10,
    },
    {
      // 10% of the rows: the usual rare-class problem on these data.
      ...byError,
      title: "satimage, class 4",
      rows: { dataset: "satimage", against: "4", training: 1500 },
      metrics: OTHERS,
      seeds: 10,
    },
  ],
};

const outcomeSchema = z.strictObject({
  seed: z.number(),
  /** Learners that the race chose for the metric and for the opponent. */
  chosen: z.string(),
  opponent: z.string(),
  /** The metric on fresh rows. */
  value: z.number(),
  opponentValue: z.number(),
  /** Standard error of the paired difference; DeLong's for AUC. */
  standardError: z.number().min(0),
});

type Outcome = z.infer<typeof outcomeSchema>;

const METRICS = ["error", "balanced-error", "auc", "log-loss", "brier", "f1", "cost"] as const;

const contestSchema = z.strictObject({
  title: z.string(),
  training: z.int().min(1),
  fresh: z.int().min(1),
  /** The candidates of the race, in words. */
  among: z.string(),
  opponent: z.enum(["race by error", "logistic"]),
  metrics: z.array(z.strictObject({ metric: z.enum(METRICS), outcomes: z.array(outcomeSchema) })),
});

type ContestResult = z.infer<typeof contestSchema>;

/** Experiment: does training for a metric improve that metric on fresh rows? */
export const metricsOfDecisions = defineExperiment({
  name: "decisions/metrics",
  paper: "vouch itself; DeLong, DeLong and Clarke-Pearson 1988",
  shows:
    "Models trained for a metric or for costs against models trained for the error, and for AUC against plain logistic regression, by that metric on fresh rows.",
  cost: {
    quick: "1 or 2 seeds of the churn example and of breastcancer: about 10 seconds",
    paper:
      "10 races of all default candidates, and 350 of four candidates, on the churn example, german, adult and satimage: about 10 minutes on two threads; --resume FILE keeps finished parts",
  },
  data: z.strictObject({ contests: z.array(contestSchema), absent: z.array(z.string()) }),
  async measure(run) {
    const names = CONTESTS[run.scale].flatMap(datasetNames);
    const { present, absent } = await availableSets([...new Set(names)], run.scale);
    const contests = CONTESTS[run.scale].filter((contest) =>
      datasetNames(contest).every((name) => present.includes(name)),
    );
    const titles = contests.map(({ title }) => title);
    const results = await partsOf(run, titles, contestSchema, (_, k) => resultOf(contests[k], run));
    return { contests: results, absent };
  },
  tables({ contests, absent }) {
    const ranked = contests.filter(({ opponent }) => opponent === "logistic");
    const others = contests.filter(({ opponent }) => opponent !== "logistic");
    return [
      "Every seed draws other fresh rows and, except for the file churn.csv of the churn example, other rows to train on. The race has more time than it needs, so that its choice does not depend on the clock.",
      `A race of ${amongOf(ranked)} by AUC, against plain logistic regression. The standard error is DeLong's for the paired difference on the fresh rows. The log odds of leaving are linear in the columns, so that no model can be much better.`,
      seedTable(ranked),
      `A race of ${amongOf(others)}, once by the metric and once by the error; both models are calibrated. Differences are means over the seeds ± their standard error. A model is clearly worse if its metric is worse by more than two standard errors of the paired difference on the fresh rows.`,
      metricTable(others),
      contests
        .map(
          ({ title, training, fresh }) =>
            `${title}: ${formatNumber(training)} training rows, ${formatNumber(fresh)} fresh rows.`,
        )
        .join(" "),
      ...absenceNote(absent),
    ].join("\n\n");
  },
});

function amongOf(contests: readonly ContestResult[]): string {
  return [...new Set(contests.map(({ among }) => among))].join(", or of ");
}

function datasetNames({ rows }: Contest): string[] {
  return typeof rows === "string" ? [] : [rows.dataset];
}

async function sourceOf({ rows }: Contest, run: ExperimentRun): Promise<RandomTables> {
  if (typeof rows !== "string") return datasetSource(rows, run);
  return customerSource(rows === "churn.csv" ? rows : "new", FRESH_CUSTOMERS[run.scale]);
}

async function resultOf(contest: Contest, run: ExperimentRun): Promise<ContestResult> {
  const { title, metrics, among, opponent, seeds } = contest;
  const source = await sourceOf(contest, run);
  const outcomes: Outcome[][] = [];
  for (let seed = run.seed; seed < run.seed + seeds; seed++) {
    run.progress({ stage: title, done: seed - run.seed, total: seeds });
    outcomes.push(await outcomesOf(contest, source, { ...run, seed, progress: () => {} }));
  }
  const { training, fresh } = source.draw(run.seed);
  return {
    title,
    training: training.rows,
    fresh: fresh.rows,
    among,
    opponent,
    metrics: metrics.map((options, m) => ({
      metric: metricOf(options),
      outcomes: outcomes.map((ofSeed) => ofSeed[m]),
    })),
  };
}

function metricOf({ metric, costs }: ObjectiveOptions): MetricName {
  return metric ?? (costs ? "cost" : "error");
}

/** Trains a model for each metric and one opponent on the same rows, and compares them on the same fresh rows. */
async function outcomesOf(
  { metrics, choice, opponent }: Contest,
  { target, draw }: RandomTables,
  run: ExperimentRun,
): Promise<Outcome[]> {
  const { training, fresh } = draw(run.seed);
  const data = labelled(training, target);
  const other = await trainClassifier(training, opponent === "logistic" ? logistic() : choice, {
    target,
    run,
  });
  const theirs = classifiedBy(other.classifier, fresh);
  const outcomes: Outcome[] = [];
  for (const options of metrics) {
    const { classifier, candidates } = await trainClassifier(training, choice, { ...options, target, run });
    const objective = objectiveFor(options, data);
    const own = rowLosses(objective, classifiedBy(classifier, fresh));
    const others = rowLosses(objective, theirs);
    outcomes.push({
      seed: run.seed,
      chosen: candidates[0].name,
      opponent: other.candidates[0]?.name ?? "logistic",
      value: metricValue(objective.metric, mean(own)),
      opponentValue: metricValue(objective.metric, mean(others)),
      standardError: standardDeviation(own.map((loss, i) => loss - others[i])) / Math.sqrt(own.length),
    });
  }
  return outcomes;
}

/** Classifies labelled rows as a user of the classifier would. */
function classifiedBy(classifier: Classifier, table: Table): ClassifiedRows {
  const { features, labels } = labelsFor(table, classifier.encoder.schema);
  const { predictions, probabilities, scores } = classifier.classify(features);
  const indices = new Map(classifier.classes.map((name, index) => [name, index]));
  return {
    labels,
    predictions: Int32Array.from(predictions, (name) => indices.get(name) ?? -1),
    scores: probabilities ?? scores,
  };
}

/** Returns the advantage of the model that was trained for the metric. */
function gain(metric: MetricName, { value, opponentValue }: Outcome): number {
  return metricFacts(metric).larger ? value - opponentValue : opponentValue - value;
}

function seedTable(contests: readonly ContestResult[]): string {
  const rows = contests.flatMap(({ title, metrics }) =>
    metrics.flatMap(({ outcomes }) =>
      outcomes.map((outcome) => [
        title.split(", ")[0],
        String(outcome.seed),
        outcome.chosen,
        outcome.value.toFixed(4),
        outcome.opponentValue.toFixed(4),
        signed(outcome.value - outcome.opponentValue),
        outcome.standardError.toFixed(4),
      ]),
    ),
  );
  return markdownTable(["rows", "seed", "chosen", "AUC", "logistic", "difference", "standard error"], rows);
}

function metricTable(contests: readonly ContestResult[]): string {
  const rows = contests.flatMap(({ title, metrics }) =>
    metrics.map(({ metric, outcomes }) => {
      const gains = outcomes.map((outcome) => gain(metric, outcome));
      const differences = outcomes.map(({ value, opponentValue }) => value - opponentValue);
      const worse = outcomes.filter((outcome, i) => gains[i] < -2 * outcome.standardError);
      const ofSeeds = (count: number) => `${count} of ${outcomes.length}`;
      return [
        title.split(", cost")[0],
        metricFacts(metric).title,
        formatMetric(metric, mean(outcomes.map(({ value }) => value))),
        formatMetric(metric, mean(outcomes.map(({ opponentValue }) => opponentValue))),
        `${signed(mean(differences))} ± ${standardError(differences).toFixed(4)}`,
        ofSeeds(gains.filter((value) => value > 0).length),
        ofSeeds(gains.filter((value) => value === 0).length),
        ofSeeds(worse.length),
      ];
    }),
  );
  return markdownTable(
    [
      "data set",
      "metric",
      "trained for it",
      "for the error",
      "difference",
      "better",
      "equal",
      "clearly worse",
    ],
    rows,
  );
}

function signed(value: number): string {
  return `${value > 0 ? "+" : ""}${value.toFixed(4)}`;
}
