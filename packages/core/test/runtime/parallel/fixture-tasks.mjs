import { Random } from "#core/runtime/maths/random.js";
import { defineTask } from "#core/runtime/parallel/task.js";
import { VouchError } from "#core/runtime/vouch-error.js";

// Tasks that the tests run, in Node and in browsers. Plain JavaScript, because threads load this file as it is.

const here = import.meta.url;

/** Sums random floats: any difference in order, stream or arithmetic shows in the bits. */
export const sumOfNoise = defineTask(
  "test/sum-of-noise",
  ({ seed, index, count }) => {
    const random = new Random(seed).fork(index);
    let sum = 0;
    for (let i = 0; i < count; i++) sum += (random.uniform() - 0.5) / (1 + i);
    return { index, sum };
  },
  here,
);

/** Answers with its input after that many milliseconds. */
export const wait = defineTask(
  "test/wait",
  async ({ milliseconds, value }) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return value;
  },
  here,
);

/** Computes until it is interrupted, with checkpoints; says that it has begun in `shared[0]`. */
export const cooperativeLoop = defineTask(
  "test/cooperative-loop",
  async ({ shared }, { checkpoint, progress }) => {
    progress(0.1, "begun");
    for (;;) {
      if (shared) Atomics.add(shared, 0, 1);
      const pause = checkpoint();
      if (pause) await pause;
    }
  },
  here,
);

/** Computes for ever, deaf to everything. */
export const deafLoop = defineTask(
  "test/deaf-loop",
  ({ shared }, { progress }) => {
    progress(0.1, "begun");
    for (;;) if (shared) Atomics.add(shared, 0, 1);
  },
  here,
);

/** Throws what its input says, or answers with its input. */
export const fail = defineTask(
  "test/fail",
  async (how) => {
    switch (how) {
      case "error":
        throw new RangeError("the fault of the task");
      case "string":
        throw "just a string";
      case "vouch":
        throw new VouchError("data/one-class", "All rows are alike.", { hint: "Get other rows." });
      case "function":
        return () => 1;
      case "exit":
        return process.exit(7);
      case "close":
        return self.close();
      case "hog":
        for (const hoard = []; ; ) hoard.push(new Array(1000).fill(hoard.length + 0.5));
      case "late":
        setTimeout(() => process.exit(1), 5);
        return how;
      case "uncaught":
        setTimeout(() => {
          throw new Error("thrown outside of the task");
        });
        return new Promise(() => {});
      default:
        return how;
    }
  },
  here,
);

/** Writes its index into shared memory. */
export const mark = defineTask(
  "test/mark",
  ({ shared, index }) => {
    shared[index] = index + 1;
    return shared.buffer.constructor.name;
  },
  here,
);

/** Reports `steps` steps of progress, some of them nonsense. */
export const steps = defineTask(
  "test/steps",
  async (steps, { checkpoint, progress }) => {
    for (let i = 1; i <= steps; i++) {
      progress(i / steps, `step ${i}`);
      progress(Number.NaN);
      progress(-1);
      await checkpoint();
    }
    progress(5);
    return steps;
  },
  here,
);

/** Keeps its thread busy for that many milliseconds and tells when it began and ended. */
export const busy = defineTask(
  "test/busy",
  (milliseconds) => {
    const begin = performance.timeOrigin + performance.now();
    while (performance.timeOrigin + performance.now() < begin + milliseconds);
    return { begin, end: performance.timeOrigin + performance.now() };
  },
  here,
);
