import type { DataShift } from "../checks/data-shift.js";
import type { ShiftDetector } from "../checks/shift-detector.js";
import { type Encoder, encodeWithNotices, type OnNotice } from "../encode/encoder.js";
import type { Features } from "../encode/sample.js";
import type { Background } from "../explain/background.js";
import type { Classification, Model } from "../learners/model.js";
import { applyDecisionInSteps, computeConfidences, type Decision, outputKind } from "../metrics/decision.js";
import { type DecisionRule, ruleFault } from "../metrics/decision-rule.js";
import { type Evaluation, evaluateInSteps } from "../metrics/evaluation.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import { type Pausable, runNow, runOnThreads, workRanges } from "../runtime/parallel/pausable.js";
import { completeRun } from "../runtime/parallel/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import { Fingerprint, trainingRowsIn } from "../table/fingerprint.js";
import type { RowSketch } from "../table/row-sketch.js";
import type { Table } from "../table/table.js";
import { labelsFor } from "../table/target.js";
import type { TrainingProfile } from "../table/training-profile.js";
import { answeredMask } from "../theory/conformal/abstention-rule.js";
import { computeSets } from "../theory/conformal/set-rule.js";
import type { Card } from "./card.js";
import type {
  ClassifiedTable,
  ClassifyOptions,
  ClassifyRowsOptions,
  PredictRecordsOptions,
} from "./classified-table.js";
import { encodeNewRows } from "./encode-new-rows.js";
import type { RecordAnswer } from "./record-answer.js";

/** The parts of a classifier. */
export interface ClassifierParts<C extends Card = Card> {
  /** Converts raw rows into the model's features. */
  readonly encoder: Encoder;
  readonly model: Model;
  /** Converts scores into probabilities, and probabilities into predictions. */
  readonly decision: Decision;
  /** A sketch of the training rows for recognising them. */
  readonly fingerprint: Fingerprint;
  /**
   * A sketch of the training rows' positions, for recognising near copies; absent if another program trained the model.
   */
  readonly sketch?: RowSketch | undefined;
  /** A sketch of the groups of the training rows; absent without groups. */
  readonly groups?: Fingerprint | undefined;
  /** Cells of the training columns for computing reasons; absent with very many columns. */
  readonly background?: Background | undefined;
  /** A summary of the training columns; absent if another program trained the model. */
  readonly profile?: TrainingProfile | undefined;
  readonly card: C;
}

/** Number of rows whose predictions are listed between two pauses: a few milliseconds. */
const ROWS_AT_ONCE = 2 ** 16;

/** A trained classifier for raw tables with columns in any order. A model file contains one. */
export class Classifier<C extends Card = Card> implements ClassifierParts<C> {
  readonly encoder: Encoder;
  readonly model: Model;
  readonly decision: Decision;
  readonly fingerprint: Fingerprint;
  readonly sketch: RowSketch | undefined;
  readonly groups: Fingerprint | undefined;
  readonly background: Background | undefined;
  readonly profile: TrainingProfile | undefined;
  readonly card: C;

  constructor(parts: ClassifierParts<C>) {
    this.encoder = parts.encoder;
    this.model = parts.model;
    this.decision = parts.decision;
    this.fingerprint = parts.fingerprint;
    this.sketch = parts.sketch;
    this.groups = parts.groups;
    this.background = parts.background;
    this.profile = parts.profile;
    this.card = parts.card;
  }

  /** The classes, in the order of the columns of `scores` and `probabilities`. */
  get classes(): readonly string[] {
    return this.model.classes;
  }

  /** Predicts the class of every row; "" if the classifier abstains. */
  predict(table: Table, onNotice?: OnNotice): string[] {
    return this.classify(table, { ...(onNotice && { onNotice }) }).predictions;
  }

  /** Computes the model's own scores of every row: one column per class; larger is more likely. */
  scores(table: Table, onNotice?: OnNotice): Matrix {
    return this.model.scores(this.encoder.encode(table, onNotice));
  }

  /** Computes the calibrated probability of every class for every row. Throws if the model has no probabilities. */
  probabilities(table: Table, onNotice?: OnNotice): Matrix {
    const { probabilities } = this.classify(table, { ...(onNotice && { onNotice }) });
    if (probabilities) return probabilities;
    throw noProbabilities();
  }

  /** Predicts the class of every row together with its probabilities and scores, from one evaluation of the model. */
  classify(table: Table, { rule, ...options }: ClassifyOptions = {}): ClassifiedTable {
    const decision = this.#decisionWith(rule);
    const features = runNow(encodeNewRows(this.encoder, table, options));
    return runNow(this.#answers(decision, this.model.classify(features)));
  }

  /** Classifies many rows like `classify`, on the threads of a run. */
  async classifyRows(table: Table, options: ClassifyRowsOptions = {}): Promise<ClassifiedTable> {
    const { rule, run: given, ...facts } = options;
    const run = completeRun(given);
    const decision = this.#decisionWith(rule);
    const features = await runOnThreads(encodeNewRows(this.encoder, table, facts), run);
    // Loaded lazily, because most pages classify a few rows on one thread.
    const { classifyManyRows } = await import("../learners/score-range.js");
    const scored = await classifyManyRows(this.model, features, run);
    return await runOnThreads(this.#answers(decision, scored), run);
  }

  /**
   * Answers records, such as parsed JSON, like `vouch serve`: prediction, probability of each class, abstention, set,
   * and reasons if requested. Cells are read by the kinds of the training columns: null, undefined and "" are missing,
   * and numbers may be strings. Throws if all records lack a column, or if a cell is of the wrong kind. `onNotice`
   * receives unused columns and unknown categories.
   */
  async predictRecords(
    records: readonly object[],
    options: PredictRecordsOptions = {},
  ): Promise<RecordAnswer[]> {
    // Loaded lazily, because most pages predict tables.
    const { predictRecords } = await import("./predict-records.js");
    return predictRecords(this, records, options);
  }

  *#answers(decision: Decision, own: Classification): Pausable<ClassifiedTable> {
    const { scores, predictions } = yield* applyDecisionInSteps(decision, own);
    const { abstention, sets } = decision;
    const answered = abstention && answeredMask(abstention, computeConfidences(predictions, scores));
    const names: string[] = [];
    const setsOfRows: string[][] = [];
    for (const [begin, end] of workRanges(scores.rows, sets ? scores.columns : 1, ROWS_AT_ONCE)) {
      for (let row = begin; row < end; row++) {
        names.push(answered?.[row] === 0 ? "" : this.classes[predictions[row]]);
      }
      if (sets) setsOfRows.push(...this.#classesIn(computeSets(sets, scores.slice(begin, end))));
      yield;
    }
    return {
      predictions: names,
      ...(sets && { sets: setsOfRows }),
      ...(outputKind(decision, this.model) === "probability" && { probabilities: scores }),
      scores: own.scores,
    };
  }

  /**
   * Lists how rows differ from the training rows: numbers outside the range, other shares of missing cells or
   * categories, columns that look swapped, and so on. Empty for a model without a profile.
   */
  async compareRows(table: Table): Promise<DataShift[]> {
    const check = await this.rowCheck();
    check?.add(table);
    return check?.findings() ?? [];
  }

  /** Starts comparing rows that come in parts with the training rows; undefined for a model without a profile. */
  async rowCheck(): Promise<ShiftDetector | undefined> {
    if (!this.profile) return undefined;
    // Loaded lazily, because most pages only predict.
    const { ShiftDetector } = await import("../checks/shift-detector.js");
    return new ShiftDetector(this.profile, this.encoder.schema);
  }

  /**
   * Returns the decision, optionally with another rule. Throws unless it fits the classes and has probabilities to
   * decide by.
   */
  #decisionWith(rule: DecisionRule | undefined): Decision {
    if (!rule) return this.decision;
    const fault = ruleFault(rule, this.classes.length);
    if (fault !== undefined) {
      throw new VouchError("option/invalid", `The rule does not fit the model: ${fault}.`);
    }
    if (rule.kind !== "model" && outputKind(this.decision, this.model) === "decision") {
      throw noProbabilities();
    }
    return { ...this.decision, rule, abstention: undefined };
  }

  #classesIn(members: Uint8Array): string[][] {
    const { classes } = this;
    return Array.from({ length: members.length / classes.length }, (_, row) =>
      classes.filter((_, k) => members[row * classes.length + k] === 1),
    );
  }

  /** Computes all metrics on a table with the target column, with a note if training rows are among its rows. */
  evaluate(table: Table, onNotice?: OnNotice): Evaluation {
    const rows = runNow(this.#labelledRows(table, onNotice));
    return runNow(this.#measures(rows.labels, this.model.classify(rows.features)));
  }

  /** Evaluates many rows like `evaluate`, on the threads of a run. */
  async evaluateRows(
    table: Table,
    options: Pick<ClassifyRowsOptions, "onNotice" | "run"> = {},
  ): Promise<Evaluation> {
    const run = completeRun(options.run);
    const rows = await runOnThreads(this.#labelledRows(table, options.onNotice), run);
    const { classifyManyRows } = await import("../learners/score-range.js");
    const scored = await classifyManyRows(this.model, rows.features, run);
    return await runOnThreads(this.#measures(rows.labels, scored), run);
  }

  /** Encodes labelled rows. */
  *#labelledRows(
    table: Table,
    onNotice: OnNotice | undefined,
  ): Pausable<{ readonly labels: Int32Array; readonly features: Features }> {
    const { features, labels, notices } = labelsFor(table, this.encoder.schema);
    for (const notice of notices) onNotice?.(notice);
    if (onNotice) {
      const fingerprint = yield* Fingerprint.inSteps({ features, labels }, this.encoder.schema);
      const dependence = trainingRowsIn(this.fingerprint, fingerprint);
      if (dependence !== undefined) onNotice(`${dependence} The error on new rows is likely larger.`);
    }
    return { labels, features: yield* encodeWithNotices(this.encoder, features, onNotice) };
  }

  *#measures(labels: Int32Array, own: Classification): Pausable<Evaluation> {
    const rows = yield* applyDecisionInSteps(this.decision, own);
    const scoring = outputKind(this.decision, this.model);
    const { positive } = this.card.objective ?? {};
    return yield* evaluateInSteps({ classes: this.classes, labels, ...rows, scoring, positive });
  }
}

function noProbabilities(): VouchError {
  return new VouchError("model/no-probabilities", "The model gives decision values, not probabilities.", {
    hint: "It was trained by another program, or without calibration: train it again with vouch.",
  });
}
