/**
 * Do what the `vouch` command and the studio do around training: prepare rows that were just read, take the options of learners as
 * text or from a form, and write the command that trains the same model again.
 *
 * @packageDocumentation
 */
// Rows before training

export { type LeakingColumn, leakingColumns } from "./evaluate/leaking-columns.js";
export type { TargetGuess } from "./table/guess-target.js";
export { identifierColumns } from "./table/identifier-columns.js";
export { isMissingMarker, isMissingNumber, MISSING_MARKERS } from "./table/missing-markers.js";
export {
  type DecimalMark,
  parseWritten,
  readLoneNumber,
  readWrittenNumber,
  type WrittenNumber,
} from "./table/number-notation.js";
export type { SimilarClasses } from "./table/similar-classes.js";
export { chooseTarget } from "./table/target.js";
export {
  defaultMeasuring,
  identifierNotice,
  type PreparedRows,
  type PrepareOptions,
  prepareRows,
  readPrepared,
  type TargetRule,
  targetRule,
} from "./train/prepare-rows.js";
export { alsoWithout, namingData, type RowsToLearn, readRowsToLearn } from "./train/rows-to-learn.js";

// Training

export { type PlannedTraining, planTraining } from "./train/plan-training.js";
export { type SourceRows, type TableRead, type TrainSource, tableSource } from "./train/train-source.js";
export {
  objectiveOptions,
  type TrainEvents,
  type Trained,
  type TrainServices,
  trainFrom,
  trainRows,
} from "./train/train-table.js";

// Costs

export { costMatrix } from "./evaluate/cost-texts.js";

// Options of learners

export { changedOptions } from "./learners/changed-options.js";
export {
  defaultBase,
  describeOptions,
  type OptionDescription,
  parseSettings,
  settingSummary,
  settingsOf,
  settingText,
} from "./learners/options.js";

// Commands

export { type ChoiceCounts, sharesAmongCandidates } from "./theory/training-certificate.js";
export {
  type Field,
  fieldsIn,
  isAllowed,
  type NamedField,
  requestFields,
  type TextForm,
} from "./train/request/field.js";
export {
  type LearningRequest,
  learningRequest,
  type ObjectiveRequest,
  objectiveRequest,
  parseTrainRequest,
  readerOptions,
  type SharedRequest,
  sharedRequest,
  splitRequest,
  type TrainCommandRequest,
  type TrainRequest,
  type TrainRequestInput,
  trainCommandRequest,
  trainRequest,
} from "./train/request/request.js";
export { type ListedOption, listOptions, optionTable } from "./train/request/request-table.js";
export {
  type FinishedRequest,
  modelFields,
  modelRequest,
  reproductionCommand,
  requestArguments,
} from "./train/request/request-text.js";
export { checkShardRequest } from "./train/request/shard-request.js";
