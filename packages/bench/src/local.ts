import type { Contestant } from "./race.js";

/** Work done in this process: `work` gives the facts of the run, if any. */
export function local(
  name: string,
  work: () => Promise<Record<string, number> | undefined> | Record<string, number> | undefined,
): Contestant {
  return {
    name,
    prepare: async () => undefined,
    run: async () => {
      const began = performance.now();
      const facts = await work();
      const seconds = (performance.now() - began) / 1000;
      return { seconds, ...(facts && { facts }) };
    },
    close: async () => {},
  };
}
