import { Random } from "@vouch/core/internal/runtime/maths/random";
import {
  formatCount,
  formatNumber,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { selectRows } from "@vouch/core/internal/table/target";
import * as z from "zod";
import { absenceNote, availableSets, binarySets, plainRows } from "../datasets.js";
import { dividedSet, testRows, trainingRows } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partsOf } from "../experiment.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { papers } from "../papers.js";
import {
  type CertifiedModelInput,
  type CertifyingLearner,
  certifiedModelTask,
  certifyingLearners,
} from "./certified-models.js";

const CONFIDENCE = 0.95;
/** Share of the test rows in sets without official ones. */
const HELD_OUT = 0.2;
/** Maximum number of rows for kernel machines, which would take minutes on more. */
const MOST_ROWS = 5000;

const share = z.number().min(0).max(1);

const setSchema = z.strictObject({
  dataset: z.string(),
  /** Number of training rows. */
  rows: z.int().min(1),
  testRows: z.int().min(1),
  models: z.array(
    z.strictObject({
      learner: z.enum(certifyingLearners),
      trainingError: share,
      testError: share,
      bounds: z.array(z.strictObject({ name: z.string(), value: share, violated: z.array(z.string()) })),
    }),
  ),
});

type CertifiedSet = z.infer<typeof setSchema>;
type CertifiedModel = CertifiedSet["models"][number];

/** Certificates from training rows alone. */
export const certificates = defineExperiment({
  name: "model-selection/certificates",
  paper: papers.thesis.citation,
  shows:
    "Training-time certificates by data set and learner: the bound to quote (the best of all candidates, by a union bound), the value of each theorem, and the error on held-out rows.",
  cost: {
    quick: "2 data sets, 13 learners: a few seconds",
    paper: "all locally available data sets with two classes, up to 5,000 rows of each: a few minutes",
  },
  data: z.strictObject({ confidence: share, sets: z.array(setSchema), absent: z.array(z.string()) }),
  async measure(run) {
    const { present, absent } = await availableSets(await binarySets(), run.scale);
    const sets = await partsOf(run, present, setSchema, (name) => certifiedOn(name, run));
    return { confidence: CONFIDENCE, sets, absent };
  },
  tables({ confidence, sets, absent }) {
    return [
      `### The bound to quote, at ${formatRoundPercent(confidence)}`,
      "These bounds use the training rows alone; – is vacuous, or has a violated premise. Bounds below ½, better than a coin flip, are in bold.",
      overview(sets),
      "### The value of each bound",
      "_compression_ uses the rows that determine the model, _growth_ the growth function and the exact double sample, _one tree_ and _two trees_ the out-of-bag errors of single trees and of pairs, _two halves_ the errors of each half of the trees on the rows of the other half, _prior_ a network drawn from a posterior whose prior was learned from half of the rows; the others are the bounds of the papers; 1 is vacuous.",
      premisesOf(sets),
      details(sets),
      ...absenceNote(absent),
    ].join("\n\n");
  },
});

/** Trains and certifies all learners on a data set. */
export async function certifiedOn(name: string, run: ExperimentRun): Promise<CertifiedSet> {
  const { signal, executor, progress } = run;
  const { training, test } = await dividedRows(name, run);
  const inputs = certifyingLearners.map(
    (learner): CertifiedModelInput => ({ learner, training, test, confidence: CONFIDENCE }),
  );
  const models = await executor.map(certifiedModelTask, inputs, {
    signal,
    onProgress: (done, total) => progress({ stage: `${name}: learners`, done, total }),
  });
  return { dataset: name, rows: training.labels.length, testRows: test.labels.length, models };
}

/** Loads the official training and test rows, or random ones; training rows are subsampled if there are many. */
async function dividedRows(name: string, run: ExperimentRun) {
  const { division: divide } = await dividedSet(name, run, HELD_OUT);
  const division = divide(run.seed, 0);
  const training = trainingRows(division);
  const rows = Int32Array.from(training.labels.keys());
  const some = new Random(run.seed).fork(1).shuffle(rows).slice(0, MOST_ROWS).sort();
  return {
    training: plainRows(selectRows(training, some), name),
    test: plainRows(testRows(division), name),
  };
}

/** Describes how many of the bounds have a false premise, and which. */
export function premisesOf(sets: readonly CertifiedSet[]): string {
  const bounds = sets.flatMap(({ models }) => models.flatMap((model) => model.bounds));
  const violated = bounds.flatMap((bound) => bound.violated);
  const assumption = "hold if the premises that no data can prove are true, such as independent rows";
  if (violated.length === 0)
    return `No premise of the ${formatNumber(bounds.length)} bounds is violated: they ${assumption}.`;
  const failing = bounds.filter((bound) => bound.violated.length > 0).length;
  const reasons = [...new Set(violated)].map(
    (text) => `"${text}" (${formatNumber(violated.filter((other) => other === text).length)})`,
  );
  return `A premise of ${formatNumber(failing)} of the ${formatNumber(bounds.length)} bounds is violated: ${reasons.join(", ")}. These are in parentheses and prove nothing. The others ${assumption}.`;
}

/** Returns the bound to quote: the first certificate, unless a premise is violated. */
function quoted({ bounds: [first] }: CertifiedModel): number {
  return first && first.violated.length === 0 ? first.value : 1;
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

/** Columns of the table, and the certificates in each. */
const columns: readonly (readonly [string, readonly string[]])[] = [
  ["compression", ["compression"]],
  ["growth", ["growth-function-exact"]],
  ["one tree", ["forest-first-order"]],
  ["two trees", ["forest-tandem"]],
  ["two halves", ["tested-halves"]],
  ["prior", ["posterior-draw"]],
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
  if (!found) return "";
  return found.violated.length === 0 ? fractionCell(found.value) : `(${fractionCell(found.value)})`;
}
