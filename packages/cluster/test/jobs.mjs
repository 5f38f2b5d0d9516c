/** Tasks for tests. */

import { VouchError } from "vouch";
import { definePortableTask } from "vouch/extend";

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

/** Returns twice the number, unless the environment makes the worker lie. */
export const double = definePortableTask("test/double", ({ number }) => ({
  result: 2 * number + (process.env.VOUCH_TEST_LIES ? 1 : 0),
  // Measured times differ.
  seconds: Math.random(),
}));

/** Ends the process of the worker. */
export const crash = definePortableTask("test/crash", () => process.kill(process.pid, "SIGKILL"));

/** Fails with an error of vouch. */
export const refuse = definePortableTask("test/refuse", () => {
  throw new VouchError("data/malformed", "The rows are wrong.", { hint: "Use others." });
});

export const testTasks = Object.fromEntries(
  [echo, spin, double, crash, refuse].map(({ id }) => [id, async () => {}]),
);
