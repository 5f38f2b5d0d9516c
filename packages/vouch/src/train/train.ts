import { type Encoder, fitEncoder, fitEncoderInSteps, labelledSampleInSteps } from "../encode/encoder.js";
import { type Features, Sample } from "../encode/sample.js";
import { type CrossValidation, crossValidateRows } from "../evaluate/cross-validate.js";
import { evaluateOn } from "../evaluate/evaluate-model.js";
import type { Evaluation } from "../evaluate/metrics.js";
import { checkLearner, type Learner } from "../learners/learner.js";
import type { Model } from "../learners/model.js";
import { errorsOn } from "../learners/training-facts.js";
import { Matrix } from "../runtime/matrix.js";
import { formatNumber } from "../runtime/number-format.js";
import { checkOptionNames } from "../runtime/option-names.js";
import { checkpoint, completeRun, type Run } from "../runtime/run.js";
import { withPauses } from "../runtime/steps.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Candidate, Choice, LearnerChoice } from "../select/choose-learner.js";
import { conform } from "../table/conform.js";
import { Fingerprint, trainingRowsAmong, unlabelledRowsAmong } from "../table/fingerprint.js";
import { holdout } from "../table/splits.js";
import type { Table } from "../table/table.js";
import {
  chooseTarget,
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
} from "../table/target.js";
import type { Certificate } from "../theory/certificate.js";
import { type HeldOut, riskOfFailure } from "../theory/held-out/held-out.js";
import { marginQuantiles } from "../theory/margins/margin-statistics.js";
import { type Card, cardOptions, type TrainedCard } from "./card.js";
import { certify } from "./certify.js";
import { Classifier } from "./classifier.js";
import { VERSION } from "./version.js";

/** How to train; at most one of `holdout`, `test` and `folds`. */
export interface TrainOptions {
  /** Column that holds the class; `label` or the last one if not given. */
  readonly target?: string;
  /** Share of the rows, the same of each class, to keep away from training and to test the finished model on. */
  readonly holdout?: number;
  /** Other rows to test the finished model on. */
  readonly test?: Table;
  /** Cross-validate with this many folds, then train on all rows. */
  readonly folds?: number;
  /**
   * Further rows without a label, for a learner that pre-trains; a target column is ignored. The encoder is fitted to the
   * labelled rows alone.
   */
  readonly unlabelled?: Table;
  /** Train on at most so many of the rows that are not held out, drawn class by class; on all if not given. */
  readonly rows?: number;
  /** Of the certificates; 0.95 if not given. */
  readonly confidence?: number;
  /** What the card is to tell besides what the training finds out, such as columns that the caller has left out. */
  readonly notices?: readonly string[];
  readonly run?: Partial<Run>;
}

/** A trained classifier and what can be said of its error. */
export interface Training {
  readonly classifier: Classifier<TrainedCard>;
  /** Those whose premises hold first, the smallest first; none without held-out rows. */
  readonly certificates: readonly Certificate[];
  /** How the classifier does on the held-out rows. */
  readonly evaluation?: Evaluation;
  /** The encoded rows that it was trained on, and those that it was tested on. */
  readonly samples: { readonly training: Sample<Features>; readonly heldOut?: Sample<Features> };
  /** All learners that were considered and tried, the chosen one first; none when there was no choice. */
  readonly candidates: readonly Candidate[];
  /** How it was chosen; absent when there was no choice. */
  readonly choice?: Choice;
}

/**
 * Trains a classifier on a table and says what is known of its error.
 *
 * The model that is returned is the one that was tested. With `holdout` it is trained on the other rows only and not
 * again on all of them: the held-out bounds speak of one fixed classifier, and a model trained again is another one,
 * of which they prove nothing. With `folds`, k models were tested and none of them is the one that is returned,
 * which is trained on all rows; the errors of the folds then are an estimate, and no certificate is given.
 */
export async function trainClassifier(
  table: Table,
  learnerOrChoice: Learner | LearnerChoice,
  options: TrainOptions = {},
): Promise<Training> {
  const { confidence = 0.95, folds } = options;
  checkOptions(options, confidence);
  if (typeof learnerOrChoice !== "function") checkLearner(learnerOrChoice);
  const run = completeRun(options.run);
  const found = labelled(table, chooseTarget(table, options.target));
  const data = { ...found, notices: [...(options.notices ?? []), ...found.notices] };
  await checkpoint(run);
  const whole = divide(data, options, run.seed);
  await checkpoint(run);
  const { unlabelled } = options;
  const { learner, choice } = await settle(whole, learnerOrChoice, options, run);
  if (unlabelled && !learner.pretrains) throw usesNoUnlabelled(learner);
  const divided = limited(whole, choice?.rows ?? options.rows, run.seed);
  const prepared = await prepare(divided, learner, run, unlabelled);
  const validation =
    folds === undefined ? undefined : await crossValidateRows(divided.training, learner, folds, run);
  const model = await learner.fit(prepared.sample, run);
  await checkpoint(run);
  const fingerprint = Fingerprint.of(prepared.training, prepared.encoder.schema);
  await checkpoint(run);
  const tested = testHeldOut(model, fingerprint, prepared, unlabelled);
  await checkpoint(run);
  const card = writeCard({ table, learner, choice, seed: run.seed, prepared, model, tested, validation });
  const classifier = new Classifier({ encoder: prepared.encoder, model, fingerprint, card });
  const heldOut = prepared.heldOut?.sample;
  const samples = { training: prepared.sample, ...(heldOut && { heldOut }) };
  const certificates = certify(classifier, { confidence, ...(tested && { heldOut: tested.result }) });
  const evaluation = tested && { evaluation: tested.evaluation };
  const candidates = choice?.candidates ?? [];
  return { classifier, certificates, ...evaluation, samples, candidates, ...(choice && { choice }) };
}

/** The learner to fit, and how it was chosen if the caller left that open. */
async function settle(
  { training, heldOut }: Divided,
  learnerOrChoice: Learner | LearnerChoice,
  { folds = 0, rows }: TrainOptions,
  run: Run,
): Promise<{ readonly learner: Learner; readonly choice?: Choice }> {
  if (typeof learnerOrChoice !== "function") return { learner: learnerOrChoice };
  if (heldOut) checkSuits(heldOut.rows, training, run.seed);
  const final = { fits: 1 + folds, heldOutRows: heldOut?.rows.labels.length ?? 0 };
  const { training: used } = limited({ training }, rows, run.seed);
  const choice = await learnerOrChoice(used, run, final);
  return { learner: choice.candidates[0].learner, choice };
}

/** So many rows show which columns a model will need. */
const ENOUGH_TO_SEE_COLUMNS = 2000;

/** Finds rows that will not suit a model of the training rows, which else were found out after the choice. */
function checkSuits(rows: LabelledRows, training: Labelled, seed: number): void {
  const { features } = limited({ training }, ENOUGH_TO_SEE_COLUMNS, seed).training;
  const { schema } = fitEncoder(features, training, { kind: "numeric", standardise: false });
  conform(rows.features, schema);
}

/** Held-out rows, raw and encoded. */
interface HeldOutRows {
  readonly rows: LabelledRows;
  readonly sample: Sample<Features>;
  /** Whether they come from the table itself, class by class, and not from another one. */
  readonly stratified: boolean;
}

/** Everything that is ready before the fit. */
interface Prepared {
  /** The learner's options as the card keeps them. */
  readonly options: Card["options"];
  readonly training: LabelledRows;
  readonly encoder: Encoder;
  readonly sample: Sample<Features>;
  readonly heldOut?: HeldOutRows;
  readonly notices: readonly string[];
}

/** What the model did on the held-out rows. */
interface Tested {
  readonly result: HeldOut;
  readonly evaluation: Evaluation;
}

function usesNoUnlabelled({ name }: Learner): VouchError {
  return new VouchError("learner/unsupported", `${name} makes no use of rows without a label.`, {
    hint: "Leave them out, or use a learner that pre-trains, such as sae.",
  });
}

const OPTIONS: Readonly<Record<keyof TrainOptions, true>> = {
  target: true,
  holdout: true,
  test: true,
  folds: true,
  unlabelled: true,
  rows: true,
  confidence: true,
  notices: true,
  run: true,
};

function checkOptions(options: TrainOptions, confidence: number): void {
  checkOptionNames("trainClassifier", options, OPTIONS);
  const { holdout, test, folds, unlabelled, rows } = options;
  if (folds !== undefined && unlabelled) {
    throw new VouchError("option/invalid", "Rows without a label cannot be combined with folds.", {
      hint: "Measure the error on held-out rows.",
    });
  }
  if ([holdout, test, folds].filter((choice) => choice !== undefined).length > 1) {
    throw new VouchError("option/invalid", "Only one of holdout, test and folds can be given.");
  }
  if (rows !== undefined && !(Number.isInteger(rows) && rows >= 2)) {
    throw new VouchError("option/invalid", `The number of rows to train on is ${rows}.`, {
      hint: "It must be a whole number ≥ 2.",
    });
  }
  riskOfFailure(confidence);
}

/** The rows to train on and those to test on, raw. */
interface Divided {
  readonly training: Labelled;
  /** `stratified`: they come from the table itself, class by class, and not from another one. */
  readonly heldOut?: { readonly rows: LabelledRows; readonly stratified: boolean };
}

function divide(data: Labelled, options: TrainOptions, seed: number): Divided {
  if (options.test)
    return { training: data, heldOut: { rows: labelsFor(options.test, data), stratified: false } };
  if (options.holdout === undefined) return { training: data };
  const { train, test } = holdout(data.labels, options.holdout, seed);
  const heldOut = { rows: { ...selectRows(data, test), notices: [] }, stratified: true };
  return { training: { ...data, ...selectRows(data, train) }, heldOut };
}

/** The same with at most so many rows to train on, the same share of each class; at least one of each. */
function limited(divided: Divided, rows: number | undefined, seed: number): Divided {
  const { training } = divided;
  const all = training.labels.length;
  if (rows === undefined || rows >= all) return divided;
  const { train } = holdout(training.labels, 1 - rows / all, seed);
  const notice = `Trained on ${formatNumber(train.length)} of ${formatNumber(all)} rows.`;
  const notices = [...training.notices, notice];
  return { ...divided, training: { ...training, ...selectRows(training, train), notices } };
}

/** Encodes all rows before the fit, so that a test table which does not suit the model is found before hours of work. */
async function prepare(
  { training, heldOut }: Divided,
  learner: Learner,
  { signal }: Run,
  unlabelledRows?: Table,
): Promise<Prepared> {
  const encoder = await withPauses(fitEncoderInSteps(training.features, training, learner.encoding), signal);
  const labelledOnly = await withPauses(labelledSampleInSteps(encoder, training), signal);
  const unlabelled = unlabelledRows && (await withPauses(encoder.encodeInSteps(unlabelledRows), signal));
  const sample = unlabelled instanceof Matrix ? new Sample({ ...labelledOnly, unlabelled }) : labelledOnly;
  const notices = [...training.notices, ...encoder.notices];
  const prepared = { options: cardOptions(learner.options), training, encoder, sample, notices };
  if (!heldOut) return prepared;
  notices.push(...heldOut.rows.notices);
  const rows = withoutLeftOut(heldOut.rows, training, encoder);
  const onNotice = (notice: string) => notices.push(notice);
  const tested = await withPauses(labelledSampleInSteps(encoder, rows, onNotice), signal);
  return { ...prepared, heldOut: { ...heldOut, sample: tested } };
}

/** The rows without the columns that the encoder left out of the training rows: one notice of them is enough. */
function withoutLeftOut(rows: LabelledRows, training: LabelledRows, { schema }: Encoder): LabelledRows {
  const used = new Set(schema.columns.map(({ name }) => name));
  const unused = ({ name }: { name: string }) => !used.has(name) && training.features.has(name);
  const leftOut = rows.features.columns.filter(unused).map(({ name }) => name);
  return { ...rows, features: rows.features.without(leftOut) };
}

function testHeldOut(
  model: Model,
  fingerprint: Fingerprint,
  prepared: Prepared,
  unlabelled: Table | undefined,
): Tested | undefined {
  if (!prepared.heldOut) return undefined;
  const { rows, sample, stratified } = prepared.heldOut;
  const evaluation = evaluateOn(model, sample);
  const errors = Math.round(evaluation.error * sample.rows);
  // Rows of the same table that happen to equal training rows are independent draws all the same.
  const { schema } = prepared.encoder;
  const dependence =
    (stratified ? undefined : trainingRowsAmong(fingerprint, rows, schema)) ??
    (unlabelled && unlabelledRowsAmong(unlabelled, rows.features, schema));
  return { evaluation, result: { rows: sample.rows, errors, stratified, ...(dependence && { dependence }) } };
}

const CHOSEN_ON_THE_SAME_ROWS =
  "The learner was chosen by the same rows as the folds test: its error on new rows is likely a little larger.";

/** All that the card is made from. */
interface CardSources {
  readonly table: Table;
  readonly learner: Learner;
  /** How it was chosen among others, by looking at the training rows. */
  readonly choice: Choice | undefined;
  readonly seed: number;
  readonly prepared: Prepared;
  readonly model: Model;
  readonly tested: Tested | undefined;
  readonly validation: CrossValidation | undefined;
}

function writeCard({
  table,
  learner,
  choice,
  seed,
  prepared,
  model,
  tested,
  validation,
}: CardSources): TrainedCard {
  const { options, training, sample, notices } = prepared;
  return {
    vouch: VERSION,
    learner: learner.name,
    options,
    seed,
    data: {
      name: table.name,
      rows: sample.rows,
      features: training.features.columns.length,
      classes: sample.classes.length,
    },
    error: {
      train: errorsOn(model, sample) / sample.rows,
      ...(tested && { test: tested.evaluation.error }),
      ...(validation && { folds: [...validation.errors] }),
    },
    ...(tested && tested.result.dependence === undefined && { heldOut: tested.result }),
    ...(choice && { choice: choiceOnCard(choice) }),
    margins: marginQuantiles(model.margins(sample)),
    notices: [
      ...notices,
      ...(model.notices ?? []),
      ...(validation?.notices ?? []),
      ...(validation && choice ? [CHOSEN_ON_THE_SAME_ROWS] : []),
    ],
  };
}

/** The choice as the card keeps it. Those that were not tried could have been chosen, too. */
function choiceOnCard({ candidates, untried }: Choice): NonNullable<Card["choice"]> {
  return {
    among: candidates.length + untried.length,
    candidates: candidates.map(({ name, validation, rows, fate }) => ({
      name,
      error: validation.mean,
      rounds: validation.errors.length,
      rows,
      fate,
    })),
  };
}
