export {
  defineExperiment,
  type Experiment,
  type ExperimentDefinition,
  type ExperimentDescription,
  type ExperimentRun,
  type PartialResults,
  PartsLeft,
  parseResult,
  type Result,
  type Scale,
  type Share,
  scales,
} from "./experiment.js";
export { experimentNamed, experiments } from "./experiments.js";
export { addPartsOf, mergePartialResults, openPartialResults } from "./partial-results.js";
export { resultsPages } from "./results-page.js";
