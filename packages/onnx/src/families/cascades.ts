import type { Gate, LeafClassifier } from "@vouch/core/internal/learners/cascade/cascade-level";
import type { CascadeModel } from "@vouch/core/internal/learners/cascade/cascade-model";
import { deepCascade } from "@vouch/core/internal/learners/cascade/deep-cascade";
import { deepCascadePerceptron, deepCascadeSvm } from "@vouch/core/internal/learners/cascade/kernel-cascades";
import { gateLimit } from "@vouch/core/internal/learners/cascade/near-gates";
import { type Exporter, exporterOf, matrixOf, placedScores, scoreBelowAll } from "../exporter.js";
import { binsOfMatrix, type FeatureTensor, type MatrixTensor } from "../features.js";
import type { Graph, Value } from "../graph.js";
import { expansionValues, twoSignedScores } from "./kernels.js";

/** Creates the exporters of deep cascades; `exportLeaf` exports the models at their leaves. */
export function cascadeExporters(exportLeaf: Exporter): Readonly<Record<string, Exporter>> {
  const write = (graph: Graph, model: CascadeModel, features: FeatureTensor) => ({
    scores: cascadeScores(graph, model, matrixOf(features), exportLeaf),
  });
  return {
    "deep-cascade": exporterOf(deepCascade, write),
    "deep-cascade-perceptron": exporterOf(deepCascadePerceptron, write),
    "deep-cascade-svm": exporterOf(deepCascadeSvm, write),
  };
}

/** Evaluates all levels on all rows; gates select the level that counts. */
function cascadeScores(
  graph: Graph,
  { levels, classes, bins }: CascadeModel,
  features: MatrixTensor,
  exportLeaf: Exporter,
): Value {
  const count = classes.length;
  const binned = bins && binsOfMatrix(features, bins);
  const scoresOf = (classifier: LeafClassifier) => {
    if (classifier.kind !== "model") return ownScores(graph, classifier, features.values, count);
    const { scores } = exportLeaf(graph, classifier.model, classifier.binned && binned ? binned : features);
    if (classifier.model.scoring === "decision") return scores;
    return graph.sub(graph.mul(scores, graph.double(2)), graph.double(1));
  };
  /** Conditions for reaching each level; undefined for all rows. */
  const reached: (Value | undefined)[] = [undefined];
  const both = (here: Value | undefined, condition: Value) =>
    here === undefined ? condition : graph.op("And", [here, condition]);
  let scores: Value | undefined;
  for (const [k, { classifier, gate, stay }] of levels.entries()) {
    const here = reached[k];
    const own =
      classifier && (stay === undefined || gate?.kind === "near") ? scoresOf(classifier) : undefined;
    const goesOn = gate && passes(graph, gate, features.values, own, count);
    if (goesOn !== undefined) reached[k + 1] = both(here, goesOn);
    const stays = goesOn === undefined ? here : both(here, graph.op("Not", [goesOn]));
    if (stay !== undefined) reached[stay] = stays;
    else if (own !== undefined) {
      scores = scores === undefined || stays === undefined ? own : graph.where(stays, own, scores);
    }
  }
  if (scores === undefined) throw new TypeError("A cascade has no leaf.");
  return scores;
}

function ownScores(
  graph: Graph,
  classifier: Exclude<LeafClassifier, { kind: "model" }>,
  features: Value,
  classes: number,
): Value {
  switch (classifier.kind) {
    case "kernel":
      return twoSignedScores(graph, expansionValues(graph, classifier.machine, features));
    case "one-vs-rest": {
      const { machines, trained } = classifier;
      const values = graph.concat(machines.map((machine) => expansionValues(graph, machine, features)));
      const own = machines.length === 1 ? twoSignedScores(graph, values) : values;
      return placedScores(graph, own, trained, classes, () => scoreBelowAll(graph, own));
    }
    case "constant":
      return graph.repeat(scoresOfClass(classifier.class, classes), features);
    case "threshold": {
      const { monomial, cut, above, below } = classifier;
      const isAbove = graph.op("Greater", [product(graph, monomial, features), graph.double(cut)]);
      const row = (k: number) => graph.doubles(scoresOfClass(k, classes), [1, classes]);
      return graph.where(isAbove, row(above), row(below));
    }
  }
}

function scoresOfClass(chosen: number, classes: number): number[] {
  return Array.from({ length: classes }, (_, k) => (k === chosen ? 1 : -1));
}

function product(graph: Graph, monomial: readonly number[], features: Value): Value {
  const factors = monomial.map((feature) => graph.columns(features, [feature]));
  return factors.reduce((all, factor) => graph.mul(all, factor));
}

/** Computes which rows a gate passes on. */
function passes(graph: Graph, gate: Gate, features: Value, own: Value | undefined, classes: number): Value {
  if (gate.kind === "threshold") {
    const isAbove = graph.op("Greater", [product(graph, gate.monomial, features), graph.double(gate.cut)]);
    return gate.above ? isAbove : graph.op("Not", [isAbove]);
  }
  if (own === undefined) throw new TypeError("A gate takes the distance from no classifier.");
  const operator = gate.edge === "closed" ? "LessOrEqual" : "Less";
  return graph.op(operator, [gap(graph, own, classes), graph.double(gateLimit(gate.threshold, gate.edge))]);
}

/** Computes half the difference of the two largest scores. */
function gap(graph: Graph, scores: Value, classes: number): Value {
  const isBest = graph.oneHot(graph.argMax(scores), classes);
  const others = graph.where(isBest, graph.double(Number.NEGATIVE_INFINITY), scores);
  const difference = graph.sub(graph.largest(scores), graph.largest(others));
  return graph.div(difference, graph.double(2));
}
