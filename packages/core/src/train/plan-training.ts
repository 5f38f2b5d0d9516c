import { learnerNamed, withLearners } from "../learners/index.js";
import type { Learner } from "../learners/learner.js";
import { parseSettings } from "../learners/settings.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { RaceRecord } from "../select/race/record.js";
import { sharesAmongCandidates } from "../theory/training-certificate.js";
import type { TrainRequest } from "./request/request.js";
import type { TrainSource } from "./train-source.js";

/** A checked request, and its learner or the search to repeat; without either, a race finds the learner. */
export interface PlannedTraining {
  /** With the seed of a model or a search that is repeated. */
  readonly request: TrainRequest;
  readonly learner?: Learner;
  readonly record?: RaceRecord;
}

/** Checks a request and finds its learner, before any data is read. */
export async function planTraining(
  request: TrainRequest,
  { readModel, readRecord }: Pick<TrainSource, "readModel" | "readRecord"> = {},
): Promise<PlannedTraining> {
  checkRequest(request);
  const { learner, like, replay, set = [] } = request;
  if (learner !== undefined) {
    const kind = await learnerNamed(learner);
    const create = () => kind.create(Array.isArray(set) ? parseSettings(kind, set) : set);
    return { request, learner: await withLearners(create) };
  }
  if (like !== undefined) {
    if (!readModel) throw notReadable("like", like);
    const { card } = await readModel(like);
    const kind = await learnerNamed(card.learner);
    const chosenAmong = request.chosenAmong ?? sharesAmongCandidates(card.choice);
    const repeated = await withLearners(() => kind.create(card.options));
    return { request: { ...request, seed: card.seed, chosenAmong }, learner: repeated };
  }
  if (replay === undefined) return { request };
  if (!readRecord) throw notReadable("replay", replay);
  const record = await readRecord(replay);
  return { request: { ...request, seed: record.seed }, record };
}

/** Checks that the fields of a request go together, and with a record to write. */
export function checkRequest(request: TrainRequest & { readonly record?: string | undefined }): void {
  checkSearch(request);
  checkMeasuring(request);
}

/** Makes the error of a file that the source of the data cannot read. */
export function notReadable(option: string, file: string): VouchError {
  return new VouchError("option/invalid", `--${option} names the file ${file}, which cannot be read here.`, {
    hint: "In Node, you can also give the data as a path.",
  });
}

/** Ways to name the learner, at most one of which may be given. */
const WAYS = ["learner", "like", "replay"] as const;

/** Fields of a race, which a named learner lacks. */
const OF_RACES = ["budget", "single"] as const;

function checkSearch(request: Parameters<typeof checkRequest>[0]): void {
  const [way, second] = WAYS.filter((name) => request[name] !== undefined);
  if (second !== undefined) throw conflict(`--${way} and --${second} both say which learner to train.`);
  const race = [...OF_RACES, "record" as const].find((name) => request[name] !== undefined);
  if (way !== undefined && race !== undefined) {
    throw conflict(`--${race} is about the search for a learner, but --${way} says which one to train.`);
  }
  if (Object.keys(request.set ?? []).length > 0 && way !== "learner") {
    throw new VouchError("option/invalid", "--set needs --learner.", {
      hint: "Name the learner whose option it sets; 'vouch help' lists all learners.",
    });
  }
  if (request.unlabelled !== undefined && (way === undefined || way === "replay")) {
    throw new VouchError("option/invalid", "--unlabelled needs a learner that pre-trains.", {
      hint: "Name one with --learner, such as sae.",
    });
  }
}

function conflict(message: string): VouchError {
  return new VouchError("option/invalid", message, { hint: "Remove one of the two." });
}

/** Checks that there is at most one way to measure the error, and that `stratify` has rows to draw. */
function checkMeasuring({ test, holdout, folds, stratify, group, time }: TrainRequest): void {
  const [other] = Object.entries({ test, folds, group, time }).filter(([, value]) => value !== undefined);
  if (stratify && other) {
    throw new VouchError("option/invalid", `--stratify cannot be combined with --${other[0]}.`, {
      hint: "It says how a random share of the rows is held out.",
    });
  }
  if ([test, holdout, folds].filter((value) => value !== undefined).length <= 1) return;
  throw new VouchError("option/invalid", "Use only one of --test, --holdout and --folds.", {
    hint: "They are three ways to measure the error.",
  });
}
