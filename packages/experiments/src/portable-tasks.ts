/** Tasks of experiments for workers of a cluster: their ids, and how to load their modules. */
export const experimentTasks: Readonly<Record<string, () => Promise<unknown>>> = {
  "experiments/calibrated-trial": () => import("./calibration/calibrated-trial.js"),
  "experiments/report-split": () => import("./deep-cascades-perceptron/report-split.js"),
  "experiments/rotation-fold": () => import("./deep-cascades/rotation-fold.js"),
  "experiments/contender-fold": () => import("./deep-cascades/contender-fold.js"),
  "experiments/certified-split": () => import("./model-selection/held-out-coverage.js"),
  "experiments/certified-model": () => import("./model-selection/certified-models.js"),
  "experiments/oracle-trial": () => import("./model-selection/oracle-trial.js"),
  "experiments/certificate-coverage": () => import("./certificates/simulated-runs.js"),
  "experiments/certificate-adversaries": () => import("./certificates/adversaries/simulated-source.js"),
};
