import { type CrossValidation, crossValidateRows } from "../evaluate/cross-validate.js";
import { checkLearner, type Learner } from "../learners/learner.js";
import { checkOptionNames } from "../runtime/option-names.js";
import type { Run } from "../runtime/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Labelled } from "../table/target.js";
import { conciseNames } from "./candidates.js";
import type { Contender, Fate } from "./contender.js";
import { type RaceOptions, type RaceResult, raceLearners } from "./race.js";
import type { FinalWork } from "./race-entry.js";

/** A learner that was considered, and its error on rows that its models did not see. */
export interface Candidate {
  /** What tells it from the others: its learner's name, and the options in which it differs. */
  readonly name: string;
  readonly learner: Learner;
  readonly validation: CrossValidation;
  /** How many rows the models were fitted to of which `validation` tells. */
  readonly rows: number;
  /** How far it came. */
  readonly fate: Fate;
}

/** What was chosen, and among what. */
export interface Choice {
  /** Those that were tried, the chosen one first; those that were given up come last. */
  readonly candidates: readonly Candidate[];
  /** Those of which nothing is known, and why. */
  readonly untried: readonly { readonly name: string; readonly fate: Fate; readonly reason: string }[];
  /** How many rows the chosen one is to be fitted to; all if absent. */
  readonly rows?: number;
  /** Whether time or a request ended the search before all was settled. */
  readonly ended: RaceResult["ended"];
}

/** Chooses a learner by looking at training rows only; held-out rows stay unseen. `final` is what will be done with it. */
export type LearnerChoice = (training: Labelled, run: Run, final: FinalWork) => Promise<Choice>;

/**
 * The learner with the smallest mean error in a k-fold cross-validation, on the same folds for all. Of equal
 * ones the first wins, so put the simplest first.
 */
export function byCrossValidation(learners: readonly Learner[], folds: number): LearnerChoice {
  checkCandidates(learners);
  return async (training, run) => {
    const names = conciseNames(learners);
    const rows = Math.floor(training.labels.length * (1 - 1 / folds));
    const candidates: Candidate[] = [];
    for (const [i, learner] of learners.entries()) {
      const progress: Run["progress"] = (report) =>
        run.progress({ ...report, stage: `${names[i]}, ${report.stage}` });
      const validation = await crossValidateRows(training, learner, folds, { ...run, progress });
      candidates.push({ name: names[i], learner, validation, rows, fate: "finished" });
    }
    candidates.sort((a, b) => a.validation.mean - b.validation.mean);
    return { candidates, untried: [], ended: "decided" };
  };
}

function checkCandidates(learners: readonly Learner[]): void {
  if (learners.length === 0) {
    throw new VouchError("option/invalid", "There are no candidates to choose from.", {
      hint: "Give at least one learner.",
    });
  }
  learners.forEach(checkLearner);
}

/** What to race: the candidates themselves, or what makes them when the rows are known. Cheap and simple ones first. */
export type Candidates =
  | readonly Learner[]
  | ((training: Labelled) => readonly Learner[] | Promise<readonly Learner[]>);

const RACING: Readonly<Record<keyof Omit<RaceOptions, "run" | "final">, true>> = {
  seconds: true,
  folds: true,
  stop: true,
  clock: true,
};

/**
 * The best learner that can be found within a time: candidates compete in rounds, first on few rows, and those that are
 * clearly behind are given up. `vouch train` without a learner chooses so, among `usualCandidates`.
 */
export function byRacing(candidates: Candidates, options: Omit<RaceOptions, "run" | "final">): LearnerChoice {
  checkOptionNames("byRacing", options, RACING);
  if (typeof candidates !== "function") checkCandidates(candidates);
  if (!(options.seconds > 0)) {
    throw new VouchError("option/invalid", `The time to choose a learner is ${options.seconds} seconds.`, {
      hint: "It must be positive.",
    });
  }
  return async (training, run, final) => {
    const learners = typeof candidates === "function" ? await candidates(training) : candidates;
    checkCandidates(learners);
    const { contenders, rows, ended } = await raceLearners(learners, training, { ...options, run, final });
    return {
      candidates: contenders.flatMap(candidateOf),
      untried: contenders.flatMap(({ name, results, out }) =>
        out && results.length === 0 ? [{ name, ...out }] : [],
      ),
      ...(rows < training.labels.length && { rows }),
      ended,
    };
  };
}

/** What is known of a contender; nothing if it took part in no round. */
function candidateOf(contender: Contender): Candidate[] {
  const { name, learner, results, out } = contender;
  const validation = contender.validation();
  const last = results.at(-1);
  if (!validation || !last) return [];
  return [{ name, learner, validation, rows: last.rows, fate: out?.fate ?? "finished" }];
}
