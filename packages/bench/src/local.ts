import type { Contestant, Lap } from "./race.js";

/** Facts worth showing beside a time. */
export type Facts = NonNullable<Lap["facts"]>;

/** Work done in this process: `work` gives the facts of the run, if any. */
export function local(name: string, work: () => Promise<Facts | undefined> | Facts | undefined): Contestant {
  return localThen(name, work, (facts) => facts);
}

/** Work done in this process, and the facts that are found afterwards in what it gives, outside the timing. */
export function localThen<Result>(
  name: string,
  work: () => Promise<Result> | Result,
  factsOf: (result: Result) => Facts | undefined,
): Contestant {
  return {
    name,
    prepare: async () => undefined,
    run: async () => {
      const began = performance.now();
      const result = await work();
      const seconds = (performance.now() - began) / 1000;
      const facts = factsOf(result);
      return { seconds, ...(facts && { facts }) };
    },
    close: async () => {},
  };
}
