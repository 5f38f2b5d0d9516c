import { costMatrix } from "../metrics/cost-texts.js";
import type { ObjectiveOptions } from "../metrics/objective.js";
import type { Progress, Run } from "../runtime/parallel/run.js";
import { defaultCandidates } from "../select/candidates.js";
import { byRacing, byReplaying, type Choice, type LearnerChoice } from "../select/choose-learner.js";
import type { LeaderboardRow } from "../select/race/state.js";
import { notReadable, type PlannedTraining } from "./plan-training.js";
import { defaultMeasuring } from "./prepare-table.js";
import { type ObjectiveRequest, type TrainRequest, trainerRequest } from "./request/request.js";
import { trainClassifier } from "./train.js";
import type { TrainOptions } from "./train-options.js";
import type { TrainSource } from "./train-source.js";
import type { Training } from "./training.js";
import { alsoWithout, namingData, readTrainingTable, type TrainingData } from "./training-data.js";
import type { Verdict } from "./verdict.js";

/** Default time limit in seconds for choosing and training a learner. */
const BUDGET = 60;

/** Folds of the race that chooses a learner. */
const RACE_FOLDS = 5;

const ADVICE_ON_FEW_ROWS = "Give more rows, or name a --learner and use fewer --folds.";

/** Callbacks of a training. */
export interface TrainEvents {
  /** Called once with the rows after all checks of the data, when the search for a learner or the fit begins. */
  readonly onData?: (rows: TrainingData) => void;
  readonly onProgress?: (progress: Progress) => void;
  /** Called once with each notice: about the data before `onData`, about the model after the fit. */
  readonly onNotice?: (notice: string) => void;
  /** Called after every test of the race. */
  readonly onLeaderboard?: (standing: readonly LeaderboardRow[]) => void;
  /** Called with the chosen learner, before its fit. */
  readonly onChoice?: (choice: Choice) => void;
}

/** Executor and callbacks of a training. */
export interface TrainServices extends Partial<Pick<Run, "executor" | "signal">>, TrainEvents {
  /** Ends the race with the best learner so far. */
  readonly finish?: AbortSignal;
}

/** A trained classifier, with the rows and the request that it comes from. */
export interface Trained extends Training {
  readonly verdict: Verdict;
  readonly data: TrainingData;
  /** With the seed of a model or a search that was repeated. */
  readonly request: TrainRequest;
  /** Duration of reading and training, in seconds. */
  readonly seconds: number;
}

/** Reads rows and trains like `vouch train`. */
export async function trainFrom(
  source: TrainSource,
  plan: PlannedTraining,
  services: TrainServices = {},
): Promise<Trained> {
  const began = performance.now();
  const rows = await readTrainingTable(source, plan.request);
  const trained = await trainRows(rows, plan, source, services).catch((error) => {
    throw namingData(error, rows.table.name, ADVICE_ON_FEW_ROWS);
  });
  return { ...trained, seconds: (performance.now() - began) / 1000 };
}

/** Trains on prepared rows like `vouch train`; the source reads the files named in the request. */
export async function trainRows(
  rows: TrainingData,
  plan: PlannedTraining,
  source: Omit<TrainSource, "read">,
  services: TrainServices = {},
): Promise<Trained> {
  const began = performance.now();
  const { request, learner } = plan;
  const { executor, signal, onProgress, onNotice, onData } = services;
  const heard = new Set<string>();
  const notify = (notices: readonly string[]) => {
    for (const notice of notices) if (!heard.has(notice)) onNotice?.(notice);
    for (const notice of notices) heard.add(notice);
  };
  const measuring = await measuringOf(rows, request, source);
  const unlabelled = await unlabelledFor(rows, request, source);
  const aside = (await source.readAside?.(rows.whole)) ?? rows.aside;
  const training = await trainClassifier(rows.table, learner ?? searchFor(plan, services), {
    ...objectiveOptions(request),
    ...trainerRequest.parse(request),
    ...measuring,
    ...rows.splitBy,
    target: rows.target,
    ...(unlabelled && { unlabelled }),
    ...(aside && { aside }),
    onChecked: (notices) => {
      notify(notices);
      onData?.(rows);
    },
    run: { seed: request.seed, executor, signal, progress: onProgress },
  });
  const { verdict } = training;
  if (!verdict) throw new TypeError("The error of the model was not measured.");
  notify(training.classifier.card.notices);
  return { ...training, verdict, data: rows, request, seconds: (performance.now() - began) / 1000 };
}

/** Returns the metric to optimise, with costs for the classes of the data. */
export function objectiveOptions({ metric, cost, positive }: ObjectiveRequest): ObjectiveOptions {
  const costs = Array.isArray(cost) ? (classes: readonly string[]) => costMatrix(cost, classes) : cost;
  return { metric, costs, positive };
}

/** Decides how to measure the error: as requested, on the official test rows, or by the number of rows. */
async function measuringOf(
  rows: TrainingData,
  request: TrainRequest,
  { readTest }: Omit<TrainSource, "read">,
): Promise<Pick<TrainOptions, "test" | "holdout" | "stratify" | "folds">> {
  const { test, holdout, stratify = false, folds } = request;
  if (test !== undefined) {
    if (!readTest) throw notReadable("test", test);
    return { test: alsoWithout(await readTest(test, rows), rows.identifiers) };
  }
  if (folds !== undefined) return { folds };
  if (holdout === undefined && !stratify && rows.test) return { test: rows.test };
  if (holdout !== undefined) return { holdout, stratify };
  const measuring = defaultMeasuring(rows, request);
  return "holdout" in measuring ? { ...measuring, stratify } : measuring;
}

/** Reads the rows to pre-train on. */
async function unlabelledFor(
  rows: TrainingData,
  { unlabelled }: TrainRequest,
  { readUnlabelled }: Omit<TrainSource, "read">,
): Promise<TrainOptions["unlabelled"]> {
  if (unlabelled === undefined) return undefined;
  if (!readUnlabelled) throw notReadable("unlabelled", unlabelled);
  return readUnlabelled(unlabelled, rows);
}

/** Repeats a search for a learner, or races the default candidates within the budget. */
function searchFor({ request, record }: PlannedTraining, services: TrainServices): LearnerChoice {
  const { finish, onLeaderboard, onChoice } = services;
  const choose = record
    ? byReplaying(record)
    : byRacing(defaultCandidates, {
        seconds: request.budget ?? BUDGET,
        folds: RACE_FOLDS,
        search: true,
        ensemble: !request.single,
        stop: finish,
        onLeaderboard,
      });
  return async (...training) => {
    const choice = await choose(...training);
    onChoice?.(choice);
    return choice;
  };
}
