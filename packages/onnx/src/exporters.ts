import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Exporter } from "./exporter.js";
import { cascadeExporters } from "./families/cascades.js";
import { deepForestExporters } from "./families/deep-forests.js";
import { ensembleExporters } from "./families/ensemble.js";
import { forestExporters } from "./families/forests.js";
import { hierarchyExporters } from "./families/hierarchy.js";
import { kernelMachineExporters } from "./families/kernel-machines.js";
import { linearExporters } from "./families/linear.js";
import { multiclassExporters } from "./families/multiclass.js";
import { networkExporters } from "./families/networks.js";
import { voteExporters } from "./families/votes.js";

/** Adds the scores of a model of any learner to a graph. Throws if there is no exporter for its learner. */
export const exportScores: Exporter = (graph, model, features) => {
  const exporter = Object.hasOwn(exporters, model.learner) ? exporters[model.learner] : undefined;
  if (exporter) return exporter(graph, model, features);
  throw new VouchError(
    "learner/unsupported",
    `Models of ${model.learner} cannot be exported to ONNX: it is a custom learner, which only its own code can evaluate.`,
    { hint: "Export a model of one of vouch's own learners, or predict with vouch." },
  );
};

/** The exporter of each learner. */
export const exporters: Readonly<Record<string, Exporter>> = {
  ...voteExporters,
  ...linearExporters,
  ...kernelMachineExporters,
  ...hierarchyExporters,
  ...forestExporters,
  ...networkExporters,
  ...cascadeExporters(exportScores),
  ...deepForestExporters(exportScores),
  ...multiclassExporters(exportScores),
  ...ensembleExporters(exportScores),
};
