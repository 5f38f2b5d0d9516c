import { WasmMatrix } from "../../runtime/maths/wasm-matrix.js";
import type { Executor, TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import { workRanges } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { Arena, ArenaPool, type ArenaPoolFields, Scope } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { LOGISTIC_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { LinearRows } from "../linear/linear-rows.js";

/** Rows are divided into at most this many blocks, whatever the number of threads, so that sums have the same bits on all of them. */
const MOST_BLOCKS = 16;

/** Multiplications of a block: a few hundred microseconds. */
const WORK_PER_BLOCK = 2 ** 18;

/** Multiplications between two checkpoints, and those of a millisecond. */
const WORK_AT_ONCE = 2 ** 23;
const SPEED = 600_000;

/** Work of at least this many milliseconds in each of many rounds is worth the start of threads. */
const WORTH_THREADS = 3;
const STARTS_THREADS = 30;

/** Rows that a Gram matrix takes at a time, and multiplications between two checkpoints, which are faster there. */
const GRAM_ROWS = 128;
const GRAM_WORK_AT_ONCE = 2 ** 26;

/** Features of a panel: see `wasm/logistic-gram.ts`. */
const PANEL = 4;

/** The fewest rows of a block of a Gram matrix, and the most bytes of the sums of all blocks. */
const FEWEST_GRAM_ROWS = 512;
const MOST_GRAM_BYTES = 2 ** 27;

/** The classes of the rows, counted from 0 without gaps, and the cost of each row. */
export interface LogisticRows {
  readonly rows: LinearRows;
  readonly classes: number;
  readonly labels: Int32Array;
  /** cᵢ ≥ 0. */
  readonly costs: Float64Array;
}

/**
 * The loss Σ cᵢ log(1/p(yᵢ | xᵢ)) as a function of the weights, in WebAssembly memory. Two classes have one output, the log odds of
 * the second class; K have K outputs. Weights are a vector by features: those of all outputs for feature 0, then for feature 1,
 * and so on, and the intercepts last. All sums over rows use the threads of the run.
 */
export class LogisticLoss {
  readonly features: number;
  readonly classes: number;
  /** Outputs; an odd number above one is padded with an output that is always 0. */
  readonly outputs: number;
  /** Length of the vector of weights. */
  readonly size: number;
  /** Values other than zero in all rows. */
  readonly entries: number;
  readonly #rows: LinearRows;
  readonly #run: Run;
  readonly #executor: Executor;
  readonly #arena: Arena;
  readonly #problem: number;
  readonly #vector: number;
  readonly #blocks: readonly { begin: number; end: number; scratch: number; sums: number }[];

  constructor({ rows, classes, labels, costs }: LogisticRows, run: Run) {
    const { memory } = rows;
    this.#rows = rows;
    this.#run = run;
    this.#executor = memory.shared ? run.executor : inlineExecutor();
    this.features = rows.columns;
    this.classes = classes;
    this.outputs = outputsOf(classes);
    this.size = (rows.columns + 1) * this.outputs;
    this.entries = rows.entries;
    const blocks = this.#blockCount();
    const { logisticRows, logisticClasses } = memory.exports;
    const perBlock = alignUp(8 * this.outputs) + alignUp(8 * this.size);
    const perRow = alignUp(4 * rows.rows) + alignUp(8 * rows.rows) + alignUp(8 * this.outputs * rows.rows);
    const bytes = alignUp(LOGISTIC_BYTES) + alignUp(8 * this.size) + perRow + blocks * perBlock;
    this.#arena = Arena.allocate(bytes, memory);
    this.#problem = this.#arena.u8(LOGISTIC_BYTES).pointer;
    this.#vector = this.#arena.f64(this.size).pointer;
    const [own, prices] = [this.#arena.i32(rows.rows), this.#arena.f64(rows.rows)];
    own.view.set(labels);
    prices.view.set(costs);
    const probabilities = this.#arena.f64(this.outputs * rows.rows).pointer;
    logisticRows(this.#problem, rows.pointer, rows.starts, rows.columns, rows.wide);
    logisticClasses(this.#problem, classes, this.outputs, own.pointer, prices.pointer, probabilities);
    this.#blocks = Array.from({ length: blocks }, (_, b) => ({
      begin: Math.floor((rows.rows * b) / blocks),
      end: Math.floor((rows.rows * (b + 1)) / blocks),
      scratch: this.#arena.f64(this.outputs).pointer,
      sums: this.#arena.f64(this.size).pointer,
    }));
  }

  /** Multiplications of a gradient. */
  get work(): number {
    return 2 * (this.entries + this.#rows.rows) * this.outputs;
  }

  /** Computes the loss and writes its gradient. The rows keep their probabilities at these weights for what follows. */
  async evaluate(weights: Float64Array, gradient: Float64Array): Promise<number> {
    const { memory, rows } = this.#rows;
    memory.f64(this.#vector, this.size).set(weights);
    const common = {
      memory,
      problem: this.#problem,
      weights: this.#vector,
      size: this.size,
      workPerRow: this.work / Math.max(1, rows),
    };
    const inputs = this.#blocks.map((block) => ({ ...common, ...block }));
    const losses = await this.#executor.map(gradientTask, inputs, this.#options(this.work));
    gradient.fill(0);
    for (const { sums } of this.#blocks) {
      const part = memory.f64(sums, this.size);
      for (let j = 0; j < gradient.length; j++) gradient[j] += part[j];
    }
    return losses.reduce((sum, loss) => sum + loss, 0);
  }

  /**
   * Computes Σ hᵢ xᵢxᵢᵀ, lower triangle, where x ends with the constant 1 and hᵢ is the curvature of row i: the Hessian for two
   * classes. With a step of s, every s-th row stands for s rows. For a pair of outputs, hᵢ is the size of the second derivative by
   * both. The caller releases it.
   */
  async gram(step: number, pair?: readonly [number, number]): Promise<WasmMatrix> {
    const { memory, rows } = this.#rows;
    const size = this.features + 1;
    const stride = PANEL * Math.ceil(size / PANEL);
    const panelBytes = this.#rows.starts === 0 ? (stride / PANEL) * GRAM_ROWS * 32 : 0;
    const matrix = WasmMatrix.allocate(size, stride, "f64", memory);
    const held = new Scope();
    try {
      const bytes = alignUp(panelBytes) + alignUp(8 * GRAM_ROWS * step);
      const scratch = held.hold(ArenaPool.allocate(this.#executor.threads, bytes, memory));
      const work = gramWork(this.#rows) / step;
      const common = {
        memory,
        problem: this.#problem,
        step,
        panelBytes,
        ...(pair && { pair }),
        workPerRow: (work * step) / Math.max(1, rows),
        stride,
        scratch,
      };
      const parts = gramParts(size, rows, step, 8 * size * stride, work);
      const sums = parts.map(({ sum }) =>
        sum === 0 ? matrix : held.hold(WasmMatrix.allocate(size, stride, "f64", memory)),
      );
      const inputs = parts.map((part, p) => ({ ...common, ...part, matrix: sums[p].pointer }));
      await this.#executor.map(gramTask, inputs, this.#options(work));
      const total = matrix.matrix.values;
      for (const part of sums) {
        if (part === matrix) continue;
        const { values } = part.matrix;
        for (let e = 0; e < total.length; e++) total[e] += values[e];
      }
      return matrix;
    } catch (error) {
      matrix.release();
      throw error;
    } finally {
      held.release();
    }
  }

  /** Estimates the multiplications of `gram`. */
  get gramWork(): number {
    return gramWork(this.#rows);
  }

  /** Counts the rows whose class is not the most probable one at the last evaluated weights. */
  errors(): number {
    return this.memory.exports.logisticErrors(this.#problem, 0, this.#rows.rows);
  }

  get memory(): LinearRows["memory"] {
    return this.#rows.memory;
  }

  release(): void {
    this.#arena.release();
  }

  #blockCount(): number {
    // Adding up the blocks must take less time than computing them.
    const most = Math.min(MOST_BLOCKS, this.entries / (32 * (this.features + 1)), this.work / WORK_PER_BLOCK);
    return Math.max(1, Math.min(Math.floor(most), this.#rows.rows));
  }

  #options(work: number): { milliseconds: number; signal?: AbortSignal } {
    const own = work / SPEED;
    // A solver makes many such rounds: threads may be started for one that is too short by itself.
    const milliseconds = own >= WORTH_THREADS ? Math.max(own, STARTS_THREADS) : own;
    return { milliseconds, ...(this.#run.signal && { signal: this.#run.signal }) };
  }
}

/** Returns the number of outputs: one for two classes, else the number of classes, rounded up to an even one. */
export function outputsOf(classes: number): number {
  return classes === 2 ? 1 : classes + (classes % 2);
}

function gramWork({ rows, entries }: LinearRows): number {
  const perRow = entries / Math.max(1, rows) + 1;
  return (rows * perRow * (perRow + 1)) / 2;
}

/** A part of a Gram matrix: some rows of the sample, and the rows of the matrix that belong to features `first` … `last` − 1. */
interface GramPart {
  readonly begin: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
  /** Parts with the same number belong to the same sum. */
  readonly sum: number;
}

/**
 * Divides the work on a Gram matrix of this size into parts, whatever the number of threads: blocks of rows, or ranges of features if
 * there are too few rows or too much memory is needed.
 */
function gramParts(size: number, rows: number, step: number, bytes: number, work: number): GramPart[] {
  const most = Math.max(1, Math.min(MOST_BLOCKS, Math.floor(work / WORK_PER_BLOCK)));
  const blocks = Math.min(most, Math.floor(rows / step / FEWEST_GRAM_ROWS));
  if (blocks < 2 || blocks < most / 2 || blocks * bytes > MOST_GRAM_BYTES) {
    return featureRanges(size, most).map(([first, last]) => ({ begin: 0, end: rows, first, last, sum: 0 }));
  }
  const beginOf = (block: number) => step * Math.floor((rows * block) / (step * blocks));
  return Array.from({ length: blocks }, (_, block) => ({
    begin: beginOf(block),
    end: block === blocks - 1 ? rows : beginOf(block + 1),
    first: 0,
    last: size,
    sum: block,
  }));
}

/** Divides features into ranges of about the same part of a lower triangle, each from a multiple of a panel. */
function featureRanges(size: number, count: number): [first: number, last: number][] {
  const ends = Array.from({ length: count }, (_, r) =>
    Math.min(size, PANEL * Math.round((size * Math.sqrt((r + 1) / count)) / PANEL)),
  );
  ends[count - 1] = size;
  const ranges = ends.map((last, r): [number, number] => [r === 0 ? 0 : ends[r - 1], last]);
  return ranges.filter(([first, last]) => last > first);
}

interface GradientInput {
  readonly memory: WasmMemory;
  readonly problem: number;
  readonly weights: number;
  readonly size: number;
  readonly begin: number;
  readonly end: number;
  readonly workPerRow: number;
  readonly scratch: number;
  readonly sums: number;
}

/** Computes the loss and gradient of a block of rows. */
const gradientTask = defineTask(
  "logistic/gradient",
  async (input: GradientInput, context: TaskContext): Promise<number> => {
    const { problem, weights, size, scratch, sums } = input;
    const memory = input.memory;
    memory.f64(sums, size).fill(0);
    let loss = 0;
    for (const [from, to] of workRanges(input.end - input.begin, input.workPerRow, WORK_AT_ONCE)) {
      await context.checkpoint();
      const [begin, end] = [input.begin + from, input.begin + to];
      loss += memory.exports.logisticGradient(problem, begin, end, weights, scratch, sums);
    }
    return loss;
  },
);

interface GramInput extends GramPart {
  readonly memory: WasmMemory;
  readonly problem: number;
  readonly panelBytes: number;
  readonly pair?: readonly [number, number];
  readonly step: number;
  readonly workPerRow: number;
  readonly matrix: number;
  readonly stride: number;
  readonly scratch: ArenaPoolFields;
}

/** Computes a part of a Gram matrix. */
const gramTask = defineTask(
  "logistic/gram",
  async (input: GramInput, context: TaskContext): Promise<void> => {
    const { problem, begin, end, step, first, last, matrix, stride } = input;
    await new ArenaPool(input.scratch).with(async (arena) => {
      const memory = input.memory;
      memory.f64(matrix + 8 * first * stride, (last - first) * stride).fill(0);
      const panels = arena.u8(input.panelBytes).pointer;
      const curvatures = arena.f64(GRAM_ROWS * step).pointer;
      const most = Math.max(1, Math.min(GRAM_ROWS, Math.floor(GRAM_WORK_AT_ONCE / input.workPerRow)));
      const { logisticCurvatures, logisticPairCurvatures, logisticGram } = memory.exports;
      for (let from = begin; from < end; from += most * step) {
        await context.checkpoint();
        const to = Math.min(end, from + most * step);
        // Kernels count rows from the first of the sample.
        const weights = curvatures - 8 * from;
        if (input.pair) logisticPairCurvatures(problem, ...input.pair, from, to, weights);
        else logisticCurvatures(problem, from, to, weights);
        if (step > 1) {
          const own = memory.f64(curvatures, to - from);
          for (let i = 0; i < own.length; i++) own[i] *= step;
        }
        logisticGram(problem, weights, from, to, step, first, last, matrix, stride, panels);
      }
    });
  },
);
