import {
  type Features,
  featuresFrom,
  type PlainFeatures,
  Sample,
  sharedFeatures,
} from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { definePortableTask } from "../../runtime/parallel/task.js";
import { taskRun } from "../../runtime/parallel/task-run.js";
import type { Split } from "../../table/splits.js";
import type { Learner } from "../learner.js";
import type { Model } from "../model.js";
import { createLearner, isLibraryLearner, isPortableLearner } from "../registry.js";
import { classifyRows } from "../score-rows.js";

/** A member and its rows. */
export interface MemberSample {
  readonly learner: Learner;
  readonly sample: Sample<Features>;
}

/** Scores of rows by models of a member that did not see them. */
export interface OutOfFoldScoresOfMember {
  readonly scores: Matrix;
  readonly scoring: Model["scoring"];
}

/** One member to fit to the training rows of one fold on another thread. */
interface FoldInput extends Split {
  readonly learner: string;
  readonly options: Learner["options"];
  readonly features: PlainFeatures;
  readonly featureNames: readonly string[];
  readonly labels: Int32Array;
  readonly classes: readonly string[];
  readonly weights?: Float64Array;
  readonly seed: number;
}

interface FoldOutput {
  /** Scores of the test rows. */
  readonly scores: Float64Array;
  readonly scoring: Model["scoring"];
}

const foldTask = definePortableTask(
  "ensemble/fold",
  async (input: FoldInput, context: TaskContext): Promise<FoldOutput> => {
    const { learner: name, options, features, featureNames, labels, classes, weights, seed } = input;
    await context.checkpoint();
    const sample = new Sample<Features>({
      features: featuresFrom(features),
      labels,
      classes,
      featureNames,
      weights,
    });
    const progress: Run["progress"] = ({ stage }) => context.progress(0, stage);
    const learner = await createLearner(name, options);
    return await fitFold({ learner, sample }, input, taskRun(context, { seed, progress }));
  },
);

/**
 * Fits every member to the training rows of every fold and scores the test rows. With at least as many fits as threads, each is
 * a task. Otherwise, and if other threads cannot make a member, fits follow each other and use the threads themselves. A cluster
 * gets each fit as a task. The scores are the same either way.
 */
export async function scoreOutOfFold(
  members: readonly MemberSample[],
  folds: readonly Split[],
  run: Run,
): Promise<OutOfFoldScoresOfMember[]> {
  const fits = members.flatMap((member) => folds.map((fold) => ({ member, fold })));
  const { cluster, threads } = run.executor;
  const isSent = ({ member }: (typeof fits)[number]) =>
    cluster ? isLibraryLearner(member.learner) : threads > 1 && isPortableLearner(member.learner);
  const sent = fits.filter(isSent);
  const outputs = new Map<object, FoldOutput>();
  const stage = "members in folds";
  const report = (done: number, note?: string) => run.progress({ stage, done, total: fits.length, note });
  if (sent.length >= (cluster ? 2 : threads)) {
    const inputs = sent.map(({ member, fold }) => ({ ...sharedMember(member), ...fold, seed: run.seed }));
    const results = await run.executor.map(foldTask, inputs, {
      signal: run.signal,
      ...(cluster && { wholeMachines: sent.length < cluster.threads }),
      rows: sent.reduce((sum, { fold }) => sum + fold.train.length, 0),
      onProgress: (done, _, note) => report(done, note),
    });
    for (const [k, fit] of sent.entries()) outputs.set(fit, results[k]);
  }
  for (const fit of fits) {
    if (outputs.has(fit)) continue;
    await checkpoint(run);
    const progress: Run["progress"] = (part) => report(outputs.size, part.stage);
    outputs.set(fit, await fitFold(fit.member, fit.fold, { ...run, progress }));
    report(outputs.size);
  }
  return members.map((member) =>
    joined(
      member.sample,
      fits.filter((fit) => fit.member === member).map((fit) => ({ ...fit, output: outputs.get(fit) })),
    ),
  );
}

const shared = new WeakMap<Sample<Features>, Omit<FoldInput, keyof Split | "learner" | "options" | "seed">>();

/** Puts the rows of a member on shared memory, once for all members with the same rows. */
function sharedMember({ learner, sample }: MemberSample): Omit<FoldInput, keyof Split | "seed"> {
  const { featureNames, classes, weights } = sample;
  const rows = shared.get(sample) ?? {
    features: sharedFeatures(sample.features),
    labels: onSharedMemory(sample.labels),
    featureNames,
    classes,
    ...(weights && { weights: onSharedMemory(weights) }),
  };
  shared.set(sample, rows);
  return { ...rows, learner: learner.name, options: learner.options };
}

async function fitFold(
  { learner, sample }: MemberSample,
  { train, test }: Split,
  run: Run,
): Promise<FoldOutput> {
  const model = await learner.fit(sample.select(train), run);
  const { scores } = await classifyRows(model, sample.features.select(test), run);
  return { scores: Float64Array.from(scores.values), scoring: model.scoring };
}

/** Puts the scores of all folds at the places of their rows. */
function joined(
  { rows, classes }: Sample<Features>,
  fits: readonly { readonly fold: Split; readonly output: FoldOutput | undefined }[],
): OutOfFoldScoresOfMember {
  const width = classes.length;
  const scores = new Matrix(rows, width);
  let scoring: Model["scoring"] = "probability";
  for (const { fold, output } of fits) {
    if (!output) continue;
    for (const [i, row] of fold.test.entries()) {
      scores.values.set(output.scores.subarray(i * width, (i + 1) * width), row * width);
    }
    if (output.scoring === "decision") scoring = "decision";
  }
  return { scores, scoring };
}
