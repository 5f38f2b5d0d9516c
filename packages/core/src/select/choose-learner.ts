import { checkLearner, type Learner } from "../learners/learner.js";
import { metricFacts } from "../metrics/metric-name.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Run } from "../runtime/parallel/run.js";
import { checkOptionNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Labelled } from "../table/target.js";
import { type CrossValidation, crossValidateRows } from "../validation/cross-validate.js";
import type { ClassifiedTest } from "../validation/trial.js";
import { type CandidateCounts, conciseNames, countCandidates } from "./candidates.js";
import type { Candidate, CandidateStatus } from "./race/candidate.js";
import type { FinalWork } from "./race/candidate-family.js";
import type { RaceResult } from "./race/outcome.js";
import { type RaceOptions, raceLearners } from "./race/race.js";
import type { RaceRecord } from "./race/record.js";
import { replayRace } from "./race/replay.js";

/** A tried learner, and its error on rows that its models did not see. */
export interface CandidateResult {
  /** The learner's name and its changed options. */
  readonly name: string;
  readonly learner: Learner;
  readonly validation: CrossValidation;
  /** Number of rows that the models of `validation` were fitted to. */
  readonly rows: number;
  readonly fate: CandidateStatus;
}

/** A choice of a learner among candidates. */
export interface Choice extends CandidateCounts {
  /** Tried candidates: the chosen one first, dropped ones last. */
  readonly candidates: readonly CandidateResult[];
  /** Candidates without a result, and the reasons. */
  readonly untried: readonly {
    readonly name: string;
    readonly fate: CandidateStatus;
    readonly reason: string;
  }[];
  /** Number of rows to fit the chosen one to; all rows if absent. */
  readonly rows?: number;
  /** The metric by which the learner was chosen. */
  readonly objective: Objective;
  /** Test rows of the chosen learner in the folds of `outOfFoldScores` that the choice has fitted. */
  readonly classifiedFolds?: readonly ClassifiedTest[];
  /** Whether the time limit or a request ended the search early. */
  readonly ended: RaceResult["ended"];
  /** The ensemble formed in a race, chosen or not. */
  readonly ensemble?: EnsembleOutcome;
  /** What the clock decided in a race; the same record gives the same choice. */
  readonly record?: RaceRecord;
}

/** An ensemble compared with the best single candidate, on rows that neither was fitted to. */
export interface EnsembleOutcome {
  readonly isChosen: boolean;
  /** Names of the members. */
  readonly members: readonly string[];
  /** The ensemble's loss minus the best single candidate's, and its standard error. */
  readonly difference: number;
  readonly standardError: number;
  /** Seconds to classify a row, as measured in the race. */
  readonly secondsPerRow: { readonly winner: number; readonly single: number };
}

/**
 * Chooses a learner by the training rows only; held-out rows stay unseen. `final` is the work with the chosen learner.
 */
export type LearnerChoice = (
  training: Labelled,
  run: Run,
  final: FinalWork,
  objective: Objective,
) => Promise<Choice>;

/**
 * Chooses the learner with the best mean metric in k-fold cross-validation, on the same folds for all. Ties go to the
 * first learner, so put the simplest first.
 */
export function byCrossValidation(learners: readonly Learner[], folds: number): LearnerChoice {
  checkCandidates(learners);
  return async (training, run, _, objective) => {
    const names = conciseNames(learners);
    const rows = Math.floor(training.labels.length * (1 - 1 / folds));
    const candidates: CandidateResult[] = [];
    for (const [i, learner] of learners.entries()) {
      const progress: Run["progress"] = (report) =>
        run.progress({ ...report, stage: `${names[i]}, ${report.stage}` });
      const validation = await crossValidateRows(training, learner, folds, { ...run, progress }, objective);
      candidates.push({ name: names[i], learner, validation, rows, fate: "finished" });
    }
    const sign = metricFacts(objective.metric).larger ? -1 : 1;
    candidates.sort((a, b) => sign * (a.validation.metric.mean - b.validation.metric.mean));
    return { candidates, untried: [], ended: "decided", objective, ...countCandidates(learners) };
  };
}

function checkCandidates(learners: readonly Learner[]): void {
  if (learners.length === 0) {
    throw new VouchError("option/invalid", "There are no candidates to choose from.", {
      hint: "Name at least one learner.",
    });
  }
  learners.forEach(checkLearner);
}

/** The candidates of a race, or a function that creates them from the training rows; cheap and simple ones first. */
export type Candidates =
  | readonly Learner[]
  | ((training: Labelled) => readonly Learner[] | Promise<readonly Learner[]>);

/** Options of a race that its user sets; the rest comes from the training. */
type ChoiceOptions = Omit<RaceOptions, "run" | "final" | "objective">;

const RACE_OPTIONS: Readonly<Record<keyof ChoiceOptions, true>> = {
  seconds: true,
  folds: true,
  search: true,
  ensemble: true,
  onLeaderboard: true,
  stop: true,
  clock: true,
};

/**
 * Finds the best learner within a time limit. Candidates compete in rounds, first on few rows, and those that are
 * clearly behind are dropped. With `search`, options near the best are tried in the remaining time; with `ensemble`, a
 * combination of the best may win. `vouch train` without a learner uses this with `defaultCandidates` and both options.
 */
export function byRacing(candidates: Candidates, options: ChoiceOptions): LearnerChoice {
  checkOptionNames("byRacing", options, RACE_OPTIONS);
  if (typeof candidates !== "function") checkCandidates(candidates);
  if (!(options.seconds > 0)) {
    throw new VouchError("option/invalid", `The time limit must be positive, not ${options.seconds} s.`);
  }
  return async (training, run, final, objective) => {
    const learners = typeof candidates === "function" ? await candidates(training) : candidates;
    checkCandidates(learners);
    const result = await raceLearners(learners, training, { ...options, run, final, objective });
    return choiceOf(result, training, objective);
  };
}

/**
 * Repeats the choice of a race from its record: the same fits on the same rows, without a clock. The rows and the seed
 * must be the same.
 */
export function byReplaying(record: RaceRecord): LearnerChoice {
  return async (training, run, _, objective) =>
    choiceOf(await replayRace(record, training, { run, objective }), training, objective);
}

function choiceOf(result: RaceResult, training: Labelled, objective: Objective): Choice {
  const { candidates, rows, classifiedFolds, ended, among, certifiable, combined, record, secondsPerRow } =
    result;
  return {
    candidates: candidates.flatMap(candidateOf),
    untried: candidates.flatMap(({ name, results, exit }) =>
      exit && results.length === 0 ? [{ name, fate: exit.status, reason: exit.reason }] : [],
    ),
    ...(rows < training.labels.length && { rows }),
    objective,
    classifiedFolds,
    ended,
    among,
    certifiable,
    ...(combined && {
      ensemble: {
        isChosen: combined.wins,
        members: combined.members.map(({ name }) => name),
        difference: combined.difference,
        standardError: combined.standardError,
        secondsPerRow,
      },
    }),
    record,
  };
}

/** Converts a candidate of the race into a result; empty if it took part in no round. */
function candidateOf(candidate: Candidate): CandidateResult[] {
  const { name, learner, results, exit } = candidate;
  const validation = candidate.validation();
  const last = results.at(-1);
  if (!validation || !last) return [];
  return [{ name, learner, validation, rows: last.rows, fate: exit?.status ?? "finished" }];
}
