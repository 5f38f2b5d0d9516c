import { type FeaturePieces, type Features, inSharedPieces, ofPieces, Sample } from "../../encode/sample.js";
import type { Task, TaskContext } from "../../runtime/executor.js";
import { formatCount, formatNumber } from "../../runtime/number-format.js";
import { checkpoint, completeRun, type Run } from "../../runtime/run.js";
import type { State } from "../../runtime/state.js";
import { defineTask } from "../../runtime/task.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { holdout } from "../../table/splits.js";
import type { Learner } from "../learner.js";
import type { Model } from "../model.js";
import { createLearner } from "../registry.js";
import type { BaseLearner } from "./base-learner.js";
import type { Sides } from "./schemes.js";

/** The rows of a sample by class. */
export interface ClassRows {
  /** Index of each class that has rows, ascending. */
  readonly trained: readonly number[];
  /** The rows of each of these, ascending. */
  readonly rowsOf: readonly Int32Array[];
}

/** The rows of each class. */
export function rowsByClass({ labels, classes }: Sample<Features>): ClassRows {
  const lists: number[][] = classes.map(() => []);
  labels.forEach((label, row) => {
    lists[label].push(row);
  });
  const trained = classes.map((_, k) => k).filter((k) => lists[k].length > 0);
  return { trained, rowsOf: trained.map((k) => Int32Array.from(lists[k])) };
}

/** Two sides to be told apart: the rows of a sample, and which side each is on. */
export interface Problem {
  /** Which classes, in words: `"A" or "B"`, `"A" or not`. */
  readonly name: string;
  /** The names of the two sides. */
  readonly classes: readonly [string, string];
  /** Ascending. */
  readonly rows: Int32Array;
  /** 0 for rows of the first side, 1 for rows of the second. */
  readonly sides: Uint8Array;
  /** How many rows there were to draw from; more than there are now if some were left out. */
  readonly available: number;
  readonly seed: number;
}

/** The problem of one machine, on at most so many rows; the sides are indices of classes that have rows. */
export function problemOf(
  { labels, classes }: Sample<Features>,
  { trained, rowsOf }: ClassRows,
  { first, second }: Sides,
  maxRows: number,
  seed: number,
): Problem {
  const own = classes[trained[first[0]]];
  const isPair = second.length === 1;
  const other = isPair ? classes[trained[second[0]]] : `not ${own}`;
  const available = [first, second].map((side) => joined(side.map((k) => rowsOf[k])));
  const share = isPair ? FIRST_SHARE : FIRST_SHARE_OF_MANY;
  const kept = drawn(available, labels, maxRows, share, seed);
  return {
    name: isPair ? `"${own}" or "${other}"` : `"${own}" or not`,
    classes: [own, other],
    ...inOrder(kept, labels.length),
    available: available[0].length + available[1].length,
    seed,
  };
}

/** The sample of a problem. */
function problemSample(sample: Sample<Features>, { rows, sides, classes }: Problem): Sample<Features> {
  const { features, weights, featureNames } = sample.select(rows);
  const labels = Int32Array.from(sides);
  return new Sample({ features, labels, classes, featureNames, ...(weights && { weights }) });
}

/** The rows of both sides in the order of the sample. */
function inOrder(kept: readonly Int32Array[], rows: number): Pick<Problem, "rows" | "sides"> {
  const sideOf = new Uint8Array(rows).fill(2);
  kept.forEach((own, side) => {
    for (const row of own) sideOf[row] = side;
  });
  const all = new Int32Array(kept[0].length + kept[1].length);
  let count = 0;
  for (let row = 0; row < rows; row++) if (sideOf[row] < 2) all[count++] = row;
  return { rows: all, sides: Uint8Array.from(all, (row) => sideOf[row]) };
}

/** The share of the rows that the first side gets at least, if it has so many: half of them against one other class. */
const FIRST_SHARE = 0.5;
/** A class against many others gets less, as there is more to know of these. */
const FIRST_SHARE_OF_MANY = 0.25;

/**
 * At most so many rows of both sides together: a share of them for each side, and what one side lacks for the other. Of a
 * side of several classes each keeps its share.
 */
function drawn(
  sides: readonly Int32Array[],
  labels: Int32Array,
  most: number,
  firstShare: number,
  seed: number,
): readonly Int32Array[] {
  const sizes = sides.map((rows) => rows.length);
  if (sizes[0] + sizes[1] <= most) return sides;
  const ofFirst = Math.round(most * firstShare);
  return sides.map((rows, s) => {
    const wanted = Math.max(s === 0 ? ofFirst : most - ofFirst, most - sizes[1 - s]);
    if (rows.length <= wanted) return rows;
    const classes = Int32Array.from(rows, (row) => labels[row]);
    return holdout(classes, wanted / rows.length, seed).test.map((i) => rows[i]);
  });
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

/** A trained machine and what the user should know of it. */
interface FittedMachine {
  readonly model: Model;
  readonly notices: readonly string[];
}

/** One machine to be trained on another thread. */
interface MachineInput {
  /** The base by what it can be made from again. */
  readonly base: string;
  readonly options: Learner["options"];
  readonly features: FeaturePieces;
  readonly featureNames: readonly string[];
  readonly weights?: Float64Array;
  readonly problem: Problem;
}

/** What comes back of it. */
interface MachineOutput {
  readonly state: State;
  readonly notices: readonly string[];
}

/** The task that trains one machine on another thread. */
export type MachineTask = Task<MachineInput, MachineOutput>;

/** Trains one machine on another thread, which makes the base by its name. */
export const multiclassMachineTask: MachineTask = defineTask(
  "multiclass/fit-machine",
  async (input: MachineInput, context: TaskContext) => {
    const { base, options, features, featureNames, weights, problem } = input;
    await context.checkpoint();
    const whole = ofPieces(features);
    const sample = new Sample<Features>({
      features: whole,
      // Rows of other problems have no side in this one.
      labels: new Int32Array(whole.rows).fill(-1),
      classes: problem.classes,
      featureNames,
      ...(weights && { weights }),
    });
    const progress: Run["progress"] = ({ stage }) => context.progress(0, stage);
    const model = await fitOne(
      await createLearner(base, options),
      sample,
      problem,
      completeRun({ progress }),
    );
    return { state: model.toState(), notices: model.notices ?? [] };
  },
);

/**
 * Trains a machine for each problem. With at least as many problems as threads each is a task; otherwise, and where the
 * base is the caller's own, they come one after the other, and the base uses the threads itself. The machines are the same.
 */
export async function fitMachines(
  sample: Sample<Features>,
  problems: readonly Problem[],
  { definition, learner }: BaseLearner,
  task: MachineTask,
  stage: string,
  run: Run,
): Promise<FittedMachine[]> {
  const { executor, signal } = run;
  const total = problems.length;
  if (!definition || executor.threads === 1 || total < executor.threads) {
    const machines: FittedMachine[] = [];
    for (const problem of problems) {
      await checkpoint(run);
      const progress: Run["progress"] = (part) =>
        run.progress({ stage, done: machines.length, total, note: part.stage });
      const model = await fitOne(learner, sample, problem, { ...run, progress });
      machines.push({ model, notices: model.notices ?? [] });
      run.progress({ stage, done: machines.length, total });
    }
    return machines;
  }
  const { featureNames, weights } = sample;
  const common = {
    base: learner.name,
    options: learner.options,
    features: inSharedPieces(sample.features),
    featureNames,
    ...(weights && { weights }),
  };
  const outputs = await executor.map(
    task,
    problems.map((problem) => ({ ...common, problem })),
    {
      ...(signal && { signal }),
      onProgress: (done, _, note) =>
        run.progress({ stage, done, total, ...(note !== undefined && { note }) }),
    },
  );
  return outputs.map(({ state, notices }) => ({ model: definition.restore(state), notices }));
}

/** Trains one machine; an error says which. */
async function fitOne(
  learner: Learner,
  sample: Sample<Features>,
  problem: Problem,
  run: Run,
): Promise<Model> {
  try {
    return await learner.fit(problemSample(sample, problem), { ...run, seed: problem.seed });
  } catch (error) {
    if (!(error instanceof VouchError) || error.code === "run/interrupted") throw error;
    throw new VouchError(
      error.code,
      `The machine for ${problem.name}, of ${problem.rows.length} rows, cannot be trained: ${error.message}`,
      { ...(error.hint !== undefined && { hint: error.hint }), cause: error },
    );
  }
}

/** What one machine has to say. */
interface MachineNotices {
  readonly name: string;
  readonly notices: readonly string[];
}

/** What machines say, each thing once: texts that differ in their numbers only are one thing. */
export function joinedNotices(machines: readonly MachineNotices[]): string[] {
  const said = new Map<string, { first: string; name: string; count: number }>();
  for (const { name, notices } of machines) {
    for (const notice of notices) {
      const kind = notice.replaceAll(/[\d.,]*\d(e[-+]?\d+)?/g, "#");
      const known = said.get(kind);
      if (known) known.count++;
      else said.set(kind, { first: notice, name, count: 1 });
    }
  }
  return Array.from(said.values(), ({ first, name, count }) =>
    count === 1
      ? `The machine for ${name}: ${first}`
      : `${formatNumber(count)} of ${formatCount(machines.length, "machine")}, such as that for ${name}: ${first}`,
  );
}
