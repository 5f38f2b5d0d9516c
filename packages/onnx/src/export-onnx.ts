import type { Classifier } from "vouch";
import { decide } from "./decide.js";
import { encodeRows } from "./encode-rows.js";
import { exportScores } from "./exporters.js";
import { Graph, ML_DOMAIN } from "./graph.js";
import { metadataOf } from "./metadata.js";
import { encodeModel } from "./onnx-model.js";
import { RawColumns } from "./raw-columns.js";

/** The versions that exported models need: ONNX Runtime 1.17 and later have them. */
export const ONNX_VERSIONS = { ir: 9, operators: 20, mlOperators: 3, runtime: "1.17" } as const;

/**
 * Writes a classifier as an ONNX model: raw columns in; label, probabilities and scores out. The same classifier gives the same
 * bytes. Throws if the learner or a column cannot be exported, with the reason.
 */
export function exportOnnx(classifier: Classifier): Uint8Array {
  const { encoder, model, decision } = classifier;
  const graph = new Graph();
  const features = encodeRows(graph, encoder.steps(), new RawColumns(graph, encoder.schema.columns));
  decide(graph, decision, exportScores(graph, model, features), model);
  return encodeModel({
    irVersion: ONNX_VERSIONS.ir,
    operatorSets: { "": ONNX_VERSIONS.operators, [ML_DOMAIN]: ONNX_VERSIONS.mlOperators },
    producer: { name: "vouch", version: classifier.card.vouch },
    description: `A ${model.learner} classifier of "${encoder.schema.target}".`,
    graph: graph.finished("classifier"),
    metadata: metadataOf(classifier),
  });
}
