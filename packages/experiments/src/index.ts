export {
  type Definition,
  type Description,
  defineExperiment,
  type Experiment,
  type ExperimentRun,
  parseResult,
  type Result,
  type Scale,
  scales,
} from "./experiment.js";
export { experimentNamed, experiments } from "./experiments.js";
export { type FinishedParts, finishedPartsIn } from "./finished-parts.js";
export { resultsPage } from "./results-page.js";
