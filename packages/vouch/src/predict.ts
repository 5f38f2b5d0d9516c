/**
 * Load a model and predict, and nothing else: a small entry for pages and services. The learner of the model is loaded on
 * demand.
 *
 * @packageDocumentation
 */

// Models and predictions

export type { Card } from "./train/card.js";
export { Classifier } from "./train/classifier.js";
export { deserialise } from "./train/model-file.js";

// Rows to predict

export type { Cell, DeclaredKinds } from "./table/raw-cells.js";
export { type CategoricalColumn, type Column, type NumericColumn, Table } from "./table/table.js";

// Also here

export type { Encoder } from "./encode/encoder.js";
export type { Model } from "./learners/model.js";
export type { Matrix } from "./runtime/matrix.js";
export { type ErrorCode, VouchError } from "./runtime/vouch-error.js";
