import { fitEncoder } from "../encode/fit-encoder.js";
import type { Features, Sample } from "../encode/sample.js";
import { checkLearner, type Learner } from "../learners/learner.js";
import type { Assessment } from "../learners/model.js";
import { applyDecision, type Decision } from "../metrics/decision.js";
import type { Evaluation } from "../metrics/evaluation.js";
import { type ObjectiveOptions, objectiveFor } from "../metrics/objective.js";
import type { Objective } from "../metrics/objective-metric.js";
import type { Period } from "../metrics/periods.js";
import { checkOptionNames } from "../runtime/names.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { CandidateResult, Choice, LearnerChoice } from "../select/choose-learner.js";
import { withClassWeights } from "../table/class-weights.js";
import { conform } from "../table/conform.js";
import type { SplitColumns } from "../table/split-columns.js";
import type { Table } from "../table/table.js";
import { classCounts } from "../table/target.js";
import { type Certificate, riskOfFailure } from "../theory/certificate.js";
import { copiesInWords } from "../theory/held-out/held-out.js";
import { cardOptions, choiceOnCard, type TrainedCard, writeCard } from "./card.js";
import { certify } from "./certify.js";
import { Classifier } from "./classifier.js";
import { decide, type FittedDecision, type ModelToDecide } from "./decide.js";
import { type EncodedSplit, encode } from "./encode.js";
import { fit } from "./fit.js";
import { judge } from "./judge.js";
import { label } from "./label.js";
import { type RowFacts, rowFacts } from "./row-facts.js";
import { type ScoredSplit, scoreSplit, type TestedModel, test } from "./score-and-measure.js";
import {
  checkSelectiveOptions,
  fitSelection,
  type HeldOutTest,
  type SelectiveOptions,
} from "./selective-prediction.js";
import {
  dependenceOfTraining,
  type SplitOptions,
  type SplitRows,
  splitFacts,
  splitRows,
  subsample,
} from "./split.js";
import type { Verdict } from "./verdict.js";

/**
 * How to train; at most one of `holdout`, `test` and `folds`. With none of them, all rows are used for training and nothing is
 * measured: the result has no verdict. Hold-outs and folds respect `group` or `time`.
 */
export interface TrainOptions extends SplitColumns, SplitOptions, ObjectiveOptions, SelectiveOptions {
  /** Column with the class; by default the most telling name with classes, such as `label`, else the last column. */
  readonly target?: string;
  /** Number of folds to cross-validate with before training on all rows. */
  readonly folds?: number;
  /** Columns of the same rows that are not features, such as identifiers: checks of the rows look at them. */
  readonly aside?: Table;
  /** Rows without a label, for a learner that pre-trains; a target column is ignored. The encoder does not see them. */
  readonly unlabelled?: Table;
  /** Train on a stratified subsample of this many rows; by default on all rows that are not held out. */
  readonly rows?: number;
  /**
   * Weights of classes in training: "balanced" gives all classes the same total weight, or by name, `{ Yes: 5 }`; the others
   * have weight 1.
   */
  readonly classWeights?: "balanced" | Readonly<Record<string, number>>;
  /**
   * Whether to calibrate probabilities even if the metric does not need it; true by default. Without out-of-bag rows and folds that takes further fits: five with few
   * rows, one with many.
   */
  readonly calibrate?: boolean;
  /** Confidence of the certificates; the default is 0.95. */
  readonly confidence?: number;
  /**
   * Number of candidates among which these rows chose the learner before, if the caller names the one that was chosen: certificates
   * from the training rows then have a share of δ each. Learners that are `uncertified` need not be counted.
   */
  readonly chosenAmong?: number;
  /** Notices for the model card, such as columns that the caller has dropped. */
  readonly notices?: readonly string[];
  readonly run?: Partial<Run>;
}

/** A trained classifier and its results. */
export interface Training {
  readonly classifier: Classifier<TrainedCard>;
  /** As `certify` lists them: the one to quote is the first. */
  readonly certificates: readonly Certificate[];
  /**
   * Whether the model is worth using, with warnings; `verdictInWords` writes the sentences. Absent without `holdout`, `test` and
   * `folds`, because the error was not measured.
   */
  readonly verdict?: Verdict;
  /** The evidence of the held-out rows. */
  readonly evidence?: HeldOutTest;
  /** The error over time; present with `time`. */
  readonly periods?: readonly Period[];
  /** All metrics on the held-out rows. */
  readonly evaluation?: Evaluation;
  /** Scores, predictions and margins of the held-out rows. */
  readonly assessment?: Assessment;
  /** The raw feature columns of the same rows as `samples`. */
  readonly tables: { readonly training: Table; readonly heldOut?: Table };
  /** The encoded training and held-out rows. */
  readonly samples: { readonly training: Sample<Features>; readonly heldOut?: Sample<Features> };
  /** The learners that were tried, the chosen one first; none if the caller named one. */
  readonly candidates: readonly CandidateResult[];
  /** How the learner was chosen; absent if the caller named one. */
  readonly choice?: Choice;
}

/** A training on this many cells takes longer than threads take to start. */
const CELLS_FOR_THREADS = 200_000;

/**
 * Trains a classifier on a table and certifies its error: label → split → encode → fit → decide → test → certify → judge.
 *
 * The returned model is the one that was tested. With `holdout` it is not refitted to all rows, because held-out bounds are
 * about one fixed classifier. With `folds`, k other models are tested and the returned one is trained on all rows; the errors
 * of the folds are an estimate and prove nothing. Without `holdout`, `test` and `folds` there is no verdict, no evaluation and no
 * held-out certificate.
 */
export async function trainClassifier(
  table: Table,
  learnerOrChoice: Learner | LearnerChoice,
  options: TrainOptions = {},
): Promise<Training> {
  const { confidence = 0.95, folds, unlabelled, calibrate = true } = options;
  checkOptions(options, confidence);
  if (typeof learnerOrChoice !== "function") checkLearner(learnerOrChoice);
  const run = completeRun(options.run);
  const data = label(table, options, options.notices);
  if (
    data.labels.length * data.features.columns.length >= CELLS_FOR_THREADS &&
    typeof learnerOrChoice !== "function"
  ) {
    // Threads start and load the modules of the learner while this one splits and encodes the rows.
    run.executor.prepare?.(learnerOrChoice.tasks ?? []);
  }
  await checkpoint(run);
  const split = splitRows(data, options, run.seed);
  const whole = { ...split, training: withClassWeights(split.training, options.classWeights) };
  const objective = objectiveFor(options, whole.training);
  await checkpoint(run);
  const { learner, choice } = await choose(whole, learnerOrChoice, options, objective, run);
  if (unlabelled && !learner.pretrains) throw takesNoUnlabelled(learner);
  const shown = cardOptions(learner.options);
  const rows = subsample(whole, choice?.rows ?? options.rows, run.seed);
  const encoded = await encode(rows, learner, unlabelled, run);
  const { training } = rows;
  const judged = rows.heldOut !== undefined || folds !== undefined;
  const known = rows === whole ? choice?.classifiedFolds : undefined;
  const [fitted, facts] = await bothOf(
    fitAndDecide({ learner, encoded, training, folds, objective, known, calibrate }, run),
    rowFacts(rows, { schema: encoded.encoder.schema, unlabelled, judged }, run),
  );
  await checkpoint(run);
  const among = choiceOnCard(choice, options.chosenAmong);
  const concluded = await concludeTraining(
    {
      ...{ table: table.name, rows, encoded, facts, objective, options, confidence },
      ...{ learner: { name: learner.name, options: shown }, fitted, among },
      isSubsample: rows !== whole,
    },
    run,
  );
  return { ...concluded, candidates: choice?.candidates ?? [], ...(choice && { choice }) };
}

/** A fitted model, and all that its certificates, its verdict and its card follow from. */
export interface FittedTraining {
  /** Name of the table. */
  readonly table: string;
  readonly rows: SplitRows;
  readonly encoded: EncodedSplit;
  readonly facts: RowFacts;
  readonly objective: Objective;
  readonly options: SelectiveOptions;
  readonly confidence: number;
  readonly learner: { readonly name: string; readonly options: ReturnType<typeof cardOptions> };
  readonly fitted: Pick<Awaited<ReturnType<typeof fit>>, "model" | "validation"> & {
    readonly decidedModel: FittedDecision;
    readonly scored: ScoredSplit;
  };
  readonly among: ReturnType<typeof choiceOnCard>;
  /** Whether the training rows are a subsample of those that were given. */
  readonly isSubsample: boolean;
  /** The numbers of training rows of each class, if `rows` has only some of them. */
  readonly counts?: number[];
}

/** Tests a fitted model, certifies and judges it, and writes its card: the stages after the fit. */
export async function concludeTraining(
  given: FittedTraining,
  run: Run,
): Promise<Omit<Training, "candidates" | "choice">> {
  const { rows, encoded, facts, objective, options, confidence, learner, fitted, among, isSubsample } = given;
  const { training } = rows;
  const { model, validation, decidedModel, scored } = fitted;
  const untested = { model, decision: decidedModel.decision, objective };
  const measured = test(untested, scored, rows, encoded, facts);
  const { tested, decision, notices } = withAnswers(options, measured, decidedModel, confidence);
  await checkpoint(run);
  const { heldOut } = tested;
  const dependentRows = dependenceOfTraining(rows, facts, isSubsample);
  const certificates = certify(
    {
      card: { choice: among, dependentRows, objective, data: { features: training.features.columns.length } },
      model,
      decision,
      encoder: encoded.encoder,
    },
    { confidence, ...(heldOut && { heldOut: heldOut.evidence }) },
  );
  const significance = riskOfFailure(confidence);
  const verdict = judge({ model, rows, facts, tested, validation, quoted: certificates[0], significance });
  await checkpoint(run);
  const card = writeCard({
    learner,
    seed: run.seed,
    data: {
      name: given.table,
      rows: given.counts?.reduce((sum, count) => sum + count, 0) ?? encoded.training.rows,
      features: rows.training.features.columns.length,
      classes: encoded.training.classes.length,
      counts:
        given.counts ?? Array.from(classCounts(encoded.training.labels, encoded.training.classes.length)),
    },
    tested,
    validation,
    choice: among,
    split: splitFacts(rows),
    dependentRows,
    verdict,
    objective,
    decided: decidedModel,
    classWeights: training.classWeights,
    notices: [...encoded.notices, ...(model.notices ?? []), ...decidedModel.notices, ...notices].filter(
      (notice) => !verdict?.warnings.some(({ message }) => message === notice),
    ),
  });
  const classifier = new Classifier({
    encoder: encoded.encoder,
    model,
    decision,
    fingerprint: facts.fingerprint,
    sketch: facts.sketch,
    groups: facts.groups,
    background: facts.background,
    profile: facts.profile,
    card,
  });
  return {
    classifier,
    certificates,
    ...(verdict && { verdict }),
    ...(heldOut && {
      evaluation: heldOut.evaluation,
      assessment: heldOut.assessment,
      evidence: heldOut.evidence,
      ...(heldOut.periods && { periods: heldOut.periods.periods }),
    }),
    tables: {
      training: rows.training.features,
      ...(rows.heldOut && { heldOut: rows.heldOut.rows.features }),
    },
    samples: { training: encoded.training, ...(encoded.heldOut && { heldOut: encoded.heldOut }) },
  };
}

/** What a fit and the decision after it need. */
interface FitPlan extends Pick<ModelToDecide, "learner" | "training" | "objective" | "known" | "calibrate"> {
  readonly encoded: EncodedSplit;
  readonly folds: number | undefined;
}

/** Fits a model, then scores the rows while its probabilities are calibrated. */
async function fitAndDecide({ encoded, folds, ...plan }: FitPlan, run: Run) {
  const { learner, objective } = plan;
  const { model, fitSeconds, validation } = await fit(learner, encoded, { ...plan, folds }, run);
  await checkpoint(run);
  const [decidedModel, scored] = await bothOf(
    decide({ ...plan, model, fitSeconds, validated: validation?.outOfFold }, run),
    scoreSplit(model, encoded, objective, run),
  );
  return { model, validation, decidedModel, scored };
}

/** Waits for both, even if one of them fails, so that nothing runs on afterwards. */
async function bothOf<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}

/** A tested model, and its decision with the rules that the held-out rows gave it. */
interface AnsweringModel {
  readonly tested: TestedModel;
  readonly decision: Decision;
  readonly notices: readonly string[];
}

/** Adds rules for abstention and sets, if there are any, and their evidence. */
function withAnswers(
  options: TrainOptions,
  tested: TestedModel,
  { decision, outOfFold }: FittedDecision,
  confidence: number,
): AnsweringModel {
  const { heldOut } = tested;
  const asked = options.abstain !== undefined || options.sets !== undefined;
  if (!asked || !heldOut) return { tested, decision, notices: [] };
  if (!outOfFold) {
    const notice = "Without calibrated probabilities the model neither abstains nor gives sets.";
    return { tested, decision, notices: [notice] };
  }
  const { dependence, repeats, rows } = heldOut.evidence;
  const fault = dependence ?? (repeats && !repeats.natural ? `${copiesInWords(rows, repeats)}.` : undefined);
  if (fault !== undefined) {
    const notice = `The model neither abstains nor gives sets, because the test rows prove nothing. ${fault}`;
    return { tested, decision, notices: [notice] };
  }
  const known = { labels: outOfFold.labels, ...applyDecision(decision, outOfFold) };
  const { evidence, notices, ...rules } = fitSelection(
    options,
    { outOfFold: known, heldOut: heldOut.evidenceRows },
    confidence,
  );
  return {
    tested: { ...tested, heldOut: { ...heldOut, evidence: { ...heldOut.evidence, ...evidence } } },
    decision: { ...decision, ...rules },
    notices,
  };
}

/** Chooses the learner by the training rows, if the caller left that open. */
async function choose(
  rows: SplitRows,
  learnerOrChoice: Learner | LearnerChoice,
  { folds = 0, rows: most, calibrate = true }: TrainOptions,
  objective: Objective,
  run: Run,
): Promise<{ readonly learner: Learner; readonly choice?: Choice }> {
  if (typeof learnerOrChoice !== "function") return { learner: learnerOrChoice };
  checkColumns(rows, run.seed);
  const { training } = subsample({ training: rows.training }, most, run.seed);
  const final = {
    fits: 1 + folds,
    heldOutRows: rows.heldOut?.rows.labels.length ?? 0,
    calibrates: calibrate && folds === 0,
  };
  const choice = await learnerOrChoice(training, run, final, objective);
  return { learner: choice.candidates[0].learner, choice };
}

/** This many rows are enough to see which columns a model will need. */
const ENOUGH_TO_SEE_COLUMNS = 2000;

/** Checks that there is a column to learn from, and that the held-out rows suit the model, before the choice of a learner takes a minute. */
function checkColumns({ training, heldOut }: SplitRows, seed: number): void {
  const { features } = subsample({ training }, ENOUGH_TO_SEE_COLUMNS, seed).training;
  const { schema } = fitEncoder(features, training, { kind: "numeric", standardise: false });
  if (heldOut) conform(heldOut.rows.features, schema);
}

function takesNoUnlabelled({ name }: Learner): VouchError {
  return new VouchError("learner/unsupported", `${name} does not use unlabelled rows.`, {
    hint: "Leave them out, or use a learner that pre-trains, such as sae.",
  });
}

const OPTIONS: Readonly<Record<keyof TrainOptions, true>> = {
  target: true,
  group: true,
  time: true,
  holdout: true,
  stratify: true,
  test: true,
  folds: true,
  aside: true,
  unlabelled: true,
  rows: true,
  metric: true,
  costs: true,
  positive: true,
  classWeights: true,
  calibrate: true,
  abstain: true,
  sets: true,
  setsBy: true,
  confidence: true,
  chosenAmong: true,
  notices: true,
  run: true,
};

function checkOptions(options: TrainOptions, confidence: number): void {
  checkOptionNames("trainClassifier", options, OPTIONS);
  const { holdout, test, folds, unlabelled, rows, chosenAmong } = options;
  if (chosenAmong !== undefined && !(Number.isInteger(chosenAmong) && chosenAmong >= 1)) {
    throw new VouchError("option/invalid", `chosenAmong must be a whole number ≥ 1, not ${chosenAmong}.`);
  }
  if (folds !== undefined && unlabelled) {
    throw new VouchError("option/invalid", "Unlabelled rows cannot be combined with folds.", {
      hint: "Measure the error on held-out rows.",
    });
  }
  if ([holdout, test, folds].filter((choice) => choice !== undefined).length > 1) {
    throw new VouchError("option/invalid", "Use only one of holdout, test and folds.");
  }
  if (rows !== undefined && !(Number.isInteger(rows) && rows >= 2)) {
    throw new VouchError("option/invalid", `rows must be a whole number ≥ 2, not ${rows}.`);
  }
  riskOfFailure(confidence);
  const heldOut = holdout !== undefined || test !== undefined;
  checkSelectiveOptions(options, { heldOut, calibrate: options.calibrate ?? true });
}
