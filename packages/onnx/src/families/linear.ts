import type { Hyperplanes } from "@vouch/core/internal/learners/linear/hyperplanes";
import { linearSvm } from "@vouch/core/internal/learners/linear/linear-svm";
import { logistic } from "@vouch/core/internal/learners/logistic/logistic";
import {
  type Exporter,
  exporterOf,
  matrixOf,
  placedScores,
  scoreBelowAll,
  twoProbabilities,
} from "../exporter.js";
import type { FeatureTensor } from "../features.js";
import type { Graph, Value } from "../graph.js";
import { transposed, twoSignedScores } from "./kernels.js";

function planeValues(graph: Graph, { weights, biases }: Hyperplanes, features: FeatureTensor): Value {
  const products = graph.product(matrixOf(features).values, transposed(graph, weights));
  return graph.add(products, graph.doubles(biases, [1, biases.length]));
}

/** Exporters of linear models. */
export const linearExporters: Readonly<Record<string, Exporter>> = {
  "linear-svm": exporterOf(linearSvm, (graph, { machines, trained, classes }, features) => {
    const values = planeValues(graph, machines, features);
    const own = machines.biases.length === 1 ? twoSignedScores(graph, values) : values;
    return { scores: placedScores(graph, own, trained, classes.length, () => scoreBelowAll(graph, own)) };
  }),
  logistic: exporterOf(logistic, (graph, { outputs, trained, classes }, features) => {
    const values = planeValues(graph, outputs, features);
    const own = outputs.biases.length === 1 ? twoProbabilities(graph, values) : graph.softmax(values);
    const zero = () => graph.mul(graph.columns(own, [0]), graph.double(0));
    return { scores: placedScores(graph, own, trained, classes.length, zero) };
  }),
};
