import { defineTask } from "#core/runtime/parallel/task.js";
import { Team } from "#core/runtime/parallel/team.js";
import { attachWasmMemory } from "#core/runtime/wasm/wasm-memory.js";

// A task that the tests run. Plain JavaScript, because threads load this file as it is.

/**
 * Shares jobs 1, 2, 3, … of as many items among a team. Each item adds its argument to a counter of its own; returns whether all
 * were done once whenever a job was over, and how many this worker did.
 */
export const countTogether = defineTask(
  "test/count-together",
  async ({ memory: handle, team, counters, jobs, workers, worker }, context) => {
    const memory = attachWasmMemory(handle);
    const counts = () => memory.i32(counters, jobs);
    let own = 0;
    const together = new Team(
      memory,
      team,
      workers,
      (kind, item, argument) => {
        own++;
        Atomics.add(counts(), item, argument);
        // Odd jobs have items that take a while.
        return kind === 1 ? Promise.resolve() : undefined;
      },
      context,
    );
    if (worker > 0) {
      await together.serve();
      return { own, isComplete: true };
    }
    let isComplete = true;
    try {
      for (let job = 1; job <= jobs; job++) {
        counts().fill(0);
        await together.share(job % 2, job, job);
        isComplete &&= counts().every((count, item) => count === (item < job ? job : 0));
      }
    } finally {
      together.finish();
    }
    return { own, isComplete };
  },
  import.meta.url,
);
