import { Random } from "../../runtime/maths/random.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import { SharedHeap } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { type Arena, ArenaPool, type ArenaPoolFields } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { TreeGrowth } from "../tree/growth-options.js";
import type { TreeColumnsFields } from "../tree/tree-columns.js";
import { growerLayout, TreeGrower, type TreeSlots } from "../tree/tree-grower.js";
import type { TreeTargetFields } from "../tree/tree-target.js";
import { DECREASE_UNITS } from "./impurity-decreases.js";
import { TreeVoter, type VoteBuffers, voterLayout } from "./tree-voter.js";

/** How to grow a forest. */
export interface ForestPlan {
  readonly growth: TreeGrowth;
  readonly trees: number;
  /** Whether each tree is grown on a bootstrap sample of the rows. */
  readonly bootstrap: boolean;
  /** Number of draws for each tree, with replacement for bootstrap samples; by default as many as there are rows. */
  readonly draws?: number;
  /** Tree t is grown from the stream (seed, first + t). */
  readonly seed: number;
  /** The number of its first tree, if it is a part of a larger plan; 0 by default. */
  readonly first?: number;
  /** The rows to grow on, such as the training rows of a fold: distinct and ascending. */
  readonly rows: Int32Array;
  /** The address of `ImpurityDecreases`. */
  readonly decreases?: number;
  /** Where each tree votes as soon as it is grown. */
  readonly votes?: VoteBuffers;
}

/** Everything that a thread of the pool needs. */
export interface PoolInput {
  readonly columns: TreeColumnsFields;
  readonly target: TreeTargetFields;
  /** An arena of `forestThreadLayout` for each thread. */
  readonly scratch: ArenaPoolFields;
  readonly slots: TreeSlots;
  /** The address of the words of `POOL_WORDS`, followed by one for each slot. */
  readonly words: number;
  readonly slotCount: number;
  readonly plans: readonly ForestPlan[];
  /** Most rows that a tree votes on. */
  readonly mostVotes: number;
}

/** The scratch of a thread whose trees vote on at most `mostVotes` rows. */
export function forestThreadLayout(columns: TreeColumnsFields, target: TreeTargetFields, mostVotes: number) {
  return { grower: growerLayout(columns, target), voter: voterLayout(mostVotes) };
}

/** A grown tree as one array: its nodes, sets, classes of leaves and shares of leaves, one after the other. */
export interface RawTree {
  /** Its number among the trees of all plans. */
  readonly index: number;
  readonly nodes: number;
  readonly sets: number;
  readonly shares: number;
  readonly words: Int32Array;
}

/** Words that the threads of a pool share: the next tree to start, the number of finished trees, and a counter of events. */
export const POOL_WORDS = 48;
const NEXT = 0;
const DONE = 16;
const EVENTS = 32;

/** A thread without work looks again after a millisecond, or at the next event. */
const NAP = 1;

/** Bytes of the shared buffers that small trees are written to. */
const CHUNK = 1 << 20;

/** Grows trees and jobs of trees until all are grown. */
export const growTask = defineTask(
  "forest/grow",
  (input: PoolInput, context: TaskContext): Promise<RawTree[]> =>
    new ArenaPool(input.scratch).with((arena) => new ForestThread(input, arena, context).run()),
);

/**
 * One thread of a pool that grows trees together. Each thread starts the next tree if a slot is free; otherwise, it takes a job of
 * a tree that another thread has started. So the last trees, or a few large ones, keep all threads busy.
 */
class ForestThread {
  readonly #plans: readonly ForestPlan[];
  readonly #starts: readonly number[];
  readonly #total: number;
  readonly #context: TaskContext;
  readonly #memory: WasmMemory;
  readonly #grower: TreeGrower;
  readonly #voter: TreeVoter;
  readonly #input: PoolInput;
  readonly #grown: RawTree[] = [];
  readonly #pool = new SharedHeap(CHUNK);
  #plan: ForestPlan | undefined;

  constructor(input: PoolInput, arena: Arena, context: TaskContext) {
    const { columns, target } = input;
    this.#input = input;
    this.#plans = input.plans;
    let total = 0;
    this.#starts = input.plans.map(({ trees }) => {
      total += trees;
      return total - trees;
    });
    this.#total = total;
    this.#context = context;
    this.#memory = columns.memory;
    this.#grower = new TreeGrower(columns, target, arena, input.slots);
    this.#voter = new TreeVoter(this.#grower, columns, arena, input.mostVotes);
  }

  async run(): Promise<RawTree[]> {
    for (let slot = -1; ; ) {
      if (slot < 0 || !this.#grower.takeJob()) slot = this.#otherSlot();
      if (slot >= 0) slot = (await this.#runJob(slot)) ? -1 : slot;
      else if (Atomics.load(this.#words, DONE) === this.#total) return this.#grown;
      else await this.#pause();
    }
  }

  /** Finds a slot with a job and takes the job: of a new tree, or of a tree that another thread has started. −1 if there is none. */
  #otherSlot(): number {
    const started = this.#startTree();
    if (started >= 0) return started;
    for (let slot = 0; slot < this.#input.slotCount; slot++) {
      if (Atomics.load(this.#words, POOL_WORDS + slot) === 0) continue;
      this.#grower.use(slot);
      if (this.#grower.takeJob()) return slot;
    }
    return -1;
  }

  /** Starts the next tree in a free slot and takes its first job; −1 if there is no tree or slot, or another thread took it. */
  #startTree(): number {
    if (Atomics.load(this.#words, NEXT) >= this.#total) return -1;
    const slot = this.#freeSlot();
    if (slot < 0) return -1;
    const tree = Atomics.add(this.#words, NEXT, 1);
    if (tree >= this.#total) {
      Atomics.store(this.#words, POOL_WORDS + slot, 0);
      return -1;
    }
    const plan = this.#planOf(tree);
    this.#grower.use(slot);
    this.#setGrowth(plan);
    const seed = new Random(plan.seed).fork((plan.first ?? 0) + this.#numberInPlan(tree)).uniform();
    Atomics.store(this.#words, POOL_WORDS + slot, tree + 1);
    this.#grower.start({ ...plan, seed });
    return this.#grower.takeJob() ? slot : -1;
  }

  /** Reserves a slot; −1 if none is free. */
  #freeSlot(): number {
    for (let slot = 0; slot < this.#input.slotCount; slot++) {
      if (Atomics.compareExchange(this.#words, POOL_WORDS + slot, 0, RESERVED) === 0) return slot;
    }
    return -1;
  }

  /** Grows a job to its end; returns whether its tree is finished. */
  async #runJob(slot: number): Promise<boolean> {
    // As long as the job is open, its tree stays in the slot.
    const tree = Atomics.load(this.#words, POOL_WORDS + slot) - 1;
    const plan = this.#planOf(tree);
    this.#setGrowth(plan);
    for (;;) {
      const isDone = this.#grower.growSome();
      // There may be new jobs in the slot.
      this.#announce();
      const pause = this.#context.checkpoint();
      if (pause) await pause;
      if (isDone) break;
    }
    if (!this.#grower.closeJob()) return false;
    this.#grower.assemble();
    if (plan.decreases !== undefined) this.#grower.sumDecreases(plan.decreases, DECREASE_UNITS);
    if (plan.votes) {
      for (const _ of this.#voter.vote(plan.votes, this.#numberInPlan(tree))) {
        const pause = this.#context.checkpoint();
        if (pause) await pause;
      }
    }
    this.#grown.push({ index: tree, ...this.#grower.copyTree((length) => this.#pool.int32(length)) });
    Atomics.store(this.#words, POOL_WORDS + slot, 0);
    this.#context.progress((Atomics.add(this.#words, DONE, 1) + 1) / this.#total);
    this.#announce();
    return true;
  }

  #planOf(tree: number): ForestPlan {
    return this.#plans[this.#starts.findLastIndex((start) => start <= tree)];
  }

  #numberInPlan(tree: number): number {
    return tree - (this.#starts.findLast((start) => start <= tree) ?? 0);
  }

  #setGrowth(plan: ForestPlan): void {
    if (this.#plan === plan) return;
    this.#plan = plan;
    this.#grower.setGrowth(plan.growth);
  }

  #announce(): void {
    Atomics.add(this.#words, EVENTS, 1);
    Atomics.notify(this.#words, EVENTS);
  }

  /** Waits for the other threads; where threads share no memory, there are none. */
  async #pause(): Promise<void> {
    Atomics.wait(this.#words, EVENTS, Atomics.load(this.#words, EVENTS), NAP);
    await this.#context.checkpoint();
  }

  /** A new view each time: memory that is not shared may grow. */
  get #words(): Int32Array {
    return this.#memory.i32(this.#input.words, POOL_WORDS + this.#input.slotCount);
  }
}

/** A slot whose tree has not started. */
const RESERVED = -1;
