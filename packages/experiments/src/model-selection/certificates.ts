import { listDatasets, loadDataset } from "@vouch/datasets";
import {
  formatCount,
  formatNumber,
  formatRoundPercent,
  holdout,
  type Labelled,
  labelled,
  labelsFor,
} from "vouch";
import { Random } from "vouch/learning";
import { z } from "zod";
import { absenceNote, availableSets } from "../available-sets.js";
import { defineExperiment, type ExperimentRun, partsOf } from "../experiment.js";
import { type PlainRows, selectRows, type TrainingRows } from "../labelled-rows.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import {
  type CertifiedModelInput,
  type CertifyingLearner,
  certifiedModelTask,
  certifyingLearners,
} from "./certified-models.js";
import { thesis } from "./thesis.js";

const CONFIDENCE = 0.95;
/** Where a set has no official test rows. */
const HELD_OUT = 0.2;
/** Kernels of more rows take minutes. */
const MOST_ROWS = 5000;

const share = z.number().min(0).max(1);

const setSchema = z.strictObject({
  dataset: z.string(),
  /** Rows to train on, and to test on. */
  rows: z.int().min(1),
  testRows: z.int().min(1),
  models: z.array(
    z.strictObject({
      learner: z.enum(certifyingLearners),
      trainingError: share,
      testError: share,
      bounds: z.array(z.strictObject({ name: z.string(), value: share })),
    }),
  ),
});

type CertifiedSet = z.infer<typeof setSchema>;
type CertifiedModel = CertifiedSet["models"][number];

/** Which models certify themselves from their training rows alone, and how well. */
export const certificates = defineExperiment({
  name: "model-selection/certificates",
  paper: thesis,
  shows:
    "Training-time certificates by data set and learner: the bound to quote (the best of all candidates, by a union bound), the value of each theorem, and the error on held-out rows.",
  cost: {
    quick: "2 data sets, 10 learners: a few seconds",
    paper: "all locally available data sets with two classes, up to 5,000 rows of each: a few minutes",
  },
  data: z.strictObject({ confidence: share, sets: z.array(setSchema), absent: z.array(z.string()) }),
  async measure(run) {
    const binary = (await listDatasets()).filter(({ entry }) => entry.classes === 2);
    const names = binary.map(({ entry }) => entry.name);
    const { present, absent } = await availableSets(names, run.scale);
    const sets = await partsOf(run, present, setSchema, (name) => certifiedOn(name, run));
    return { confidence: CONFIDENCE, sets, absent };
  },
  tables({ confidence, sets, absent }) {
    return [
      `### The bound to quote, at ${formatRoundPercent(confidence)}`,
      "These bounds use the training rows alone; – is vacuous. Bounds below ½, better than a coin flip, are in bold.",
      overview(sets),
      "### The value of each bound",
      "_compression_ uses the rows that determine the model, _growth_ the growth function and the exact double sample, _one tree_ and _two trees_ the out-of-bag errors of single trees and of pairs; the others are the bounds of the papers. All of them hold; 1 is vacuous.",
      details(sets),
      ...absenceNote(absent),
    ].join("\n\n");
  },
});

/** Trains and certifies all learners on a data set. */
export async function certifiedOn(name: string, run: ExperimentRun): Promise<CertifiedSet> {
  const { signal, executor, progress } = run;
  const { training, test } = await divided(name, run);
  const inputs = certifyingLearners.map(
    (learner): CertifiedModelInput => ({ learner, training, test, confidence: CONFIDENCE }),
  );
  const models = await executor.map(certifiedModelTask, inputs, {
    ...(signal && { signal }),
    onProgress: (done, total) => progress({ stage: `${name}: learners`, done, total }),
  });
  return { dataset: name, rows: training.labels.length, testRows: test.labels.length, models };
}

/** The official training and test rows, or a random fifth of the rows to test on; not more training rows than wanted. */
async function divided(name: string, { signal, seed }: ExperimentRun) {
  const { train, test, entry } = await loadDataset(name, signal ? { signal } : {});
  const data = labelled(train, entry.target);
  const random = new Random(seed);
  const [training, tested] = test
    ? [Int32Array.from(data.labels.keys()), { ...data, ...labelsFor(test, data) }]
    : randomDivision(data, random.fork(0).bits());
  const some = random.fork(1).shuffle(training).slice(0, MOST_ROWS).sort();
  return { training: plain(name, selectRows(data, some)), test: plain(name, tested) };
}

function randomDivision(data: Labelled, seed: number): [Int32Array, Labelled] {
  const { train, test } = holdout(data.labels, HELD_OUT, seed);
  return [train, selectRows(data, test)];
}

function plain(name: string, { features, labels, target, classes }: TrainingRows): PlainRows {
  return { name, columns: features.columns, labels, target, classes };
}

/** The bound that may be quoted: the first that `certify` gives. */
function quoted({ bounds }: CertifiedModel): number {
  return bounds.length > 0 ? bounds[0].value : 1;
}

function overview(sets: readonly CertifiedSet[]): string {
  const titles = ["data set", "rows", ...certifyingLearners];
  const cells = sets.map(({ dataset, rows, models }) => [
    dataset,
    formatNumber(rows),
    ...certifyingLearners.map((learner) => overviewCell(models, learner)),
  ]);
  return markdownTable(titles, cells);
}

function overviewCell(models: readonly CertifiedModel[], learner: CertifyingLearner): string {
  const model = models.find((each) => each.learner === learner);
  const bound = model ? quoted(model) : 1;
  if (bound >= 1) return "–";
  return bound < 0.5 ? `**${bound.toFixed(3)}**` : bound.toFixed(3);
}

/** The certificates by the column that they are shown in. */
const columns: readonly (readonly [string, readonly string[]])[] = [
  ["compression", ["compression"]],
  ["growth", ["growth-function-exact"]],
  ["one tree", ["forest-first-order"]],
  ["two trees", ["forest-tandem"]],
  ["of the paper", ["vc", "adaboost-vc", "deep-cascade-theorem-1"]],
];

function details(sets: readonly CertifiedSet[]): string {
  const titles = [
    "data set",
    "learner",
    "training error",
    "test error",
    "quoted",
    ...columns.map(([title]) => title),
  ];
  const cells = sets.flatMap(({ dataset, rows, testRows, models }) =>
    models.map((model, i) => [
      i === 0 ? `${dataset}: ${formatCount(rows, "row")}, tested on ${formatNumber(testRows)}` : "",
      model.learner,
      fractionCell(model.trainingError),
      fractionCell(model.testError),
      fractionCell(quoted(model)),
      ...columns.map(([, names]) => boundCell(model, names)),
    ]),
  );
  return markdownTable(titles, cells);
}

function boundCell({ bounds }: CertifiedModel, names: readonly string[]): string {
  const found = bounds.find(({ name }) => names.includes(name));
  return found ? fractionCell(found.value) : "";
}
