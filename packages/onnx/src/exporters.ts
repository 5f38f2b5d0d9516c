import type { Model } from "vouch";
import { VouchError } from "vouch/errors";
import type { Exporter, ScoredRows } from "./exporter.js";
import { forestExporters } from "./families/forests.js";
import { voteExporters } from "./families/votes.js";
import type { FeatureTensor } from "./features.js";
import type { Graph } from "./graph.js";

/** The exporter of each learner. */
export const exporters: Readonly<Record<string, Exporter>> = {
  ...voteExporters,
  ...forestExporters,
};

/** Adds the scores of a model to a graph. Throws if there is no exporter for its learner. */
export function exportScores(graph: Graph, model: Model, features: FeatureTensor): ScoredRows {
  const exporter = Object.hasOwn(exporters, model.learner) ? exporters[model.learner] : undefined;
  if (exporter) return exporter(graph, model, features);
  throw new VouchError(
    "learner/unsupported",
    `Models of ${model.learner} cannot be exported to ONNX: it is a custom learner, which only its own code can evaluate.`,
    { hint: "Export a model of one of vouch's own learners, or predict with vouch." },
  );
}
