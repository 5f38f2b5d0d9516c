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
 * What to train: the fields of a training, from the columns of DATA to the seed. The options of `vouch train`, its help, the command and the
 * program that train the same model again, the checks of shards and the table in docs/train.md follow from the fields.
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

/** What to train, as a program asks for it. */
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

/** The options of `vouch train`, read. */
export type TrainCommandRequest = z.output<typeof trainCommandRequest>;

/** How DATA is read by commands that learn. */
export const learningRequest = z.object({ ...columnFields, ...trainedColumnFields, ...fileFields });

/** What a good model is. */
export const objectiveRequest = z.object(objectiveFields);

/** What a request tells `trainClassifier` under the same names. */
export const trainerRequest = z.object({
  ...decisionFields,
  classWeights: objectiveFields.classWeights,
  rows: learnerFields.rows,
});

/** The columns that the rows are split by. */
export const splitRequest = z.object({ group: roleFields.group, time: roleFields.time });

/** The options that several commands share, apart from those on data and objective. */
export const sharedRequest = z.object({
  ...roleFields,
  ...seedFields,
  ...machineFields,
  ...printingFields,
  ...clusterFields,
});

/** How DATA is read. */
export type LearningRequest = z.output<typeof learningRequest>;
/** What a good model is, as options. */
export type ObjectiveRequest = z.output<typeof objectiveRequest>;
/** The options that several commands share, read. */
export type SharedRequest = z.output<typeof sharedRequest>;

/** Checks a request of a program and fills in the defaults. */
export function parseTrainRequest(given: TrainRequestInput = {}): TrainRequest {
  return parseOptions("train", trainRequest, given);
}

/** Returns how DATA is read as options of readers. A header that is not mentioned may have titles above it. */
export function readerOptions(request: LearningRequest) {
  const { mergeClasses: _merge, format: _format, header, ...options } = learningRequest.parse(request);
  return { ...options, ...(!header && { header }) };
}
