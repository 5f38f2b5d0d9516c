import type { TaskContext } from "../../runtime/parallel/executor.js";
import { runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { sharedBytes, sharedInts } from "../../runtime/parallel/shared-array.js";
import { definePortableTask } from "../../runtime/parallel/task.js";
import { taskRun } from "../../runtime/parallel/task-run.js";
import { Scope } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { TreeColumns } from "../tree/tree-columns.js";
import {
  addPacked,
  columnsFrom,
  divideTrees,
  type PackedIntegers,
  type PlainColumns,
  type PlanPart,
  packIntegers,
  plainColumns,
} from "./cluster-ranges.js";
import type { ForestPlan, RawTree } from "./forest-thread.js";
import { ForestVotes } from "./forest-votes.js";
import { type ForestTarget, growOnThreads, growthMilliseconds } from "./grow-on-threads.js";
import { addDecreases, ImpurityDecreases } from "./impurity-decreases.js";
import { lossTableRows, type OutOfBagBuffers, type VoteBuffers } from "./tree-voter.js";

/** Work of fewer milliseconds is not worth threads that join its trees. */
const MIN_WORK_TO_PREPARE = 1000;

/** A plan as values: `votes` and `decreases` are indices of tallies. */
interface RangePlan extends Omit<ForestPlan, "votes" | "decreases"> {
  readonly votes?: { readonly tally: number; readonly rows?: Int32Array };
  readonly decreases?: number;
}

/** Where trees vote, as values. */
interface VoteTally {
  readonly units: number;
  /** Present if trees vote on the rows that they have not drawn: how many rows the losses of pairs are measured on. */
  readonly measured?: number;
}

/** Some trees of forests on the same columns: one byte per cell, and no addresses. */
interface RangeInput extends PlainColumns {
  readonly target: ForestTarget;
  readonly plans: readonly RangePlan[];
  readonly tallies: readonly VoteTally[];
  /** Number of sums of decreases. */
  readonly decreases: number;
}

/** Votes of some trees: integers, which add up in any order to the same sums. */
interface TalliedVotes {
  readonly sums: PackedIntegers;
  /** Present if trees vote on the rows that they have not drawn. */
  readonly outOfBag?: {
    readonly votes: PackedIntegers;
    /** By tree of the range. */
    readonly lossSums: Float64Array;
    readonly lossCounts: Int32Array;
    readonly losses: Uint8Array;
    readonly bits: Uint8Array;
  };
}

interface RangeOutput {
  /** Four numbers for each tree: its index in the range, and how many nodes, sets and shares it has. */
  readonly trees: Int32Array;
  /** Number of words of each tree, and the words of all. */
  readonly lengths: Int32Array;
  readonly words: Int32Array;
  readonly votes: readonly TalliedVotes[];
  readonly decreases: readonly Int32Array[];
}

/** Grows trees on the machines of a cluster, and adds their votes and decreases to those in the memory of this one. */
export async function growOnCluster(
  columns: TreeColumns,
  target: ForestTarget,
  plans: readonly ForestPlan[],
  run: Run,
): Promise<RawTree[]> {
  const buffers = sharedBuffers(plans);
  const common = {
    ...plainColumns(columns),
    target,
    tallies: buffers.votes.map(({ units, outOfBag }) => ({
      units,
      ...(outOfBag && { measured: outOfBag.measured }),
    })),
    decreases: buffers.decreases.length,
  };
  const lists = new Map<number, Int32Array>();
  const plainPlan = ({ plan, first, trees }: PlanPart): RangePlan => {
    const { votes, decreases, ...rest } = plans[plan];
    const rows = votes?.rows && rowList(columns.memory, votes.rows, lists);
    return {
      ...rest,
      first,
      trees,
      ...(votes && { votes: { tally: buffers.tallyOf(votes), ...(rows && { rows }) } }),
      ...(decreases !== undefined && { decreases: buffers.decreases.indexOf(decreases) }),
    };
  };
  const { cluster = { count: 1, threads: 1 } } = run.executor;
  const milliseconds = growthMilliseconds(plans, columns.columns);
  const ranges = divideTrees(plans, cluster, milliseconds);
  let isPrepared = milliseconds < MIN_WORK_TO_PREPARE;
  const total = plans.reduce((sum, { trees }) => sum + trees, 0);
  const inputs = ranges.map((parts): RangeInput => ({ ...common, plans: parts.map(plainPlan) }));
  const outputs = await run.executor.map(growRangeTask, inputs, {
    signal: run.signal,
    wholeMachines: true,
    sizes: ranges.map((parts) => parts.reduce((sum, { trees }) => sum + trees, 0)),
    rows: plans.reduce((sum, { trees, rows }) => sum + trees * rows.length, 0),
    onProgress: (done, all) => {
      // The threads of this machine start while others compute.
      if (!isPrepared) run.executor.prepare?.(["forest/join", "forest/scores", "forest/pairs"]);
      isPrepared = true;
      run.progress({ stage: "trees", done: Math.floor((done * total) / all), total });
    },
  });
  outputs.forEach((output, r) => {
    buffers.votes.forEach((votes, t) => {
      addVotes(columns, target.classes, votes, output.votes[t], ranges[r]);
    });
    buffers.decreases.forEach((pointer, d) => {
      addDecreases(columns.memory.i32(pointer, 2 * columns.columns), output.decreases[d]);
    });
  });
  return outputs.flatMap((output, r) => treesOf(output, ranges[r]));
}

/** Lists the distinct buffers that the trees of the plans add to. */
function sharedBuffers(plans: readonly ForestPlan[]) {
  const votes: VoteBuffers[] = [];
  const tallyOf = ({ sums }: VoteBuffers) => votes.findIndex((known) => known.sums === sums);
  const decreases = new Set<number>();
  for (const plan of plans) {
    if (plan.votes && tallyOf(plan.votes) < 0) votes.push(plan.votes);
    if (plan.decreases !== undefined) decreases.add(plan.decreases);
  }
  return { votes, tallyOf, decreases: [...decreases] };
}

function rowList(
  memory: WasmMemory,
  { pointer, length }: { readonly pointer: number; readonly length: number },
  known: Map<number, Int32Array>,
): Int32Array {
  const list = known.get(pointer) ?? Int32Array.from(memory.i32(pointer, length));
  known.set(pointer, list);
  return list;
}

/** Returns the trees of a range, with their numbers among the trees of all plans. */
function treesOf({ trees, lengths, words }: RangeOutput, parts: readonly PlanPart[]): RawTree[] {
  const numbers = parts.flatMap(({ number, trees: count }) =>
    Array.from({ length: count }, (_, t) => number + t),
  );
  let at = 0;
  return Array.from(lengths, (length, k) => {
    const [index, nodes, sets, shares] = trees.subarray(4 * k, 4 * k + 4);
    at += length;
    return { index: numbers[index], nodes, sets, shares, words: words.subarray(at - length, at) };
  });
}

/** Adds the votes of a range to the sums of all. Facts about single trees are copied. */
function addVotes(
  { memory, rows }: TreeColumns,
  classes: number,
  { sums, outOfBag }: VoteBuffers,
  tallied: TalliedVotes,
  parts: readonly PlanPart[],
): void {
  addPacked(memory.i32(sums, rows * classes), tallied.sums);
  const facts = tallied.outOfBag;
  if (!outOfBag || !facts) return;
  addPacked(memory.i32(outOfBag.votes, rows), facts.votes);
  // Only forests of one plan have out-of-bag rows.
  const [{ first }] = parts;
  const trees = facts.lossCounts.length;
  const ofTrees = treeFacts(memory, outOfBag, first, trees);
  ofTrees.lossSums.set(facts.lossSums);
  ofTrees.lossCounts.set(facts.lossCounts);
  ofTrees.losses.set(facts.losses);
  ofTrees.bits.set(facts.bits);
}

/** Views the facts about some trees. */
function treeFacts(memory: WasmMemory, outOfBag: OutOfBagBuffers, first: number, trees: number) {
  const padded = lossTableRows(outOfBag.measured);
  return {
    lossSums: memory.f64(outOfBag.lossSums + 8 * first, trees),
    lossCounts: memory.i32(outOfBag.lossCounts + 4 * first, trees),
    losses: memory.u8(outOfBag.losses + 2 * padded * first, 2 * padded * trees),
    bits: memory.u8(outOfBag.bits + (padded / 8) * first, (padded / 8) * trees),
  };
}

/** Grows some trees of forests on the threads of a machine. */
const growRangeTask = definePortableTask(
  "forest/grow-range",
  async (input: RangeInput, context: TaskContext): Promise<RangeOutput> => {
    const run = taskRun(context);
    const { target, tallies } = input;
    const trees = input.plans.reduce((sum, plan) => sum + plan.trees, 0);
    using scope = new Scope();
    const columns = scope.hold(await runOnThreads(TreeColumns.copy(columnsFrom(input)), run));
    const votes = scope.hold(new ForestVotes(columns, target.classes));
    const buffers = tallies.map(({ units, measured }): VoteBuffers => {
      const outOfBag = measured === undefined ? undefined : votes.allocateOutOfBag(trees, measured);
      return { ...votes.allocate(trees), units, ...(outOfBag && { outOfBag }) };
    });
    const decreases = Array.from({ length: input.decreases }, () =>
      scope.hold(new ImpurityDecreases(columns)),
    );
    const plans = input.plans.map(({ votes: tally, decreases: sum, ...plan }): ForestPlan => {
      const rows = tally?.rows && votes.list(tally.rows);
      return {
        ...plan,
        ...(tally && { votes: { ...buffers[tally.tally], ...(rows && { rows }) } }),
        ...(sum !== undefined && { decreases: decreases[sum].pointer }),
      };
    });
    const grown = await growOnThreads(columns, target, plans, run);
    return {
      ...packed(grown),
      votes: buffers.map((each) => talliedVotes(columns, target.classes, each, trees)),
      decreases: decreases.map((each) => each.words()),
    };
  },
);

function talliedVotes(
  { memory, rows }: TreeColumns,
  classes: number,
  { sums, outOfBag }: VoteBuffers,
  trees: number,
): TalliedVotes {
  const facts = outOfBag && treeFacts(memory, outOfBag, 0, trees);
  return {
    sums: packIntegers(Int32Array.from(memory.i32(sums, rows * classes))),
    ...(facts && {
      outOfBag: {
        votes: packIntegers(Int32Array.from(memory.i32(outOfBag.votes, rows))),
        lossSums: Float64Array.from(facts.lossSums),
        lossCounts: Int32Array.from(facts.lossCounts),
        losses: shared(facts.losses),
        bits: shared(facts.bits),
      },
    }),
  };
}

/** Copies bytes of WebAssembly memory to memory that threads share, so that they are not copied again. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = sharedBytes(bytes.length);
  copy.set(bytes);
  return copy;
}

function packed(grown: readonly RawTree[]): Pick<RangeOutput, "trees" | "lengths" | "words"> {
  const trees = grown.toSorted((a, b) => a.index - b.index);
  const lengths = Int32Array.from(trees, ({ words }) => words.length);
  const words = sharedInts(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const tree of trees) {
    words.set(tree.words, at);
    at += tree.words.length;
  }
  const facts = trees.flatMap(({ index, nodes, sets, shares }) => [index, nodes, sets, shares]);
  return { trees: Int32Array.from(facts), lengths, words };
}
