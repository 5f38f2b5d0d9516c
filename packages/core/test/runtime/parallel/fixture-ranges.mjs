import { definePausableRangeTask, defineRangeTask } from "#core/runtime/parallel/for-ranges.js";
import { defineTask } from "#core/runtime/parallel/task.js";
import { f64 } from "#core/runtime/wasm/arena.js";

// Range tasks that the tests run. Plain JavaScript, because threads load this file as it is.

const here = import.meta.url;

/** Squares the values of a range into `squares`, and returns the range. */
export const square = defineRangeTask(
  "test/square",
  ({ values, squares, begin, end }) => {
    for (let i = begin; i < end; i++) squares[i] = values[i] ** 2;
    return [begin, end];
  },
  here,
);

/** The layout of the scratch of `sumUp`. */
export const sumLayout = (length) => ({ partial: f64(length) });

/** Adds the values of a range of an array in WebAssembly memory to `total`, with a pause after each, by way of its scratch. */
export const sumUp = definePausableRangeTask(
  "test/sum-up",
  function* ({ source: { memory, pointer, length }, begin, end }, { scratch }) {
    const { partial } = scratch.take(sumLayout(length));
    const values = memory.f64(pointer, length);
    let sum = 0;
    for (let i = begin; i < end; i++) {
      partial.view[i] = values[i];
      sum += partial.view[i];
      yield;
    }
    return { sum, left: scratch.left };
  },
  here,
);

/** Answers what it finds in its input. */
export const inspect = defineTask(
  "test/inspect",
  (input) => ({
    same: input.first.memory === input.second[0].memory,
    read: [...input.first.memory.f64(input.first.pointer, 2)],
    kind: input.first.constructor.name,
    names: input.names,
    handle: typeof input.handle.id,
  }),
  here,
);
