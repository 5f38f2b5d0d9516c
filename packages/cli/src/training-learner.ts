import { readFile } from "node:fs/promises";
import { parseSettings, sharesAmongCandidates } from "vouch/command";
import { loadModel, writeFileAtomic } from "vouch/node";
import { byReplaying, type RaceRecord, readRaceRecord } from "vouch/select";
import {
  byRacing,
  defaultCandidates,
  type Learner,
  type LearnerChoice,
  learnerNamed,
  type Training,
  VouchError,
  withLearners,
} from "vouch/train";
import type { Stops } from "./interruption.js";
import type { ProgressDisplay } from "./progress-display.js";
import { type Terminal, writeText } from "./terminal.js";

/** The flags of `vouch train` that say which learner to train. */
export interface LearnerFlags {
  readonly learner?: string;
  readonly set?: readonly string[];
  readonly unlabelled?: string;
  /** Seconds. */
  readonly budget?: number;
  readonly single?: boolean;
  readonly record?: string;
  readonly replay?: string;
  readonly like?: string;
}

/** Default budget in seconds for choosing and training a learner. */
const DEFAULT_BUDGET = 60;

/** Folds of the race that chooses a learner. */
const CHOICE_FOLDS = 5;

/** The learner that the flags name or that a model file has; or the record of a race to repeat; neither for a new race. */
interface LearnerToTrain<Flags> {
  readonly named?: Learner;
  readonly record?: RaceRecord;
  /** The flags, with the seed of a model or record that is repeated. */
  readonly flags: Flags;
}

/** Finds the learner to train before any data is read. */
export async function learnerToTrain<
  Flags extends LearnerFlags & { readonly seed: number; readonly chosenAmong?: number },
>(flags: Flags): Promise<LearnerToTrain<Flags>> {
  checkTogether(flags);
  const { learner, like, replay, set = [] } = flags;
  if (learner !== undefined) {
    const kind = await learnerNamed(learner);
    return { named: await withLearners(() => kind.create(parseSettings(kind, set))), flags };
  }
  if (like !== undefined) {
    const { card } = await loadModel(like);
    const kind = await learnerNamed(card.learner);
    const chosenAmong = flags.chosenAmong ?? sharesAmongCandidates(card.choice);
    return {
      named: await withLearners(() => kind.create(card.options)),
      flags: { ...flags, seed: card.seed, chosenAmong },
    };
  }
  if (replay === undefined) return { flags };
  const record = await recordIn(replay);
  return { record, flags: { ...flags, seed: record.seed } };
}

/** Ways to say which learner to train, of which at most one is given. */
const WAYS = ["learner", "like", "replay"] as const;

/** Flags of a race, which a named learner does not have. */
const OF_RACES = ["budget", "single", "record"] as const;

function checkTogether(flags: LearnerFlags): void {
  const [way, second] = WAYS.filter((name) => flags[name] !== undefined);
  if (second !== undefined) throw conflict(`--${way} and --${second} both say which learner to train.`);
  const race = OF_RACES.find((name) => flags[name] !== undefined);
  if (way !== undefined && race !== undefined) {
    throw conflict(`--${race} is about the search for a learner, but --${way} says which one to train.`);
  }
  if ((flags.set ?? []).length > 0 && way !== "learner") {
    throw new VouchError("option/invalid", "--set needs --learner.", {
      hint: "Name the learner whose option it sets; 'vouch help' lists all learners.",
    });
  }
  if (flags.unlabelled !== undefined && (way === undefined || way === "replay")) {
    throw new VouchError("option/invalid", "--unlabelled needs a learner that pre-trains.", {
      hint: "Name one with --learner, such as sae.",
    });
  }
}

function conflict(message: string): VouchError {
  return new VouchError("option/invalid", message, { hint: "Remove one of the two." });
}

async function recordIn(file: string): Promise<RaceRecord> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new VouchError("file/read", `Cannot read the record ${file}.`, { cause });
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new VouchError("data/malformed", `${file} is not JSON.`, {
      cause,
      hint: "Give a file that vouch train --record has written.",
    });
  }
  return readRaceRecord(json);
}

/** Chooses the learner by the record of a race, or races the default candidates within the budget. */
export function choiceOfLearner(
  { budget = DEFAULT_BUDGET, single = false, quiet }: LearnerFlags & { readonly quiet?: boolean },
  record: RaceRecord | undefined,
  { finish, canFinish }: Stops,
  display: ProgressDisplay,
  { err }: Terminal,
): LearnerChoice {
  if (record) return byReplaying(record);
  canFinish(true);
  // The first Ctrl-C ends the race with the best so far.
  finish.addEventListener("abort", () => {
    if (quiet) return;
    display.clear();
    writeText(err, "Stopped: training the best learner so far. Press Ctrl-C again to abort.\n");
  });
  return byRacing(defaultCandidates, {
    seconds: budget,
    folds: CHOICE_FOLDS,
    search: true,
    ensemble: !single,
    stop: finish,
  });
}

/** Writes what the race of a training has tried. */
export async function writeRecord(file: string, { choice }: Training): Promise<void> {
  if (!choice?.record) return;
  await writeFileAtomic(file, new TextEncoder().encode(`${JSON.stringify(choice.record, null, 1)}\n`));
}
