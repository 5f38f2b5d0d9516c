import type { RaceEntry } from "./race-entry.js";

/** The entries that go on to the next stage, and the number of its rounds that there is time for. */
export interface Promotion {
  readonly entries: readonly RaceEntry[];
  readonly rounds: number;
}

/** What a stage costs and what there is. */
interface StageTime {
  /** Predicts the seconds of a round for an entry. */
  readonly secondsOf: (entry: RaceEntry) => number;
  /** Seconds for the whole stage. */
  readonly seconds: number;
  /** Number of fits that run at the same time. */
  readonly lanes: number;
  /** Largest and smallest number of rounds. */
  readonly rounds: { readonly most: number; readonly least: number };
}

/** With fewer different learners in the last stage an ensemble has little to combine: rather fewer rounds. */
const ENOUGH_KINDS = 4;

/** A leader alone has nobody to be compared with: rather fewer rounds. */
const ENOUGH_ENTRIES = 2;

/** A kind of learner that may turn out to help is promoted before the rest if it takes at most this fraction of the stage. */
const QUICK_KIND = 1 / 15;

/** Entries of the stage before. */
interface Entries {
  /** All of them, best first. */
  readonly ranked: readonly RaceEntry[];
  /** The best of kinds of learners that help an ensemble. */
  readonly helpers: readonly RaceEntry[];
  /** The best of each kind of learner that is not far behind, helpful or not. */
  readonly bestOfKinds: readonly RaceEntry[];
}

/**
 * Promotes entries to the next stage, as successive halving does: as many as there is time for, the leader first, then the best of each
 * kind of learner that helps, then those of other kinds that take little time, since an ensemble gains more from another kind of
 * learner than from a variant of the leader, then the rest by rank. If the time does not suffice for several entries and kinds in all
 * rounds, there are fewer rounds. An entry that takes too long does not keep quicker ones from going on, not even if it leads: more
 * rows may bring these ahead.
 */
export function promote({ ranked, helpers, bestOfKinds }: Entries, time: StageTime): Promotion {
  const { most, least } = time.rounds;
  const isQuick = (entry: RaceEntry) =>
    (most * time.secondsOf(entry)) / time.lanes <= QUICK_KIND * time.seconds;
  const inOrder = [
    ...new Set([...ranked.slice(0, 1), ...helpers, ...bestOfKinds.filter(isQuick), ...ranked]),
  ];
  const possible = helpers.filter((entry) => affordable([entry], least, time).length > 0);
  const enough = Math.min(ENOUGH_KINDS, possible.length);
  for (let rounds = most; ; rounds--) {
    const entries = affordable(inOrder, rounds, time);
    const promoted = helpers.filter((entry) => entries.includes(entry)).length;
    const isEnough = promoted >= enough && entries.length >= Math.min(ENOUGH_ENTRIES, inOrder.length);
    if (isEnough || rounds <= least) return { entries, rounds };
  }
}

/** Takes entries in order, without those that there is no time for in so many rounds. */
function affordable(
  inOrder: readonly RaceEntry[],
  rounds: number,
  { secondsOf, seconds, lanes }: StageTime,
): RaceEntry[] {
  let left = seconds;
  return inOrder.filter((entry) => {
    const cost = (rounds * secondsOf(entry)) / lanes;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}
