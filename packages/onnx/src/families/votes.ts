import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import { majority } from "@vouch/core/internal/learners/majority/majority";
import { stump } from "@vouch/core/internal/learners/stump/stump";
import { binnedOf, type Exporter, exporterOf, matrixOf } from "../exporter.js";
import type { FeatureTensor } from "../features.js";
import type { Graph, Value } from "../graph.js";
import { narrowInput, walkTrees } from "./trees.js";

/**
 * Exporters of models without feature weights: the most frequent class, one threshold, and votes of weak classifiers.
 */
export const voteExporters: Readonly<Record<string, Exporter>> = {
  majority: exporterOf(majority, (graph, { frequencies }, features) => ({
    scores: graph.repeat(frequencies, anyRows(graph, features)),
  })),
  stump: exporterOf(stump, (graph, { split, leaves, classes }, features) => {
    const { values } = matrixOf(features);
    const left = graph.doubles(leaves.subarray(0, classes.length), [1, classes.length]);
    if (!split) return { scores: graph.repeat(leaves.subarray(0, classes.length), values) };
    const right = graph.doubles(leaves.subarray(classes.length), [1, classes.length]);
    const isLeft = graph.op("LessOrEqual", [
      graph.columns(values, [split.feature]),
      graph.double(split.threshold),
    ]);
    return { scores: graph.where(isLeft, left, right) };
  }),
  adaboost: exporterOf(adaboost, (graph, { voters, rounds, classes }, features) => {
    const total = rounds.reduce((sum, { alpha }) => sum + alpha, 0);
    const votes =
      voters.kind === "stumps"
        ? stumpVotes(graph, voters.stumps, rounds, classes.length, features)
        : treeVotes(graph, voters.trees, rounds, classes.length, features);
    return { scores: graph.div(votes, graph.double(total)) };
  }),
};

/** Returns a value with the right number of rows. */
function anyRows(graph: Graph, features: FeatureTensor): Value {
  if (features.kind === "matrix") return features.values;
  if (features.kind === "joint") return anyRows(graph, features.parts[0]);
  const [column] = features.columns;
  return column.kind === "numeric" ? column.numbers.values() : column.bins();
}

type Rounds = readonly { readonly alpha: number }[];
type AdaBoostVoters = Parameters<typeof adaboost.assemble>[0]["voters"];

/** Sums the votes of stumps to the left of all thresholds, and the change at each threshold. */
function stumpVotes(
  graph: Graph,
  stumps: Extract<AdaBoostVoters, { kind: "stumps" }>["stumps"],
  rounds: Rounds,
  classes: number,
  features: FeatureTensor,
): Value {
  const { values } = matrixOf(features);
  const start = new Float64Array(classes);
  for (const [t, { left }] of stumps.entries()) start[left] += rounds[t].alpha;
  const splits = stumps.flatMap(({ split, left, right }, t) =>
    split ? [{ ...split, left, right, alpha: rounds[t].alpha }] : [],
  );
  if (splits.length === 0) return graph.repeat(start, values);
  const changes = new Float64Array(splits.length * classes);
  for (const [s, { left, right, alpha }] of splits.entries()) {
    changes[s * classes + left] -= alpha;
    changes[s * classes + right] += alpha;
  }
  const isRight = graph.op("Greater", [
    graph.columns(
      values,
      splits.map(({ feature }) => feature),
    ),
    graph.doubles(
      splits.map(({ threshold }) => threshold),
      [1, splits.length],
    ),
  ]);
  const moved = graph.product(
    graph.cast(isRight, "double"),
    graph.doubles(changes, [splits.length, classes]),
  );
  return graph.add(moved, graph.doubles(start, [1, classes]));
}

function treeVotes(
  graph: Graph,
  trees: Extract<AdaBoostVoters, { kind: "trees" }>["trees"],
  rounds: Rounds,
  classes: number,
  features: FeatureTensor,
): Value {
  const chosen = walkTrees(graph, trees, narrowInput(graph, trees, binnedOf(features)), "classes");
  const alphas = graph.doubles(
    rounds.map(({ alpha }) => alpha),
    [rounds.length, 1],
  );
  const votes = Array.from({ length: classes }, (_, k) => {
    const isChosen = graph.op("Equal", [chosen, graph.floats([k], [])]);
    return graph.product(graph.cast(isChosen, "double"), alphas);
  });
  return graph.concat(votes);
}
