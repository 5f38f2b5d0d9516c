/** What one run of a contestant took, and facts worth showing beside the time, such as its training error. */
export interface Lap {
  readonly seconds: number;
  readonly facts?: Readonly<Record<string, number>>;
}

/** Someone who does the work: vouch itself, or a peer in a process of its own. */
export interface Contestant {
  readonly name: string;
  /** Gets ready, outside the timing; gives the reason when the contestant cannot take part. */
  prepare(): Promise<string | undefined>;
  run(): Promise<Lap>;
  close(): Promise<void>;
}

/** A contestant's result: its median time, the facts of its last run, or why it was absent. */
export interface Standing {
  readonly name: string;
  readonly absent?: string;
  readonly seconds?: number;
  readonly laps?: readonly number[];
  readonly facts?: Readonly<Record<string, number>>;
  /** This contestant's median time divided by that of vouch: above 1 means that vouch is faster. */
  readonly ratio?: number;
}

/** One piece of work, done by all contestants. */
export interface RaceResult {
  readonly title: string;
  readonly standings: readonly Standing[];
}

/**
 * Lets the contestants do the same work in turn, `repeats` times after one run to warm up, so that what else
 * the machine does hits all of them alike. The first contestant is vouch; the others are measured against it.
 */
export async function race(
  title: string,
  contestants: readonly Contestant[],
  repeats: number,
): Promise<RaceResult> {
  const absences = new Map<Contestant, string>();
  try {
    for (const contestant of contestants) {
      const absence = await contestant.prepare();
      if (absence !== undefined) absences.set(contestant, absence);
    }
    const present = contestants.filter((contestant) => !absences.has(contestant));
    const laps = new Map<Contestant, Lap[]>(present.map((contestant) => [contestant, []]));
    for (let repeat = -1; repeat < repeats; repeat++) {
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
          ...(facts && { facts }),
          ratio: seconds / ours,
        };
      }),
    };
  } finally {
    for (const contestant of contestants) await contestant.close();
  }
}

/** The middle of the times; the mean of the two middle ones for an even number. */
export function medianSeconds(laps: readonly Lap[]): number {
  const sorted = laps.map((lap) => lap.seconds).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
