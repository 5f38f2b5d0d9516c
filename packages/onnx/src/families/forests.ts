import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { type ForestModel, forest, randomTrees } from "@vouch/core/internal/learners/forest/forest";
import { tree } from "@vouch/core/internal/learners/tree/tree";
import { binnedOf, type Exporter, exporterOf, twoProbabilities } from "../exporter.js";
import type { FeatureTensor } from "../features.js";
import type { Graph } from "../graph.js";
import { narrowInput, walkTrees } from "./trees.js";

function meanOfTrees(graph: Graph, { trees }: Pick<ForestModel, "trees">, features: FeatureTensor) {
  const sums = walkTrees(graph, trees, narrowInput(graph, trees, binnedOf(features)));
  return { scores: graph.div(graph.cast(sums, "double"), graph.double(trees.trees)) };
}

/** Exporters of models that average or add trees. */
export const forestExporters: Readonly<Record<string, Exporter>> = {
  tree: exporterOf(tree, meanOfTrees),
  forest: exporterOf(forest, meanOfTrees),
  "random-trees": exporterOf(randomTrees, meanOfTrees),
  "boosted-trees": exporterOf(boostedTrees, (graph, { trees, base }, features) => {
    const sums = walkTrees(graph, trees, narrowInput(graph, trees, binnedOf(features)));
    const margins = graph.add(graph.cast(sums, "double"), graph.doubles(base, [1, base.length]));
    return { scores: base.length === 1 ? twoProbabilities(graph, margins) : graph.softmax(margins) };
  }),
};
