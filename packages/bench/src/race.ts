import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Time of one run of a contestant, and facts such as its training error. */
export interface Lap {
  readonly seconds: number;
  readonly facts?: Readonly<Record<string, number>>;
}

/** An implementation of the work: vouch itself, or a peer in its own process. */
export interface Contestant {
  readonly name: string;
  /** Prepares the work, outside the timing; returns the reason if the contestant cannot take part. */
  prepare(): Promise<string | undefined>;
  run(): Promise<Lap>;
  close(): Promise<void>;
}

/** Result of a contestant: median time and the facts of its last run, or why it is absent. */
export interface Standing {
  readonly name: string;
  readonly absent?: string;
  readonly seconds?: number;
  readonly laps?: readonly number[];
  readonly facts?: Readonly<Record<string, number>>;
  /** Median time divided by vouch's: above 1 means that vouch is faster. */
  readonly ratio?: number;
}

/** The times of all contestants for the same work. */
export interface BenchmarkResult {
  readonly title: string;
  readonly standings: readonly Standing[];
}

/**
 * Runs all contestants in turn, `repeats` times after a warm-up, so that other load on the machine affects all of them
 * alike. The first contestant is vouch; the ratios compare the rest with it.
 */
export async function race(
  title: string,
  contestants: readonly Contestant[],
  repeats: number,
  warmUps = 1,
): Promise<BenchmarkResult> {
  const absences = new Map<Contestant, string>();
  try {
    for (const contestant of contestants) {
      const absence = await contestant.prepare();
      if (absence !== undefined) absences.set(contestant, absence);
    }
    const present = contestants.filter((contestant) => !absences.has(contestant));
    const laps = new Map<Contestant, Lap[]>(present.map((contestant) => [contestant, []]));
    for (let repeat = -warmUps; repeat < repeats; repeat++) {
      for (const [contestant, done] of laps) {
        const lap = await contestant.run();
        if (repeat >= 0) done.push(lap);
      }
    }
    const ours = medianSeconds(laps.get(contestants[0]) ?? []);
    return {
      title,
      standings: contestants.map((contestant) => {
        const done = laps.get(contestant);
        if (!done) return { name: contestant.name, absent: absences.get(contestant) ?? "" };
        const seconds = medianSeconds(done);
        const facts = done.at(-1)?.facts;
        return {
          name: contestant.name,
          seconds,
          laps: done.map((lap) => lap.seconds),
          facts,
          ratio: seconds / ours,
        };
      }),
    };
  } finally {
    for (const contestant of contestants) await contestant.close();
  }
}

/** Computes the median time; the mean of the two middle ones for an even number. */
export function medianSeconds(laps: readonly Lap[]): number {
  const sorted = laps.map((lap) => lap.seconds).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs work on a data set; undefined if the data set is not available locally. */
export async function ifAvailable<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VouchError && error.code === "dataset/unavailable") return undefined;
    throw error;
  }
}

/** Returns the result of a benchmark without its data set. */
export function withoutData(title: string): BenchmarkResult {
  return { title, standings: [{ name: "vouch", absent: "the data set is not available locally" }] };
}
