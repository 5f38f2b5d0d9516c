import { defineTask } from "#core/runtime/parallel/task.js";
import { cooperativeLoop } from "./fixture-tasks.mjs";

/** Fails once the others have begun when there is nothing to count in, and counts for ever otherwise. */
defineTask(
  "test/either",
  async (input, context) => {
    if (input.shared) return cooperativeLoop.run(input, context);
    throw new Error("nothing to count in");
  },
  import.meta.url,
);
