import * as z from "zod";
import { parseOptions } from "../../learners/options.js";
import { columnFields, fileFields, roleFields, trainedColumnFields } from "./data-fields.js";
import { decisionFields, objectiveFields } from "./decision-fields.js";
import { learnerFields, measuringFields } from "./model-fields.js";
import {
  clusterFields,
  machineFields,
  outputFields,
  printingFields,
  seedFields,
  shardFields,
} from "./run-fields.js";

/**
 * What to train: the fields of a training, from the columns of DATA to the seed. The options of `vouch train`, its
 * help, the command and the program that reproduce the model, the checks of shards and the table in docs/train.md
 * follow from the fields.
 */
export const trainRequest = z.object({
  ...learnerFields,
  ...roleFields,
  ...measuringFields,
  ...objectiveFields,
  ...decisionFields,
  ...columnFields,
  ...trainedColumnFields,
  ...fileFields,
  ...seedFields,
});

/** What to train, with defaults filled in. */
export type TrainRequest = z.output<typeof trainRequest>;

/** What to train, as requested by a program. */
export type TrainRequestInput = z.input<typeof trainRequest>;

/** The options of `vouch train`: what to train, on which machines, and what to write and print. */
export const trainCommandRequest = z.object({
  ...trainRequest.shape,
  ...machineFields,
  ...outputFields,
  ...printingFields,
  ...clusterFields,
  ...shardFields,
});

/** The parsed options of `vouch train`. */
export type TrainCommandRequest = z.output<typeof trainCommandRequest>;

/** How DATA is read by commands that learn. */
export const learningRequest = z.object({ ...columnFields, ...trainedColumnFields, ...fileFields });

/** The metric to optimise. */
export const objectiveRequest = z.object(objectiveFields);

/** What a request tells `trainClassifier` under the same names. */
export const trainerRequest = z.object({
  ...decisionFields,
  classWeights: objectiveFields.classWeights,
  rows: learnerFields.rows,
});

/** The columns that the rows are split by. */
export const splitRequest = z.object({ group: roleFields.group, time: roleFields.time });

/** Options that several commands share, except those about data and objective. */
export const sharedRequest = z.object({
  ...roleFields,
  ...seedFields,
  ...machineFields,
  ...printingFields,
  ...clusterFields,
});

/** How DATA is read. */
export type LearningRequest = z.output<typeof learningRequest>;
/** The metric to optimise, as options. */
export type ObjectiveRequest = z.output<typeof objectiveRequest>;
/** The parsed options that several commands share. */
export type SharedRequest = z.output<typeof sharedRequest>;

/** Checks a request of a program and fills in the defaults. */
export function parseTrainRequest(given: TrainRequestInput = {}): TrainRequest {
  return parseOptions("train", trainRequest, given);
}

/** Converts how DATA is read into options of readers. If the header is not mentioned, titles may be above it. */
export function readerOptions(request: LearningRequest) {
  const { mergeClasses: _merge, format: _format, header, ...options } = learningRequest.parse(request);
  return { ...options, ...(!header && { header }) };
}
