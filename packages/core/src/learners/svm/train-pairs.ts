import { featuresFrom, type PlainFeatures, sharedFeatures } from "../../encode/sample.js";
import { Random } from "../../runtime/maths/random.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory, sharedBuffer, sharedInts } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { type Arena, ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import { kFold, type Split } from "../../table/splits.js";
import { type KernelFeatures, kernelFeatures } from "../kernel/kernel-features.js";
import {
  type KernelRows,
  type KernelRowsFields,
  kernelRowsFrom,
  withCacheShare,
} from "../kernel/kernel-rows.js";
import { KernelSums } from "../kernel/kernel-sums.js";
import type { Pair } from "./pairwise.js";
import { fitSigmoid, type Sigmoid } from "./platt.js";
import { largestSolverBytes, type SvmSolution, type SvmSolverOptions, solveSvm } from "./solver.js";

/** Folds of the internal cross-validation for sigmoids, as in LIBSVM. */
const SIGMOID_FOLDS = 5;

/** Very rough squared rows per millisecond, to estimate time. */
const SPEED = 300_000;

/** The training problem of a pair of classes. */
export interface PairProblem extends Pair {
  /** Rows of the first class, then rows of the second. */
  readonly rows: Int32Array;
  /** +1 for rows of the first class, −1 for rows of the second. */
  readonly labels: Int8Array;
  /** C of each row. */
  readonly upperBounds: Float64Array;
  readonly weights: Float64Array;
}

/** The machine of a pair, and its sigmoid if the model gives probabilities. */
export interface TrainedPair {
  readonly problem: PairProblem;
  readonly solution: SvmSolution;
  readonly sigmoid?: Sigmoid;
}

interface PairTraining extends SvmSolverOptions {
  readonly probability: boolean;
}

/** Trains the machine of every pair, on all threads of the run; all of them read the same kernel values. */
export async function trainPairs(
  features: KernelFeatures,
  kernel: KernelRows,
  problems: readonly PairProblem[],
  { probability, tolerance, maxIterations }: PairTraining,
  run: Run,
): Promise<TrainedPair[]> {
  const seeds = new Random(run.seed);
  const foldsOf = problems.map((problem, p) =>
    probability ? testableFolds(problem, seeds.fork(p).bits()) : [],
  );
  const machines = problems.flatMap((problem, p): MachineProblem[] => [
    { ...problem, tested: new Int32Array(0) },
    ...foldsOf[p].map((fold) => foldProblem(problem, fold)),
  ]);
  const trained = await trainMachines(machines, features, kernel, { tolerance, maxIterations }, run);
  let next = 0;
  return problems.map((problem, p) => {
    const { solution } = trained[next++];
    if (!probability) return { problem, solution };
    const values = solution.decisionValues.slice();
    for (const { test } of foldsOf[p]) {
      const { testedValues } = trained[next++];
      test.forEach((row, i) => {
        values[row] = testedValues[i];
      });
    }
    return { problem, solution, sigmoid: fitSigmoid(values, problem.labels, problem.weights) };
  });
}

/**
 * Returns the folds whose training part has both classes. Only a class with a single row makes other folds; their rows keep
 * the decision value of the machine that has seen them.
 */
function testableFolds({ labels }: PairProblem, seed: number): Split[] {
  const { folds } = kFold(Int32Array.from(labels), Math.min(SIGMOID_FOLDS, labels.length), seed);
  return folds.filter(({ train }) => train.some((i) => labels[i] !== labels[train[0]]));
}

/** A machine to train, and rows whose decision values are to be computed. */
interface MachineProblem extends Pick<PairProblem, "rows" | "labels" | "upperBounds"> {
  readonly tested: Int32Array;
}

function foldProblem({ rows, labels, upperBounds }: PairProblem, { train, test }: Split): MachineProblem {
  return {
    rows: train.map((i) => rows[i]),
    labels: Int8Array.from(train, (i) => labels[i]),
    upperBounds: Float64Array.from(train, (i) => upperBounds[i]),
    tested: test.map((i) => rows[i]),
  };
}

/** A solved machine, and its decision values of the tested rows. */
interface TrainedMachine {
  readonly solution: SvmSolution;
  readonly testedValues: Float64Array;
}

/** Numbers of a solution apart from its arrays. */
const FACTS = ["bias", "objective", "gap", "dualityGap", "squaredNorm", "iterations"] as const;

/**
 * The problems of all machines and their solutions, one after the other, in memory that threads share: to send each to a thread and
 * back would keep the sender busy for longer than several threads take to solve them.
 */
interface MachineList {
  /** Where the rows of each machine begin, and the end of the last. */
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  readonly labels: Int8Array;
  readonly upperBounds: Float64Array;
  /** The same for the tested rows. */
  readonly testedStarts: Int32Array;
  readonly tested: Int32Array;
  // Solutions.
  readonly coefficients: Float64Array;
  readonly kept: Uint8Array;
  readonly decisionValues: Float64Array;
  readonly testedValues: Float64Array;
  /** FACTS of each machine, and 1 if it has converged. */
  readonly facts: Float64Array;
  /** Machines in the order in which they are taken, the largest first: no thread ends long after the others. */
  readonly order: Int32Array;
  /** Number of machines that threads have taken, and that they have finished. */
  readonly counters: Int32Array;
}

async function trainMachines(
  machines: readonly MachineProblem[],
  features: KernelFeatures,
  kernel: KernelRows,
  solver: SvmSolverOptions,
  run: Run,
): Promise<TrainedMachine[]> {
  const executor = kernel.memory.shared && machines.length > 1 ? run.executor : inlineExecutor();
  const threads = Math.min(executor.threads, machines.length);
  const list = listOf(machines);
  const shared = withCacheShare(kernel, threads);
  const bytes = largestSolverBytes(shared, machines);
  using pool = ArenaPool.allocate(threads, bytes, kernel.memory);
  const hasTests = machines.some(({ tested }) => tested.length > 0);
  const input: TrainingInput = {
    ...{ list, kernel: shared, solver, pool },
    ...(hasTests && { features: sharedFeatures(features) }),
  };
  await executor.map(
    trainMachinesTask,
    Array.from({ length: threads }, () => input),
    {
      signal: run.signal,
      milliseconds: machines.reduce((sum, { rows }) => sum + rows.length ** 2, 0) / SPEED,
      onProgress: () =>
        run.progress({
          stage: "support vector machines",
          done: Atomics.load(list.counters, 1),
          total: machines.length,
        }),
    },
  );
  return machines.map((_, m) => trainedMachine(list, m));
}

function listOf(machines: readonly MachineProblem[]): MachineList {
  const starts = startsOf(machines.map(({ rows }) => rows.length));
  const testedStarts = startsOf(machines.map(({ tested }) => tested.length));
  const total = starts[machines.length];
  const tested = testedStarts[machines.length];
  const doubles = (length: number) => new Float64Array(sharedBuffer(8 * length, "the machines"));
  const list: MachineList = {
    starts,
    rows: sharedInts(total),
    labels: new Int8Array(sharedBuffer(total)),
    upperBounds: doubles(total),
    testedStarts,
    tested: sharedInts(tested),
    coefficients: doubles(total),
    kept: new Uint8Array(sharedBuffer(total)),
    decisionValues: doubles(total),
    testedValues: doubles(tested),
    facts: doubles(machines.length * (FACTS.length + 1)),
    order: onSharedMemory(
      Int32Array.from(machines.keys()).sort(
        (a, b) => machines[b].rows.length - machines[a].rows.length || a - b,
      ),
    ),
    counters: sharedInts(2),
  };
  machines.forEach((machine, m) => {
    list.rows.set(machine.rows, starts[m]);
    list.labels.set(machine.labels, starts[m]);
    list.upperBounds.set(machine.upperBounds, starts[m]);
    list.tested.set(machine.tested, testedStarts[m]);
  });
  return list;
}

function startsOf(lengths: readonly number[]): Int32Array {
  const starts = sharedInts(lengths.length + 1);
  lengths.forEach((length, m) => {
    starts[m + 1] = starts[m] + length;
  });
  return starts;
}

/** Reads machine m from the list; its arrays are views. */
function trainedMachine(list: MachineList, m: number): TrainedMachine {
  const [begin, end] = [list.starts[m], list.starts[m + 1]];
  const at = m * (FACTS.length + 1);
  const [bias, objective, gap, dualityGap, squaredNorm, iterations, converged] = list.facts.subarray(at);
  return {
    solution: {
      coefficients: list.coefficients.subarray(begin, end),
      kept: list.kept.subarray(begin, end),
      decisionValues: list.decisionValues.subarray(begin, end),
      ...{ bias, objective, gap, dualityGap, squaredNorm, iterations },
      converged: converged === 1,
    },
    testedValues: list.testedValues.subarray(list.testedStarts[m], list.testedStarts[m + 1]),
  };
}

interface TrainingInput {
  readonly list: MachineList;
  readonly kernel: KernelRowsFields;
  readonly solver: SvmSolverOptions;
  /** Present if there are rows to test. */
  readonly features?: PlainFeatures;
  readonly pool: ArenaPoolFields;
}

/** Trains machines of the list until all are taken. */
const trainMachinesTask = defineTask(
  "svm/train-machines",
  (input: TrainingInput, context: TaskContext): Promise<void> =>
    new ArenaPool(input.pool).with(async (arena) => {
      const { order, counters } = input.list;
      const kernel = kernelRowsFrom(input.kernel);
      const features = input.features && kernelFeatures(featuresFrom(input.features));
      for (let next = take(counters); next < order.length; next = take(counters)) {
        await context.checkpoint();
        await trainMachine(order[next], kernel, features, input, arena, context);
        const done = Atomics.add(counters, 1, 1) + 1;
        context.progress(done / order.length);
      }
    }),
);

function take(counters: Int32Array): number {
  return Atomics.add(counters, 0, 1);
}

/** Trains machine m, and applies it to the tested rows. */
async function trainMachine(
  m: number,
  kernel: KernelRows,
  features: KernelFeatures | undefined,
  { list, solver }: TrainingInput,
  arena: Arena,
  context: TaskContext,
): Promise<void> {
  const [begin, end] = [list.starts[m], list.starts[m + 1]];
  const rows = list.rows.subarray(begin, end);
  const problem = {
    kernel,
    rows,
    labels: list.labels.subarray(begin, end),
    upperBounds: list.upperBounds.subarray(begin, end),
  };
  const solution = await solveSvm(problem, solver, { arena, checkpoint: () => context.checkpoint() });
  list.coefficients.set(solution.coefficients, begin);
  list.kept.set(solution.kept, begin);
  list.decisionValues.set(solution.decisionValues, begin);
  const facts = [...FACTS.map((name) => solution[name]), solution.converged ? 1 : 0];
  list.facts.set(facts, m * facts.length);
  const tested = list.tested.subarray(list.testedStarts[m], list.testedStarts[m + 1]);
  if (!features || tested.length === 0) return;
  const values = list.testedValues.subarray(list.testedStarts[m], list.testedStarts[m + 1]);
  sumsOf(solution, rows, kernel, features).forEachRow(
    features,
    (own, i) => {
      values[i] = own[0];
    },
    tested,
  );
}

function sumsOf(
  { coefficients, bias }: SvmSolution,
  rows: Int32Array,
  { kernel }: KernelRows,
  features: KernelFeatures,
): KernelSums {
  const support = rows.filter((_, i) => coefficients[i] !== 0);
  const used = coefficients.filter((coefficient) => coefficient !== 0);
  const all = Int32Array.from(used, (_, s) => s);
  return KernelSums.of(kernel, features.select(support), [{ support: all, coefficients: used, bias }]);
}
