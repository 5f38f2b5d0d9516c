import { perceptron } from "@vouch/core/internal/learners/perceptron/perceptron";
import { type SvmModel, svm } from "@vouch/core/internal/learners/svm/svm";
import { type Exporter, exporterOf, matrixOf, placedScores } from "../exporter.js";
import type { FeatureTensor } from "../features.js";
import type { Graph } from "../graph.js";
import { expansionValues, twoSignedScores } from "./kernels.js";
import { coupled, pairValues, scoresOfPair, sigmoidProbabilities, voteScores } from "./pairs.js";

/** Exporters of models with one kernel machine, or one for each pair of classes. */
export const kernelMachineExporters: Readonly<Record<string, Exporter>> = {
  perceptron: exporterOf(perceptron, (graph, { machine }, features) => ({
    scores: twoSignedScores(graph, expansionValues(graph, machine, matrixOf(features).values)),
  })),
  svm: exporterOf(svm, (graph, model, features) => ({ scores: svmScores(graph, model, features) })),
};

function svmScores(graph: Graph, { machines, trained, classes }: SvmModel, features: FeatureTensor) {
  const { sigmoids } = machines;
  const values = pairValues(graph, machines, matrixOf(features).values);
  const count = trained.length;
  const own = sigmoids
    ? coupled(graph, sigmoidProbabilities(graph, sigmoids, values), count)
    : count === 2
      ? scoresOfPair(graph, values)
      : voteScores(graph, values, count, "first");
  return placedScores(graph, own, trained, classes.length, () =>
    graph.min(graph.smallest(own), graph.double(0)),
  );
}
