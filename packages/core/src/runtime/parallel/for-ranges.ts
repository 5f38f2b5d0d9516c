import { Arena, ArenaPool, type ArenaPoolFields, bytesOf, type Layout } from "../wasm/arena.js";
import { WasmMemory, wasmMemory } from "../wasm/wasm-memory.js";
import type { Task } from "./executor.js";
import {
  ParallelWork,
  type Pausable,
  runNow,
  runWithCheckpoints,
  runWithPauses,
  type Threads,
} from "./pausable.js";
import { isShared, sharedIfLarge } from "./shared-array.js";
import { defineTask } from "./task.js";
import { replaceIn } from "./task-message.js";

/** Simple operations in a millisecond, such as additions of cells that are in the cache. All estimates of time use it. */
export const OPERATIONS_PER_MILLISECOND = 1e6;

/** Each thread gets several ranges, so that no thread waits long for the last one. */
const RANGES_PER_THREAD = 4;

/** A range on another thread takes at least a millisecond: a message takes a tenth of that. */
const MIN_RANGE = OPERATIONS_PER_MILLISECOND;

/** Less work than this stays on its thread: sharing arrays and waking threads takes about as long. */
const MIN_WORK_TO_SHARE = 4 * OPERATIONS_PER_MILLISECOND;

/** Work between two pauses on this thread. */
const WORK_PER_PAUSE = 8 * OPERATIONS_PER_MILLISECOND;

/** What a task on a range gets in addition to its input. */
export class RangeContext {
  readonly #arena: Arena | undefined;

  constructor(arena?: Arena) {
    this.#arena = arena;
  }

  /** Memory for intermediate results: exactly the layout `scratch` of the division, for this task alone. */
  get scratch(): Arena {
    if (this.#arena) return this.#arena;
    throw new TypeError("The division of this task has no scratch layout.");
  }
}

/** A range and the scratch of its task, as they are sent. */
interface RangeInput<Input> {
  readonly input: Input;
  readonly pool: ArenaPoolFields | undefined;
}

/** A task that works on a range of rows, columns, trees, …: made by `defineRangeTask` or `definePausableRangeTask`. */
export type RangeTask<Input, Output> = Task<RangeInput<Input>, Output> & RangeWork<Input, Output>;

/** Work with pauses is a generator. Other work is divided into short ranges where it must not block its thread. */
type RangeWork<Input, Output> =
  | { readonly pauses: false; readonly work: (input: Input, context: RangeContext) => Output }
  | { readonly pauses: true; readonly work: (input: Input, context: RangeContext) => Pausable<Output> };

/**
 * Names a function of a range so that `forRanges` can run it on another thread; see `defineTask` for id and module. Results must
 * not depend on the division. If it writes to an array of its input, name this array as the `output` of the division.
 */
export function defineRangeTask<Input, Output>(
  id: string,
  work: (input: Input, context: RangeContext) => Output,
  module?: string,
): RangeTask<Input, Output> {
  return rangeTask(id, { pauses: false, work }, module);
}

/** Names a generator that pauses at least every 50 ms; see `defineRangeTask`. */
export function definePausableRangeTask<Input, Output>(
  id: string,
  work: (input: Input, context: RangeContext) => Pausable<Output>,
  module?: string,
): RangeTask<Input, Output> {
  return rangeTask(id, { pauses: true, work }, module);
}

function rangeTask<Input, Output>(
  id: string,
  rangeWork: RangeWork<Input, Output>,
  module: string | undefined,
): RangeTask<Input, Output> {
  const task = defineTask<RangeInput<Input>, Output>(
    id,
    async ({ input, pool }, context) => {
      const runIn = (arena?: Arena) =>
        runWithCheckpoints(stepsOf(rangeWork, input, arena), () => context.checkpoint());
      return pool ? await new ArenaPool(pool).with(runIn) : await runIn();
    },
    module,
  );
  return { ...task, ...rangeWork };
}

function* stepsOf<Input, Output>(
  task: RangeWork<Input, Output>,
  input: Input,
  arena?: Arena,
): Pausable<Output> {
  const context = new RangeContext(arena);
  return task.pauses ? yield* task.work(input, context) : task.work(input, context);
}

/** How to divide work on `count` rows, columns, trees, … */
export interface Division {
  readonly count: number;
  /** Operations for each of them, or for all before an index if they differ. Estimates decide on time only, never on results. */
  readonly work: number | ((end: number) => number);
  /** Ranges begin at multiples of this number. */
  readonly align?: number;
  /** Scratch of each running task, which takes it by `context.scratch.take(layout)`. */
  readonly scratch?: Layout;
  /** The memory of the scratch; by default the memory of this thread. */
  readonly memory?: WasmMemory;
  /** The array that tasks write to, if it is not in a `WasmMemory`: threads cannot do the work if they do not share it. */
  readonly output?: ArrayBufferView;
  /** Reports progress as this stage, in units of `count`. */
  readonly stage?: string;
}

/**
 * Runs a task on ranges [begin, end) of 0 … count − 1 and returns its outputs in their order. It is pausable work, so that an
 * evaluation is written once: `runNow(evaluate(…))` does all of it at once on this thread, and `runOnThreads(evaluate(…), run)`
 * on the threads of a run if the work is large enough. Then arrays in the inputs are moved to shared memory, a `WasmMemory` and a
 * `WasmStructure` travel as they are, and work whose memory threads cannot share stays on this thread, with pauses.
 */
export function* forRanges<Input, Output>(
  task: RangeTask<Input, Output>,
  division: Division,
  input: (begin: number, end: number) => Input,
): Pausable<readonly Output[]> {
  if (division.count === 0) return [];
  let outputs: readonly Output[] = [];
  yield new ParallelWork(
    () => {
      outputs = runNow(runHere(task, division, input, [[0, division.count]]));
    },
    async (run) => {
      outputs =
        (await runOnOthers(task, division, input, run)) ??
        (await runWithPauses(runHere(task, division, input, shortRanges(task, division), run), run.signal));
    },
  );
  return outputs;
}

type Range = readonly [begin: number, end: number];

/** Runs the ranges on this thread, with pauses between them. */
function* runHere<Input, Output>(
  task: RangeTask<Input, Output>,
  { count, scratch, memory, stage }: Division,
  input: (begin: number, end: number) => Input,
  ranges: readonly Range[],
  run?: Threads,
): Pausable<Output[]> {
  using arena = scratch && Arena.allocate(bytesOf(scratch), memory);
  const outputs: Output[] = [];
  for (const [begin, end] of ranges) {
    arena?.reset();
    outputs.push(yield* stepsOf(task, input(begin, end), arena));
    if (stage !== undefined) run?.progress?.({ stage, done: end, total: count });
    yield;
  }
  return outputs;
}

/** Runs the ranges on other threads; returns undefined if that is impossible or not worth it. */
async function runOnOthers<Input, Output>(
  task: RangeTask<Input, Output>,
  division: Division,
  input: (begin: number, end: number) => Input,
  { executor, signal, progress }: Threads,
): Promise<Output[] | undefined> {
  const { count, scratch, output, stage } = division;
  const work = workBefore(division)(count);
  if (executor.threads === 1 || work < MIN_WORK_TO_SHARE) return undefined;
  // Work without scratch may need no memory at all.
  const memory = scratch && (division.memory ?? wasmMemory());
  if ((output && !isShared(output)) || memory?.shared === false) return undefined;
  const most = Math.min(executor.threads * RANGES_PER_THREAD, Math.floor(work / MIN_RANGE));
  const ranges = divide(division, most);
  const inputs = shareInputs(ranges.map(([begin, end]) => input(begin, end)));
  if (!inputs) return undefined;
  using pool =
    scratch && ArenaPool.allocate(Math.min(executor.threads, ranges.length), bytesOf(scratch), memory);
  return await executor.map(
    task,
    inputs.map((each) => ({ input: each, pool })),
    {
      signal,
      milliseconds: work / OPERATIONS_PER_MILLISECOND,
      sizes: ranges.map(([begin, end]) => end - begin),
      onProgress:
        stage !== undefined && progress
          ? (done, total) => progress({ stage, done: Math.floor((done / total) * count), total: count })
          : undefined,
    },
  );
}

/** Moves arrays to shared memory, the same array once; returns undefined if threads cannot share a memory of the inputs. */
function shareInputs<Input>(inputs: readonly Input[]): readonly Input[] | undefined {
  let isSendable = true;
  const known = new Map<object, object>();
  const replace = (value: object) => {
    if (value instanceof WasmMemory) isSendable &&= value.shared;
    return sharedIfLarge(value);
  };
  const shared = inputs.map((input) => replaceIn(input, replace, known) as Input);
  return isSendable ? shared : undefined;
}

function shortRanges(task: { readonly pauses: boolean }, division: Division): readonly Range[] {
  const work = workBefore(division)(division.count);
  return divide(division, task.pauses ? 1 : Math.ceil(work / WORK_PER_PAUSE));
}

/** Divides into at most `most` ranges of about the same work. */
export function divide(division: Division, most: number): Range[] {
  const { count, align = 1 } = division;
  const before = workBefore(division);
  const total = before(count);
  const ranges: Range[] = [];
  let begin = 0;
  for (let r = 1; r <= most && begin < count; r++) {
    const end = r === most ? count : firstWith(before, (total * r) / most, begin, count, align);
    if (end > begin) ranges.push([begin, end]);
    begin = end;
  }
  return begin < count ? [...ranges, [begin, count]] : ranges;
}

/** Finds the first multiple of `align` from `begin` on before which at least this much work lies, at most `count`. */
function firstWith(
  before: (end: number) => number,
  work: number,
  begin: number,
  count: number,
  align: number,
): number {
  let [low, high] = [Math.ceil(begin / align), Math.ceil(count / align)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (before(Math.min(middle * align, count)) >= work) high = middle;
    else low = middle + 1;
  }
  return Math.min(low * align, count);
}

function workBefore({ work }: Division): (end: number) => number {
  return typeof work === "number" ? (end) => end * work : work;
}
