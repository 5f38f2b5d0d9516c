import { learnerLabel } from "../learners/registry.js";
import type { MetricValues } from "../metrics/objective-metric.js";
import type { Fate } from "./contender.js";
import type { RaceField } from "./race-field.js";

/** A candidate in a running race, as a leader board shows it; plain data. */
export interface RaceStanding {
  /** The learner's name, and the options that are not at their defaults. */
  readonly name: string;
  readonly learner: string;
  /** The learner's title, and what it does in one sentence. */
  readonly title: string;
  readonly summary: string;
  /** Errors of its tests so far, one per round of the last stage that it took part in; empty before the first. */
  readonly errors: readonly number[];
  /** The metric of the race on the same tests; absent before the first. */
  readonly metric?: MetricValues;
  /** Number of rows that it was fitted to in these rounds. */
  readonly rows: number;
  /** Number of rows that tested it in these rounds. */
  readonly tested: number;
  /** Seconds of its last fit. */
  readonly seconds?: number;
  /** Present once it takes part in no further round. */
  readonly fate?: Fate;
}

/** Lists the candidates of a race: those that are still in it, best first, then those that wait for their turn, then the others. */
export function raceStandings(field: RaceField): RaceStanding[] {
  const { order } = field.standing();
  const waiting = field.contenders.filter((one) => one.isIn && !order.includes(one));
  const out = field.contenders.filter((one) => !one.isIn);
  return [...order, ...waiting, ...out].map((one) => {
    const validation = one.validation();
    const results = one.resultsOf(one.lastStage);
    const seconds = field.entryOf(one).fitSeconds;
    return {
      name: one.name,
      learner: one.learner.name,
      ...learnerLabel(one.learner.name),
      errors: validation?.errors ?? [],
      ...(validation && { metric: validation.metric }),
      rows: one.results.at(-1)?.rows ?? 0,
      tested: results.reduce((sum, { tested }) => sum + tested.length, 0),
      ...(seconds !== undefined && { seconds }),
      ...(one.out && { fate: one.out.fate }),
    };
  });
}
