import type { Model } from "@vouch/core/internal/learners/model";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { BinnedTensor, FeatureTensor, MatrixTensor } from "./features.js";
import type { Graph, Value } from "./graph.js";

/** Scores of a model in a graph, and its predictions if they are not simply the largest scores. */
export interface ModelScores {
  /** Doubles, [rows, classes]. */
  readonly scores: Value;
  /** Class indices, [rows]. */
  readonly predictions?: Value;
}

/** Adds the computation of a model's scores to a graph. */
export type Exporter = (graph: Graph, model: Model, features: FeatureTensor) => ModelScores;

/** Creates an exporter for the models of a learner. */
export function exporterOf<M extends Model>(
  kind: { readonly name: string; made(model: Model): model is M },
  write: (graph: Graph, model: M, features: FeatureTensor) => ModelScores,
): Exporter {
  return (graph, model, features) => {
    if (kind.made(model)) return write(graph, model, features);
    throw new TypeError(`A model of ${model.learner} is not one of ${kind.name}.`);
  };
}

/** Returns features as numbers. Throws on other features, which no model from a file has. */
export function matrixOf(features: FeatureTensor): MatrixTensor {
  if (features.kind === "matrix") return features;
  throw wrongFeatures("numbers", features);
}

/** Returns features as bins. Throws on other features, which no model from a file has. */
export function binnedOf(features: FeatureTensor): BinnedTensor {
  if (features.kind === "binned") return features;
  throw wrongFeatures("bins", features);
}

function wrongFeatures(expected: string, { kind }: FeatureTensor): VouchError {
  return new VouchError(
    "model/corrupt",
    `The model takes ${expected}, but its encoder makes ${kind} features.`,
  );
}

/**
 * Puts the scores of trained classes among the scores of all classes; classes without training rows get a computed
 * score.
 */
export function placedScores(
  graph: Graph,
  own: Value,
  trained: readonly number[],
  classes: number,
  ofOthers: () => Value,
): Value {
  if (trained.length === classes) return own;
  const joined = graph.concat([own, ofOthers()]);
  const places = Array.from({ length: classes }, (_, k) => {
    const place = trained.indexOf(k);
    return place < 0 ? trained.length : place;
  });
  return graph.columns(joined, places);
}

/** Computes a score below all scores of a row, as a column. */
export function scoreBelowAll(graph: Graph, scores: Value): Value {
  const lowest = graph.smallest(scores);
  return graph.sub(graph.sub(lowest, graph.double(1)), graph.op("Abs", [lowest]));
}

/**
 * Computes 1 / (1 + exp(−x)) from the smaller of the two probabilities, without loss of precision; returns columns for
 * −x and x.
 */
export function twoProbabilities(graph: Graph, margin: Value): Value {
  const smaller = graph.op("Exp", [graph.op("Neg", [graph.op("Abs", [margin])])]);
  const share = graph.div(smaller, graph.add(smaller, graph.double(1)));
  const rest = graph.sub(graph.double(1), share);
  const isPositive = graph.op("Greater", [margin, graph.double(0)]);
  return graph.concat([graph.where(isPositive, share, rest), graph.where(isPositive, rest, share)]);
}
