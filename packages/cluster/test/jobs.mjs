/** Tasks for tests. */
import { definePortableTask } from "vouch/learning";
import { VouchError } from "vouch/machines";

/** Waits, and returns the input. */
export const echo = definePortableTask("test/echo", async ({ milliseconds = 0, ...value }, context) => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    context.progress(0.5, "waiting");
    await context.checkpoint();
  }
  return value;
});

/** Computes for a while without a pause. */
export const spin = definePortableTask("test/spin", ({ milliseconds }) => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
  return milliseconds;
});

/** Ends the process of the worker. */
export const crash = definePortableTask("test/crash", () => process.kill(process.pid, "SIGKILL"));

/** Fails with an error of vouch. */
export const refuse = definePortableTask("test/refuse", () => {
  throw new VouchError("data/malformed", "The rows are wrong.", { hint: "Use others." });
});

/** Adds up numbers of all tasks of a gang, in rounds. */
export const gangSum = definePortableTask(
  "test/gang-sum",
  async ({ own, members, rounds, pause = 0 }, { exchange }) => {
    let sum = own + 1;
    for (let round = 0; round < rounds; round++) {
      await exchange.put(`${round}/${own}`, new Uint8Array(Float64Array.of(sum).buffer));
      let total = 0;
      for (let k = 0; k < members; k++)
        total += new Float64Array((await exchange.get(`${round}/${k}`)).slice().buffer)[0];
      sum = (total % 1000) + own;
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return sum;
  },
);

export const testTasks = Object.fromEntries(
  [echo, spin, crash, refuse, gangSum].map(({ id }) => [id, async () => {}]),
);
