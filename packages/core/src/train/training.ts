import type { Features, Sample } from "../encode/sample.js";
import type { Assessment, Model } from "../learners/model.js";
import type { Evaluation } from "../metrics/evaluation.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Period } from "../metrics/periods.js";
import type { CandidateResult, Choice } from "../select/choose-learner.js";
import type { Table } from "../table/table.js";
import { classCounts } from "../table/target.js";
import { type Certificate, riskOfFailure } from "../theory/certificate.js";
import type { FoldResults } from "../validation/cross-validate.js";
import { type Card, type TrainedCard, writeCard } from "./card.js";
import { certify } from "./certify.js";
import { Classifier } from "./classifier.js";
import type { FittedDecision } from "./decide.js";
import type { EncodedSplit } from "./encode.js";
import type { RowInspection } from "./inspect-rows.js";
import { judge } from "./judge.js";
import { measure } from "./measure.js";
import type { ScoredSplit } from "./score.js";
import type { HeldOutTest, SelectiveOptions } from "./selective-prediction.js";
import { addSelectiveRules, type MeasuredTraining } from "./selective-rules.js";
import { dependenceOfTraining, describeSplit, type SplitRows } from "./split.js";
import type { Verdict } from "./verdict.js";

/** A trained classifier and its results. */
export interface Training {
  readonly classifier: Classifier<TrainedCard>;
  /** In the order of `certify`, with the one to quote first. */
  readonly certificates: readonly Certificate[];
  /**
   * Whether the model is worth using, with warnings; `describeVerdict` writes the sentences. Absent without `holdout`,
   * `test` and `folds`, because the error was not measured.
   */
  readonly verdict?: Verdict;
  /** The evidence of the held-out rows. */
  readonly evidence?: HeldOutTest;
  /** Error over time; present with `time`. */
  readonly periods?: readonly Period[];
  /** All metrics on the held-out rows. */
  readonly evaluation?: Evaluation;
  /** Scores, predictions and margins of the held-out rows. */
  readonly assessment?: Assessment;
  /** Raw feature columns of the rows in `samples`. */
  readonly tables: { readonly training: Table; readonly heldOut?: Table };
  /** The encoded training and held-out rows. */
  readonly samples: { readonly training: Sample<Features>; readonly heldOut?: Sample<Features> };
  /** The tried learners, chosen one first; empty if the caller named one. */
  readonly candidates: readonly CandidateResult[];
  /** How the learner was chosen; absent if the caller named one. */
  readonly choice?: Choice;
}

/** A fitted model, with everything that its certificates, verdict and card depend on. */
export interface FittedTraining {
  /** Name of the table. */
  readonly table: string;
  readonly rows: SplitRows;
  readonly encoded: EncodedSplit;
  readonly inspected: RowInspection;
  readonly objective: Objective;
  readonly options: SelectiveOptions;
  readonly confidence: number;
  readonly learner: { readonly name: string; readonly options: Card["options"] };
  readonly fitted: {
    readonly model: Model;
    readonly validation?: FoldResults;
    readonly decided: FittedDecision;
    readonly scored: ScoredSplit;
  };
  /** How the learner was chosen, for the card. */
  readonly choice: Card["choice"];
  /** Whether the training rows are a subsample of the given ones. */
  readonly isSubsample: boolean;
  /** Numbers of training rows of each class, if `rows` contains only some of them. */
  readonly counts?: number[];
}

/** Measures the model on training and held-out rows, and adds rules for abstention and sets. */
export function measureTraining({
  rows,
  encoded,
  inspected,
  objective,
  options,
  confidence,
  fitted,
}: FittedTraining): MeasuredTraining {
  const { model, decided, scored } = fitted;
  const classifier = { model, decision: decided.decision, objective };
  const measured = measure(classifier, scored, rows, encoded, inspected);
  return addSelectiveRules(options, measured, decided, confidence);
}

/** Lists the certificates that follow from a training, the one to quote first. */
export function certifyTraining(training: FittedTraining, measured: MeasuredTraining): Certificate[] {
  const { rows, encoded, objective, confidence, fitted, choice } = training;
  const data = { features: rows.training.features.columns.length };
  return certify(
    {
      card: { choice, dependentRows: dependenceOf(training), objective, data },
      model: fitted.model,
      decision: measured.decision,
      encoder: encoded.encoder,
    },
    { confidence, heldOut: measured.tested.heldOut?.evidence },
  );
}

/** Judges whether the model is worth using; undefined if its error was not measured. */
export function judgeTraining(
  { rows, inspected, confidence, fitted }: FittedTraining,
  { tested }: MeasuredTraining,
  [quoted]: readonly Certificate[],
): Verdict | undefined {
  const { model, validation } = fitted;
  return judge({
    model,
    rows,
    inspected,
    tested,
    validation,
    quoted,
    significance: riskOfFailure(confidence),
  });
}

/** Writes the card, and puts the classifier and its results together. */
export function assembleTraining(
  training: FittedTraining,
  { tested, decision, notices }: MeasuredTraining,
  certificates: readonly Certificate[],
  verdict: Verdict | undefined,
  seed: number,
): Omit<Training, "candidates" | "choice"> {
  const { rows, encoded, inspected, objective, fitted, choice } = training;
  const { model, validation, decided } = fitted;
  const { heldOut } = tested;
  const card = writeCard({
    learner: training.learner,
    seed,
    data: describeData(training),
    tested,
    validation,
    choice,
    split: describeSplit(rows),
    dependentRows: dependenceOf(training),
    verdict,
    objective,
    decided,
    classWeights: rows.training.classWeights,
    notices: [...encoded.notices, ...(model.notices ?? []), ...decided.notices, ...notices].filter(
      (notice) => !verdict?.warnings.some(({ message }) => message === notice),
    ),
  });
  const { fingerprint, sketch, groups, background, profile } = inspected;
  const { encoder } = encoded;
  return {
    classifier: new Classifier({
      encoder,
      model,
      decision,
      fingerprint,
      sketch,
      groups,
      background,
      profile,
      card,
    }),
    certificates,
    verdict,
    evaluation: heldOut?.evaluation,
    assessment: heldOut?.assessment,
    evidence: heldOut?.evidence,
    periods: heldOut?.periods?.periods,
    tables: { training: rows.training.features, heldOut: rows.heldOut?.rows.features },
    samples: { training: encoded.training, heldOut: encoded.heldOut },
  };
}

/** Says why the training rows are not independent draws; undefined if nothing is known against it. */
function dependenceOf({ rows, inspected, isSubsample }: FittedTraining): string | undefined {
  return dependenceOfTraining(rows, inspected, isSubsample);
}

/** Describes the training data for the card. */
function describeData({ table, rows, encoded, counts }: FittedTraining): Card["data"] {
  const { labels, classes } = encoded.training;
  return {
    name: table,
    rows: counts?.reduce((sum, count) => sum + count, 0) ?? encoded.training.rows,
    features: rows.training.features.columns.length,
    classes: classes.length,
    counts: counts ?? Array.from(classCounts(labels, classes.length)),
  };
}
