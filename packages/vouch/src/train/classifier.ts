import { type Encoder, labelledSample, type OnNotice } from "../encode/encoder.js";
import { type Evaluation, evaluateOn } from "../evaluate/metrics.js";
import type { Model } from "../learners/model.js";
import type { Matrix } from "../runtime/matrix.js";
import { type Fingerprint, trainingRowsAmong } from "../table/fingerprint.js";
import type { Table } from "../table/table.js";
import { labelsFor } from "../table/target.js";
import type { Card } from "./card.js";

/** The parts of a classifier. */
export interface ClassifierParts<C extends Card = Card> {
  /** Turns raw rows into the features of the model. */
  readonly encoder: Encoder;
  readonly model: Model;
  /** A sketch of the training rows, to recognise them. */
  readonly fingerprint: Fingerprint;
  readonly card: C;
}

/** A trained classifier of raw tables, whose columns may be in any order. A model file holds one. */
export class Classifier<C extends Card = Card> implements ClassifierParts<C> {
  readonly encoder: Encoder;
  readonly model: Model;
  readonly fingerprint: Fingerprint;
  readonly card: C;

  constructor(parts: ClassifierParts<C>) {
    this.encoder = parts.encoder;
    this.model = parts.model;
    this.fingerprint = parts.fingerprint;
    this.card = parts.card;
  }

  /** The classes, in the order of the columns of `scores`. */
  get classes(): readonly string[] {
    return this.model.classes;
  }

  /** Predicts the class of every row. */
  predict(table: Table, onNotice?: OnNotice): string[] {
    const indices = this.model.predict(this.encoder.encode(table, onNotice));
    return Array.from(indices, (index) => this.classes[index]);
  }

  /** Scores every row: one column per class; the larger, the more likely. */
  scores(table: Table, onNotice?: OnNotice): Matrix {
    return this.model.scores(this.encoder.encode(table, onNotice));
  }

  /** Predicts the class of every row together with its scores, from one evaluation of the model. */
  classify(table: Table, onNotice?: OnNotice): { predictions: string[]; scores: Matrix } {
    const features = this.encoder.encode(table, onNotice);
    const { predictions, scores } = this.model.classify(features);
    return { predictions: Array.from(predictions, (index) => this.classes[index]), scores };
  }

  /** Computes all metrics on a table with the target column, with a notice if training rows are among its rows. */
  evaluate(table: Table, onNotice?: OnNotice): Evaluation {
    const { features, labels, notices } = labelsFor(table, this.encoder.schema);
    for (const notice of notices) onNotice?.(notice);
    if (onNotice) {
      const dependence = trainingRowsAmong(this.fingerprint, { features, labels }, this.encoder.schema);
      if (dependence !== undefined) onNotice(`${dependence} The error on new rows is likely larger.`);
    }
    return evaluateOn(this.model, labelledSample(this.encoder, { features, labels }, onNotice));
  }
}
