import type { BinaryMachines } from "@vouch/core/internal/learners/multiclass/binary-machines";
import {
  dagSvm,
  type MulticlassModel,
  oneVsOne,
  oneVsRest,
} from "@vouch/core/internal/learners/multiclass/multiclass";
import { type Exporter, exporterOf, matrixOf, placedScores, scoreBelowAll } from "../exporter.js";
import type { FeatureTensor } from "../features.js";
import type { Graph, Value } from "../graph.js";
import {
  classPairs,
  clipped,
  coupled,
  pairValues,
  scoresOfPair,
  shareOfVote,
  sigmoidProbabilities,
  voteScores,
} from "./pairs.js";

type Scheme = (graph: Graph, machines: BinaryMachines, values: Value, classes: number) => Value;

/** Creates the exporters of classifiers made of two-class machines, which `exportMachine` exports. */
export function multiclassExporters(exportMachine: Exporter): Readonly<Record<string, Exporter>> {
  const exportWith = (scheme: Scheme) => (graph: Graph, model: MulticlassModel, features: FeatureTensor) => {
    const { machines, trained, classes, scoring } = model;
    const values = machineValues(graph, machines, features, exportMachine);
    const own = scheme(graph, machines, values, trained.length);
    const ofOthers = () =>
      scoring === "decision"
        ? scoreBelowAll(graph, own)
        : graph.mul(graph.columns(own, [0]), graph.double(0));
    return { scores: placedScores(graph, own, trained, classes.length, ofOthers) };
  };
  return {
    "one-vs-one": exporterOf(oneVsOne, exportWith(oneVsOneScores)),
    "one-vs-rest": exporterOf(oneVsRest, exportWith(oneVsRestScores)),
    "dag-svm": exporterOf(dagSvm, exportWith(dagScores)),
  };
}

/** Adds the values of all machines, [rows, machines]: positive for the first side, negative for the second, never 0. */
function machineValues(
  graph: Graph,
  machines: BinaryMachines,
  features: FeatureTensor,
  exportMachine: Exporter,
): Value {
  if ("model" in machines) {
    const { machines: pairs } = machines.model;
    const values = pairValues(graph, pairs, matrixOf(features).values);
    const decisions = pairs.sigmoids
      ? graph.sub(sigmoidProbabilities(graph, pairs.sigmoids, values), graph.double(0.5))
      : values;
    return withoutZeros(graph, decisions, -Number.MIN_VALUE);
  }
  const differences = machines.models.map((model) => {
    const { scores } = exportMachine(graph, model, features);
    const difference = graph.sub(graph.columns(scores, [0]), graph.columns(scores, [1]));
    return graph.div(difference, graph.double(2));
  });
  return withoutZeros(graph, graph.concat(differences), Number.MIN_VALUE);
}

function withoutZeros(graph: Graph, values: Value, instead: number): Value {
  return graph.where(graph.op("Equal", [values, graph.double(0)]), graph.double(instead), values);
}

function oneVsOneScores(graph: Graph, { scoring }: BinaryMachines, values: Value, classes: number): Value {
  if (scoring === "decision") {
    return classes === 2 ? scoresOfPair(graph, values) : voteScores(graph, values, classes, "sum");
  }
  const probabilities = graph.add(values, graph.double(0.5));
  if (classes > 2) return coupled(graph, clipped(graph, probabilities), classes);
  const share = graph.min(graph.max(probabilities, graph.double(0)), graph.double(1));
  return coupled(graph, share, classes);
}

function oneVsRestScores(graph: Graph, machines: BinaryMachines, values: Value, classes: number): Value {
  if (classes === 2) return oneVsOneScores(graph, machines, values, classes);
  if (machines.scoring === "decision") return values;
  const shares = graph.max(graph.add(values, graph.double(0.5)), graph.double(0));
  const sum = graph.sum(shares);
  const isPositive = graph.op("Greater", [sum, graph.double(0)]);
  const divided = graph.div(shares, graph.where(isPositive, sum, graph.double(1)));
  return graph.where(isPositive, divided, graph.double(1 / classes));
}

/** Scores classes by the path of a row through the decision DAG, whose nodes are pairs of a first and a last class. */
function dagScores(graph: Graph, _: BinaryMachines, values: Value, classes: number): Value {
  const pairs = classPairs(classes);
  const cells: Value[] = Array.from({ length: classes }, () => graph.double(Number.POSITIVE_INFINITY));
  let reached: (Value | undefined)[] = [undefined];
  for (let places = classes - 1; places > 0; places--) {
    const next: (Value | undefined)[] = Array.from({ length: reached.length + 1 }, () => undefined);
    const reach = (node: number, goes: Value) => {
      const known = next[node];
      next[node] = known === undefined ? goes : graph.op("Or", [known, goes]);
    };
    for (const [first, here] of reached.entries()) {
      const last = first + places;
      const machine = pairs.findIndex((pair) => pair.first === first && pair.second === last);
      const value = graph.columns(values, [machine]);
      const isFirst = graph.op("Greater", [value, graph.double(0)]);
      const size = graph.op("Abs", [value]);
      const share = shareOfVote(graph, size);
      const lost = graph.sub(graph.double(classes - 1 - places), share);
      const both = (condition: Value) =>
        here === undefined ? condition : graph.op("And", [here, condition]);
      const firstWins = both(isFirst);
      const lastWins = both(graph.op("Not", [isFirst]));
      for (const [k, wins, loses] of [
        [first, firstWins, lastWins],
        [last, lastWins, firstWins],
      ] as const) {
        const kept = graph.where(wins, graph.min(cells[k], size), cells[k]);
        cells[k] = graph.where(loses, lost, kept);
      }
      reach(first, firstWins);
      reach(first + 1, lastWins);
    }
    reached = next;
  }
  const finished = cells.map((cell, k) => {
    const wins = reached[k];
    if (wins === undefined) throw new TypeError(`Class ${k} is on no path.`);
    return graph.where(wins, graph.add(shareOfVote(graph, cell), graph.double(classes - 1)), cell);
  });
  return graph.concat(finished);
}
