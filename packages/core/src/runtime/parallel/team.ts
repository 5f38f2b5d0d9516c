import { hardwareThreads } from "../platform.js";
import type { Block, WasmMemory } from "../wasm/wasm-memory.js";
import type { TaskContext } from "./executor.js";

/** Bytes of the words that a team shares. */
const TEAM_BYTES = 256;

// Places of the words; those that change often have cache lines of their own.
/** The next item to be taken, the end of the items so far, and the number of items done, counted from the first job on. */
const NEXT = 0;
const LIMIT = 16;
const DONE = 32;
/** The kind of the current job, the number of its first item, and its argument. */
const KIND = 48;
const FIRST = 49;
const ARGUMENT = 50;
const FINISHED = 51;

/**
 * Checks for more work before a worker sleeps. Waking it takes as long as thousands of checks, so a worker whose checks found
 * work makes more the next time, and one that slept makes fewer: it has waited in vain, or there are more threads than
 * processors.
 */
const FEWEST_SPINS = 500;
const MOST_SPINS = 50_000;

/** Sleepers wake up after this many milliseconds to see whether the run was aborted. */
const NAP = 10;

/**
 * Does one item of a job. Everything it needs is in memory that the team shares. It may take long only if it returns a promise
 * and awaits checkpoints.
 */
export type Work = (kind: number, item: number, argument: number) => Promise<void> | undefined;

/**
 * Threads that share jobs of a few microseconds, too short for `postMessage`. The leader posts a job, and every free worker takes
 * the next item. The leader never waits for a worker to start: it finishes the job alone if it must. So workers may also run one
 * after the other, the leader first.
 *
 * To use one, allocate `TeamWords` in WebAssembly memory and map a task on as many inputs as there are workers. Each makes a `Team`
 * with the same words; the first leads (`share` for each job, `finish` in a `finally`), the others `serve`. A job costs a few
 * microseconds while all workers are awake, so an item should take 20 microseconds or more. `kind` and `argument` are free for the
 * work to use. Everything that was written before `share` is visible to all items, and everything that items have written is
 * visible when it returns.
 */
export class Team {
  readonly #memory: WasmMemory;
  readonly #pointer: number;
  readonly #work: Work;
  readonly #context: TaskContext;
  readonly #mostSpins: number;
  readonly #sharedWords: Int32Array | undefined;
  #spins: number;

  /** `pointer` is that of `TeamWords`; `workers` is the size of the team, the leader included. */
  constructor(memory: WasmMemory, pointer: number, workers: number, work: Work, context: TaskContext) {
    this.#memory = memory;
    this.#pointer = pointer;
    this.#work = work;
    this.#context = context;
    // A processor that waits for one of several workers on it would only slow it down.
    this.#mostSpins = workers <= hardwareThreads() ? MOST_SPINS : FEWEST_SPINS;
    this.#spins = this.#mostSpins;
    this.#sharedWords = memory.shared ? memory.i32(pointer, TEAM_BYTES / 4) : undefined;
  }

  /** Posts a job of `count` items, as the leader; all are done when it returns. */
  async share(kind: number, count: number, argument = 0): Promise<void> {
    if (count === 0) return;
    const words = this.#words;
    const first = Atomics.load(words, LIMIT);
    const limit = (first + count) | 0;
    words[KIND] = kind;
    words[FIRST] = first;
    words[ARGUMENT] = argument;
    Atomics.store(words, LIMIT, limit);
    // The leader can do a single item itself.
    if (count > 1) Atomics.notify(words, LIMIT, count - 1);
    await this.#takeAll();
    for (;;) {
      const done = Atomics.load(this.#words, DONE);
      if (done === limit) return;
      this.#sleepWhile(DONE, done);
      await this.#context.checkpoint();
    }
  }

  /** Leader only: lets `serve` return on all other workers. */
  finish(): void {
    const words = this.#words;
    Atomics.store(words, FINISHED, 1);
    Atomics.notify(words, LIMIT);
  }

  /** Works for the leader until `finish`. */
  async serve(): Promise<void> {
    for (;;) {
      const limit = Atomics.load(this.#words, LIMIT);
      await this.#takeAll();
      if (Atomics.load(this.#words, FINISHED) === 1) return;
      this.#sleepWhile(LIMIT, limit);
      await this.#context.checkpoint();
    }
  }

  /** Takes items as long as there are some. */
  async #takeAll(): Promise<void> {
    for (;;) {
      const words = this.#words;
      const next = Atomics.load(words, NEXT);
      const limit = Atomics.load(words, LIMIT);
      if (((limit - next) | 0) <= 0) return;
      // A job goes on until all its items are done, so its words do not change while a worker holds an item.
      if (Atomics.compareExchange(words, NEXT, next, (next + 1) | 0) !== next) continue;
      const pause = this.#work(words[KIND], (next - words[FIRST]) | 0, words[ARGUMENT]);
      if (pause) await pause;
      if (((Atomics.add(this.#words, DONE, 1) + 1) | 0) === limit) Atomics.notify(this.#words, DONE);
      const breath = this.#context.checkpoint();
      if (breath) await breath;
    }
  }

  /** Waits until a word changes, but not for long. */
  #sleepWhile(place: number, value: number): void {
    const words = this.#words;
    for (let spin = 0; spin < this.#spins; spin++) {
      if (Atomics.load(words, place) === value) continue;
      this.#spins = Math.min(this.#mostSpins, 2 * this.#spins);
      return;
    }
    this.#spins = Math.max(FEWEST_SPINS, this.#spins >> 1);
    Atomics.wait(words, place, value, NAP);
  }

  /** A new view each time if the memory is not shared, because it may grow between two items. */
  get #words(): Int32Array {
    return this.#sharedWords ?? this.#memory.i32(this.#pointer, TEAM_BYTES / 4);
  }
}

/** The words that a team shares; the thread that starts the team owns them. */
export class TeamWords {
  readonly pointer: number;
  readonly #memory: WasmMemory;
  readonly #block: Block;

  constructor(memory: WasmMemory) {
    this.#memory = memory;
    this.#block = memory.allocate(TEAM_BYTES);
    this.pointer = this.#block.pointer;
    memory.u8(this.pointer, TEAM_BYTES).fill(0);
  }

  release(): void {
    this.#memory.release(this.#block);
  }
}
