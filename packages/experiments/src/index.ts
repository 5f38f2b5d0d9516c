export {
  defineExperiment,
  type Experiment,
  type ExperimentDefinition,
  type ExperimentDescription,
  type ExperimentRun,
  type PartialResults,
  parseResult,
  type Result,
  type Scale,
  scales,
} from "./experiment.js";
export { experimentNamed, experiments } from "./experiments.js";
export { openPartialResults } from "./partial-results.js";
export { resultsPage } from "./results-page.js";
