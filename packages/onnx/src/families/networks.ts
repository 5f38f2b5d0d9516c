import { dbn } from "@vouch/core/internal/learners/net/dbn";
import { mlp } from "@vouch/core/internal/learners/net/mlp";
import type { NetworkModel } from "@vouch/core/internal/learners/net/network";
import { sae } from "@vouch/core/internal/learners/net/sae";
import { type Exporter, exporterOf, matrixOf } from "../exporter.js";
import type { FeatureTensor } from "../features.js";
import type { Graph, Value } from "../graph.js";

const OPERATORS = { sigmoid: "Sigmoid", tanh: "Tanh", relu: "Relu" } as const;

/** Exporters of networks of dense layers, in single precision as in the library. */
export const networkExporters: Readonly<Record<string, Exporter>> = {
  mlp: exporterOf(mlp, networkScores),
  sae: exporterOf(sae, networkScores),
  dbn: exporterOf(dbn, networkScores),
};

function networkScores(graph: Graph, model: NetworkModel, features: FeatureTensor) {
  const { weights, activation, inputLimit } = model;
  let units = graph.cast(matrixOf(features).values, "float");
  if (inputLimit !== undefined) {
    units = graph.max(graph.min(units, graph.floats([inputLimit], [])), graph.floats([-inputLimit], []));
  }
  for (const [l, values] of weights.weights.entries()) {
    const [inputs, outputs] = [weights.sizes[l], weights.sizes[l + 1]];
    units = graph.op(
      "Gemm",
      [units, graph.floats(values, [outputs, inputs]), graph.floats(weights.biases[l])],
      { transB: { kind: "int", value: 1 } },
    );
    if (l + 1 < weights.weights.length) units = graph.op(OPERATORS[activation], [units]);
  }
  return outputsOf(graph, graph.cast(units, "double"), weights.sizes[weights.sizes.length - 1]);
}

/** Decides by the outputs before softmax, because probabilities of clear rows may be equal. */
function outputsOf(graph: Graph, sums: Value, units: number) {
  if (units > 1) return { scores: graph.softmax(sums), predictions: graph.argMax(sums) };
  const one = graph.double(1);
  const probability = (value: Value) => graph.div(one, graph.add(graph.op("Exp", [value]), one));
  const isSecond = graph.op("Greater", [graph.reshape(sums, [-1]), graph.double(0)]);
  return {
    scores: graph.concat([probability(sums), probability(graph.op("Neg", [sums]))]),
    predictions: graph.cast(isSecond, "int64"),
  };
}
