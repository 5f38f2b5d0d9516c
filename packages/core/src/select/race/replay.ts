import { createLearner } from "../../learners/index.js";
import { ERROR, type Objective } from "../../metrics/objective-metric.js";
import { completeRun, type Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Labelled } from "../../table/target.js";
import { concludeRace, type RaceResult } from "./outcome.js";
import type { RaceRecord } from "./record.js";
import { RaceState } from "./state.js";

/** How to repeat a race. */
interface ReplayOptions {
  readonly objective?: Objective;
  readonly run?: Partial<Run>;
}

/**
 * Repeats a race from its record: fits the recorded configurations in the recorded rounds, without a clock, and decides
 * like the race. The same rows, seed and record give the same result.
 */
export async function replayRace(
  record: RaceRecord,
  data: Labelled,
  { objective = ERROR, run: given }: ReplayOptions,
): Promise<RaceResult> {
  const run = completeRun(given);
  checkRecord(record, run.seed, data.labels.length);
  const state = new RaceState(data, { folds: record.folds, objective, run });
  state.add(
    await Promise.all(record.contenders.map(({ learner, options }) => createLearner(learner, options))),
  );
  const total = record.contenders.reduce((sum, { rounds }) => sum + rounds.length, 0);
  let done = 0;
  for (const round of state.rounds) {
    const sideBySide = state.runsSideBySide(round, Number.POSITIVE_INFINITY);
    const queue = state.families;
    await state.inLanes(sideBySide, async () => {
      for (let family = queue.shift(); family; family = queue.shift()) {
        const taking = family.inRace.filter(({ place }) =>
          record.contenders[place].rounds.includes(round.index),
        );
        if (taking.length === 0) continue;
        await state.test(family, round, { ...run, progress: () => undefined }, sideBySide, taking);
        done += taking.length;
        run.progress({ stage: "repeating the race", done, total });
      }
    });
  }
  for (const one of state.candidates) {
    const { fate, reason } = record.contenders[one.place];
    if (fate !== "finished") one.leave(fate, reason);
  }
  return concludeRace(state, {
    ensemble: record.pool?.map((place) => state.candidates[place]) ?? false,
    counts: { among: record.among, certifiable: record.certifiable ?? record.among },
    ended: record.ended,
    time: {
      rowsFor: ({ place }) => record.contenders[place].rows ?? 1,
      affords: () => true,
    },
  });
}

function checkRecord(record: RaceRecord, seed: number, rows: number): void {
  if (record.seed !== seed) {
    throw new VouchError(
      "option/invalid",
      `The record is of a race with seed ${record.seed}, but the seed is ${seed}.`,
      { hint: `Use the seed ${record.seed}.` },
    );
  }
  if (record.dataRows === rows) return;
  throw new VouchError(
    "option/invalid",
    `The record is of a race with ${record.dataRows} training rows, but there are ${rows}.`,
    { hint: "Use the same data, and hold out the same rows." },
  );
}
