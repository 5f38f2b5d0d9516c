import type { TaskContext } from "./executor.js";
import type { Block, KernelMemory } from "./memory.js";

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

/** Checks for more work before a worker sleeps: some microseconds. */
const SPINS = 2000;

/** Sleepers wake up after this many milliseconds to see whether the run was aborted. */
const NAP = 10;

/** Does one item of a job. Everything it needs is in memory that the team shares. */
export type Work = (kind: number, item: number, argument: number) => Promise<void> | undefined;

/**
 * A team of workers, one on each thread, for jobs of a few microseconds, which messages would take longer to announce. The
 * leader posts a job, and every free worker takes the next item. Nobody waits for workers that come late or not at all: the
 * leader goes on until the job is done, alone if need be. So workers may also run one after the other, the leader first.
 */
export class ThreadTeam {
  readonly #memory: KernelMemory;
  readonly #pointer: number;
  readonly #work: Work;
  readonly #context: TaskContext;

  /** `pointer` is that of `TeamWords`. */
  constructor(memory: KernelMemory, pointer: number, work: Work, context: TaskContext) {
    this.#memory = memory;
    this.#pointer = pointer;
    this.#work = work;
    this.#context = context;
  }

  /** Posts a job of `count` items, as the leader; all are done when it returns. */
  async share(kind: number, count: number, argument = 0): Promise<void> {
    const words = this.#words;
    const first = Atomics.load(words, LIMIT);
    const limit = (first + count) | 0;
    words[KIND] = kind;
    words[FIRST] = first;
    words[ARGUMENT] = argument;
    Atomics.store(words, LIMIT, limit);
    Atomics.notify(words, LIMIT);
    await this.#takeAll();
    for (;;) {
      const done = Atomics.load(this.#words, DONE);
      if (done === limit) return;
      this.#sleepWhile(DONE, done);
      await this.#context.checkpoint();
    }
  }

  /** Dismisses the other workers, as the leader. */
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
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(words, place) !== value) return;
    Atomics.wait(words, place, value, NAP);
  }

  /** A new view each time: memory that is not shared may grow between two items. */
  get #words(): Int32Array {
    return this.#memory.i32(this.#pointer, TEAM_BYTES / 4);
  }
}

/** The words that a team shares; the thread that starts the team owns them. */
export class TeamWords {
  readonly pointer: number;
  readonly #memory: KernelMemory;
  readonly #block: Block;

  constructor(memory: KernelMemory) {
    this.#memory = memory;
    this.#block = memory.allocate(TEAM_BYTES);
    this.pointer = this.#block.pointer;
    memory.u8(this.pointer, TEAM_BYTES).fill(0);
  }

  release(): void {
    this.#memory.release(this.#block);
  }
}
