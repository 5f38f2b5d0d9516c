import type { KernelMemory } from "../numeric/memory.js";
import type { TaskContext } from "../parallel/executor.js";

/** Bytes of the words that a crew shares. */
export const CREW_BYTES = 256;

// Places of the words, those that change often in lines of the cache of their own.
/** The next piece to be taken, the end of those that are there, and how many were done, counted from the first job on. */
const TICKET = 0;
const LIMIT = 16;
const DONE = 32;
/** Which work the pieces are, the number of the first one, and what else the work is told. */
const KIND = 48;
const FIRST = 49;
const ARGUMENT = 50;
const FINISHED = 51;

/** So often a worker looks for more before it sleeps: some microseconds. */
const LOOKS = 2000;

/** Sleepers wake up after so many milliseconds to see whether the run was aborted. */
const NAP = 10;

/** Does piece `item` of a job. What the work needs is in memory that the crew shares. */
export type Work = (kind: number, item: number, argument: number) => Promise<void> | undefined;

/**
 * Workers, one on each thread, that do jobs of a few microseconds together: too short for messages, which take longer.
 * The leader announces a job, and who is free takes the next piece. Whoever comes late or not at all is not missed: the
 * leader goes on until the job is done, alone if need be. So workers may run one after the other, the leader first.
 */
export class Crew {
  readonly #memory: KernelMemory;
  readonly #pointer: number;
  readonly #work: Work;
  readonly #context: TaskContext;

  /** `pointer` has room for `CREW_BYTES`, which the thread that starts the crew has cleared. */
  constructor(memory: KernelMemory, pointer: number, work: Work, context: TaskContext) {
    this.#memory = memory;
    this.#pointer = pointer;
    this.#work = work;
    this.#context = context;
  }

  /** The leader has `count` pieces done; all are when it returns. */
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

  /** The leader sends the others home. */
  finish(): void {
    const words = this.#words;
    Atomics.store(words, FINISHED, 1);
    Atomics.notify(words, LIMIT);
  }

  /** What the others do until they are sent home. */
  async serve(): Promise<void> {
    for (;;) {
      const limit = Atomics.load(this.#words, LIMIT);
      await this.#takeAll();
      if (Atomics.load(this.#words, FINISHED) === 1) return;
      this.#sleepWhile(LIMIT, limit);
      await this.#context.checkpoint();
    }
  }

  /** Takes pieces as long as there are some. */
  async #takeAll(): Promise<void> {
    for (;;) {
      const words = this.#words;
      const ticket = Atomics.load(words, TICKET);
      const limit = Atomics.load(words, LIMIT);
      if (((limit - ticket) | 0) <= 0) return;
      // Whoever gets the ticket knows that the job goes on until this piece is done: its words do not change.
      if (Atomics.compareExchange(words, TICKET, ticket, (ticket + 1) | 0) !== ticket) continue;
      const pause = this.#work(words[KIND], (ticket - words[FIRST]) | 0, words[ARGUMENT]);
      if (pause) await pause;
      if (((Atomics.add(this.#words, DONE, 1) + 1) | 0) === limit) Atomics.notify(this.#words, DONE);
      const breath = this.#context.checkpoint();
      if (breath) await breath;
    }
  }

  /** Waits until a word changes, but not for long. */
  #sleepWhile(place: number, value: number): void {
    const words = this.#words;
    for (let look = 0; look < LOOKS; look++) if (Atomics.load(words, place) !== value) return;
    Atomics.wait(words, place, value, NAP);
  }

  /** A new view each time: where memory is not shared, others that work between two pieces may make it grow. */
  get #words(): Int32Array {
    return this.#memory.i32(this.#pointer, CREW_BYTES / 4);
  }
}
