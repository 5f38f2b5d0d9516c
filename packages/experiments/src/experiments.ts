import { didYouMean } from "@vouch/core/internal/runtime/text/suggestions";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { automaticChoice } from "./automatic/choice.js";
import { calibrationLogLoss } from "./calibration/log-loss.js";
import { boundedMeans } from "./certificates/bounded-means.js";
import { certificateCoverage } from "./certificates/coverage.js";
import { voteWeights } from "./certificates/vote-weights.js";
import { certificateWatch } from "./certificates/watch.js";
import { abstentionAndSets } from "./decisions/abstention-and-sets.js";
import { metricsOfDecisions } from "./decisions/metrics.js";
import { bestCascades } from "./deep-cascades/best.js";
import { table1 } from "./deep-cascades/table-1.js";
import { table41 } from "./deep-cascades-perceptron/table-4-1.js";
import { table42 } from "./deep-cascades-perceptron/table-4-2.js";
import type { Experiment } from "./experiment.js";
import { marginForestMargins } from "./margin-forest/margins.js";
import { marginForestTable } from "./margin-forest/table.js";
import { oracleAdaBoost } from "./model-selection/adaboost.js";
import { certificates } from "./model-selection/certificates.js";
import { heldOutCoverage } from "./model-selection/held-out-coverage.js";
import { logisticModels } from "./model-selection/logistic-models.js";
import { oracleNetworks } from "./model-selection/networks.js";
import { pretraining } from "./model-selection/pretraining.js";
import { trainingError } from "./model-selection/training-error.js";
import { learnedHierarchies } from "./relaxed-hierarchy/hierarchies.js";
import { hierarchyTradeoff } from "./relaxed-hierarchy/tradeoff.js";

/** Every experiment, in the order of the results in the documentation. */
export const experiments: readonly Experiment[] = [
  trainingError,
  oracleAdaBoost,
  oracleNetworks,
  pretraining,
  heldOutCoverage,
  certificates,
  logisticModels,
  table1,
  bestCascades,
  table41,
  table42,
  marginForestTable,
  marginForestMargins,
  hierarchyTradeoff,
  learnedHierarchies,
  automaticChoice,
  certificateCoverage,
  voteWeights,
  boundedMeans,
  certificateWatch,
  abstentionAndSets,
  calibrationLogLoss,
  metricsOfDecisions,
];

/** Finds an experiment by name; throws with a suggestion if the name is unknown. */
export function experimentNamed(name: string): Experiment {
  const found = experiments.find((experiment) => experiment.name === name);
  if (found) return found;
  const names = experiments.map((experiment) => experiment.name);
  throw new VouchError("option/unknown", `Unknown experiment "${name}".`, {
    hint: didYouMean(name, names) ?? `There are ${names.join(", ")}.`,
  });
}
