import { type Encoding, fitEncoderInSteps, labelledSampleInSteps } from "../encode/encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import type { Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import { createLearner, isPortable } from "../learners/registry.js";
import { errorsOn } from "../learners/training-facts.js";
import type { TaskContext } from "../runtime/executor.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { withPauses } from "../runtime/steps.js";
import { defineTask } from "../runtime/task.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type Column, Table } from "../table/table.js";
import { type Labelled, selectRows } from "../table/target.js";
import { marginQuantiles } from "../theory/margins/margin-statistics.js";
import type { Fitted, Trial } from "./criterion.js";
import { growthFamilies } from "./families.js";

/** A division of the rows: candidates are fitted to some and tried on the others. */
export interface Division {
  /** The rows to try them on, ascending; they are fitted to all others. */
  readonly test: Int32Array;
  /** Whether anything is to be known of the fits besides how they do on the rows that they are tried on. */
  readonly facts: boolean;
}

/** What became of the candidates in a division, in their order. */
export interface Findings {
  /** Empty unless the division asks for facts. */
  readonly fitted: readonly Fitted[];
  readonly trials: readonly Trial[];
}

/** The rows of a division, encoded for some learners. */
interface Encoded {
  readonly train: Sample<Features>;
  readonly test: Sample<Features>;
}

/** Fits all candidates to one part of the rows and tries them on the other; each encoding is made once. */
export async function tryOut(
  candidates: readonly Learner[],
  data: Labelled,
  division: Division,
  run: Run,
): Promise<Findings> {
  const families = growthFamilies(candidates);
  const encodings = new Map<string, Encoded>();
  const fitted: Fitted[] = [];
  const trials: Trial[] = [];
  for (const [i, { learner, members }] of families.entries()) {
    await checkpoint(run);
    const key = JSON.stringify(learner.encoding);
    const encoded = encodings.get(key) ?? (await encode(data, division, learner.encoding, run));
    encodings.set(key, encoded);
    const model = await learner.fit(encoded.train, inPart(run, learner.name, i, families.length));
    for (const { candidate, modelIn } of members) {
      await checkpoint(run);
      const own = modelIn(model);
      const { reconstruction } = own;
      const errors = errorsOn(own, encoded.test);
      trials[candidate] = { rows: encoded.test.rows, errors, ...(reconstruction && { reconstruction }) };
      if (division.facts) fitted[candidate] = factsOf(own, encoded.train);
    }
  }
  return { fitted, trials };
}

async function encode(
  data: Labelled,
  { test }: Division,
  encoding: Encoding,
  { signal }: Run,
): Promise<Encoded> {
  const training = selectRows(data, rowsBut(test, data.labels.length));
  checkClassesLeft(training.labels, data);
  const encoder = await withPauses(fitEncoderInSteps(training.features, data, encoding), signal);
  return {
    train: await withPauses(labelledSampleInSteps(encoder, training), signal),
    test: await withPauses(labelledSampleInSteps(encoder, selectRows(data, test)), signal),
  };
}

/** All rows but the given ones, which ascend. */
function rowsBut(left: Int32Array, rows: number): Int32Array {
  const kept = new Int32Array(rows - left.length);
  for (let row = 0, i = 0, next = 0; row < rows; row++) {
    if (row === left[next]) next++;
    else kept[i++] = row;
  }
  return kept;
}

function checkClassesLeft(labels: Int32Array, { classes }: Labelled): void {
  const [first] = labels;
  if (labels.some((label) => label !== first)) return;
  throw new VouchError(
    "data/too-few-rows",
    `Too few rows are not of class "${classes[first]}": when they are kept apart for a test, no other class is left to train on.`,
    { hint: "Give more rows, or use criteria that keep no rows apart, such as srm." },
  );
}

function factsOf(model: Model, sample: Sample<Features>): Fitted {
  const complexity = model.complexity();
  return {
    rows: sample.rows,
    errors: errorsOn(model, sample),
    complexity,
    margins: marginQuantiles(model.margins(sample)),
    ...(complexity.freeParameters !== undefined && { logLikelihood: logLikelihoodOf(model, sample) }),
  };
}

/** Σ ln of the probability that the model gives to the class of each row. */
function logLikelihoodOf(model: Model, { features, labels }: Sample<Features>): number {
  const { values, columns } = model.scores(features);
  return labels.reduce((sum, label, i) => sum + Math.log(values[i * columns + label]), 0);
}

/** The same run, whose progress is that of part `i` of `parts`, from 0 to 1. */
function inPart(run: Run, learner: string, i: number, parts: number): Run {
  return {
    ...run,
    progress: ({ done, total }) =>
      run.progress({ stage: learner, done: (i + (total ? Math.min(1, done / total) : 0)) / parts, total: 1 }),
  };
}

/** A learner by what it can be made from again, on another thread. */
interface LearnerRecipe {
  readonly name: string;
  readonly options: Learner["options"];
}

/** Labelled rows as plain objects, and what is to be done with them. */
interface DivisionInput extends Division, Pick<Labelled, "labels" | "target" | "classes"> {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly candidates: readonly LearnerRecipe[];
  readonly seed: number;
}

/** Whether a learner can be made again from its name and options: one of the caller's own kind cannot. */
export function hasRecipe({ name }: Learner): boolean {
  return isPortable(name);
}

/** The input of the task for a division. */
export function divisionInput(
  candidates: readonly Learner[],
  { features, labels, target, classes }: Labelled,
  division: Division,
  seed: number,
): DivisionInput {
  const recipes = candidates.map(({ name, options }) => ({ name, options }));
  const { name, columns } = features;
  return { ...division, name, columns, labels, target, classes, candidates: recipes, seed };
}

/** Fits and tries all candidates in one division of the rows. */
export const divisionTask = defineTask(
  "select/try-division",
  async (input: DivisionInput, context: TaskContext): Promise<Findings> => {
    const { name, columns, labels, target, classes, candidates, test, facts, seed } = input;
    const data = { features: new Table(name, labels.length, columns), labels, target, classes, notices: [] };
    const learners = await Promise.all(candidates.map(({ name, options }) => createLearner(name, options)));
    const run = completeRun({ seed, progress: ({ done, stage }) => context.progress(done, stage) });
    await context.checkpoint();
    return tryOut(learners, data, { test, facts }, run);
  },
);
