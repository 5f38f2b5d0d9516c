import type { Learner } from "../learners/learner.js";
import { ERROR, type Objective } from "../metrics/objective-metric.js";
import { completeRun, type Run } from "../runtime/parallel/run.js";
import { checkOptionNames } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { foldsOf } from "../table/row-splits.js";
import type { Labelled } from "../table/target.js";
import { riskOfFailure } from "../theory/certificate.js";
import { sparseNotices } from "../validation/cross-validate.js";
import type { TrainingMeasures } from "../validation/trial.js";
import { candidateNames } from "./candidates.js";
import type { Criterion, Evidence, EvidenceKind, Score, SelectionSettings } from "./criterion.js";
import { gatherEvidence, type SelectionWork } from "./gather-evidence.js";

/** How to select; the defaults are 10 folds, 20% of the rows held out, a confidence of 0.95, and the error as metric. */
export interface SelectOptions extends Partial<SelectionSettings> {
  readonly run?: Partial<Run>;
}

const OPTIONS: Readonly<Record<keyof SelectOptions, true>> = {
  folds: true,
  holdout: true,
  confidence: true,
  objective: true,
  run: true,
};

/** A candidate with its name. */
export interface NamedLearner {
  /** The learner's name, and the options in which it differs from the other candidates. */
  readonly name: string;
  readonly learner: Learner;
}

/** The score of a candidate, and its rank. */
export interface RankedScore extends Score {
  /** Index among all candidates. */
  readonly candidate: number;
  /** 1 for the best; equal candidates have the same rank. */
  readonly rank: number;
}

/** The candidates as one criterion ranks them. */
export interface Ranking {
  readonly criterion: Criterion;
  /** Best first; equal ones in the order of the candidates. */
  readonly scores: readonly RankedScore[];
  /** Candidates that it cannot judge, and why. */
  readonly refused: readonly { readonly candidate: number; readonly reason: string }[];
  /** Values shared by all its scores, by name. */
  readonly facts: Readonly<Record<string, number>>;
}

/** The candidates under every criterion. */
export interface Selection {
  /** The metric that criteria estimate which measure an error. */
  readonly objective: Objective;
  readonly candidates: readonly NamedLearner[];
  /** In the order of the criteria. */
  readonly rankings: readonly Ranking[];
  /** Warnings: classes with fewer rows than folds. */
  readonly notices: readonly string[];
}

/**
 * Ranks candidates by one or several criteria, using only the rows of `data`. The first of equal candidates is chosen, so put
 * the simplest first.
 *
 * Splits of the rows, such as folds, run in parallel. Each encodes its rows once for all candidates of the same encoding, and
 * fits candidates that differ only in the number of growth steps, such as rounds of boosting, once. The same seed gives the
 * same result on any number of threads.
 */
export async function select(
  candidates: readonly Learner[],
  data: Labelled,
  by: readonly Criterion[],
  options: SelectOptions = {},
): Promise<Selection> {
  checkOptionNames("select", options, OPTIONS);
  const { folds = 10, holdout = 0.2, confidence = 0.95, objective = ERROR } = options;
  const settings = { folds, holdout, confidence, objective };
  checkChoice(candidates, by);
  riskOfFailure(confidence);
  const names = candidateNames(candidates);
  const work: SelectionWork = { candidates, data, settings, run: completeRun(options.run) };
  const needs = new Set(by.flatMap((criterion) => criterion.needs));
  const notices = sparseClasses(needs, work);
  const first = needs.delete("training") ? ["training" as const] : [];
  const onAllRows = await gatherEvidence(first, "fitting to all rows", work);
  const refusals = by.map((criterion) => refusalsOf(criterion, onAllRows, candidates));
  const onParts = await gatherEvidence([...needs], "fitting to parts of the rows", work);
  const evidence = onParts.map((parts, c) => ({ ...parts, training: onAllRows[c].training }));
  return {
    objective,
    candidates: candidates.map((learner, c) => ({ name: names[c], learner })),
    rankings: by.map((criterion, k) => rank(criterion, evidence, refusals[k], settings)),
    notices,
  };
}

function checkChoice(candidates: readonly Learner[], by: readonly Criterion[]): void {
  if (candidates.length === 0) {
    throw new VouchError("option/invalid", "No candidates to select from.", {
      hint: "Name at least one learner.",
    });
  }
  if (by.length === 0) {
    throw new VouchError("option/invalid", "No criterion to select by.", {
      hint: "Name at least one, such as cv.",
    });
  }
  const twice = by.find((criterion, k) => by.findIndex(({ name }) => name === criterion.name) < k);
  if (twice) throw new VouchError("option/invalid", `The criterion ${twice.name} is named twice.`);
}

/** Checks the number of folds before any work, and warns about classes with fewer rows than folds. */
function sparseClasses(needs: ReadonlySet<EvidenceKind>, { data, settings, run }: SelectionWork): string[] {
  if (!needs.has("folds")) return [];
  return sparseNotices(data, foldsOf(data, settings.folds, run.seed).sparse);
}

/** For each candidate, why a criterion cannot judge it. */
type Refusals = readonly (string | undefined)[];

/** Finds the candidates that a criterion cannot judge. Throws if it can judge none. */
function refusalsOf(
  criterion: Criterion,
  evidence: readonly Evidence[],
  candidates: readonly Learner[],
): Refusals {
  const reasonFor = ([fitted]: readonly TrainingMeasures[]) => fitted && criterion.refusal?.(fitted);
  const refusals = evidence.map(
    ({ training }, c) => criterion.refusalOf?.(candidates[c]) ?? reasonFor(training),
  );
  if (refusals.some((reason) => reason === undefined)) return refusals;
  throw new VouchError(
    "learner/unsupported",
    `${criterion.name} cannot judge ${candidates[0].name}: ${refusals[0]}.`,
    { hint: "Use another criterion; cv judges every learner." },
  );
}

function rank(
  criterion: Criterion,
  evidence: readonly Evidence[],
  refusals: Refusals,
  settings: SelectionSettings,
): Ranking {
  const judged = evidence.map((_, c) => c).filter((c) => refusals[c] === undefined);
  const { scores, facts = {} } = criterion.score(
    judged.map((c) => evidence[c]),
    settings,
  );
  const values = scores.map(({ value }) => value);
  const ranked = scores.map((score, i) => ({
    ...score,
    candidate: judged[i],
    rank: 1 + values.filter((value) => value < values[i]).length,
  }));
  return {
    criterion,
    scores: ranked.sort((a, b) => a.rank - b.rank || a.candidate - b.candidate),
    refused: refusals.flatMap((reason, candidate) => (reason === undefined ? [] : [{ candidate, reason }])),
    facts,
  };
}
