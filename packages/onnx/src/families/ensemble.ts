import { ensemble } from "@vouch/core/internal/learners/ensemble/ensemble";
import { type Exporter, exporterOf } from "../exporter.js";
import type { FeatureTensor } from "../features.js";
import type { Graph, Value } from "../graph.js";

/** Smallest probability of a member in a log-linear pool. */
const POOLED_FLOOR = 1e-4;

/** Creates the exporter of ensembles; `exportMember` exports their members. */
export function ensembleExporters(exportMember: Exporter): Readonly<Record<string, Exporter>> {
  return {
    ensemble: exporterOf(ensemble, (graph, { members, combine, offsets }, features) => {
      const terms = members
        .filter(({ weight }) => weight !== 0)
        .map(({ model, place, temperature, weight }) => {
          const { scores } = exportMember(graph, model, partAt(features, place));
          const shares =
            model.scoring === "probability"
              ? scores
              : graph.softmax(graph.div(scores, graph.double(temperature)));
          return graph.mul(combine === "average" ? shares : logarithms(graph, shares), graph.double(weight));
        });
      const sum = terms.reduce((all, term) => graph.add(all, term));
      if (combine === "average") return { scores: sum };
      return { scores: graph.softmax(graph.add(sum, graph.doubles(offsets, [1, offsets.length]))) };
    }),
  };
}

function logarithms(graph: Graph, shares: Value): Value {
  return graph.op("Log", [graph.max(shares, graph.double(POOLED_FLOOR))]);
}

function partAt(features: FeatureTensor, place: number): FeatureTensor {
  return features.kind === "joint" ? features.parts[place] : features;
}
