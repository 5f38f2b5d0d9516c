import type { Classifier } from "@vouch/core/internal/train/classifier";
import { addDecision } from "./decision.js";
import { encodeRows } from "./encode-rows.js";
import { exportScores } from "./exporters.js";
import { Graph, ML_DOMAIN } from "./graph.js";
import { metadataOf } from "./metadata.js";
import { encodeModel, type OnnxValue } from "./onnx-model.js";
import { PATTERN_OPERATOR, RawColumns } from "./raw-columns.js";

/** The versions of ONNX that a model needs. */
export interface OnnxVersions {
  readonly ir: number;
  readonly operators: number;
  readonly mlOperators: number;
  /** First version of ONNX Runtime that supports them. */
  readonly runtime: string;
}

const PLAIN: OnnxVersions = { ir: 8, operators: 17, mlOperators: 3, runtime: "1.14" };

/** Models whose categories are numbers match strings with a pattern. */
const WITH_PATTERNS: OnnxVersions = { ir: 9, operators: 20, mlOperators: 3, runtime: "1.17" };

/** An exported model. */
export interface OnnxFile {
  readonly bytes: Uint8Array;
  readonly versions: OnnxVersions;
  /** Names of the inputs, in the order of the model's columns. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/**
 * Writes a classifier as an ONNX model that maps raw columns to label, probabilities and scores. The same classifier
 * gives the same bytes. Throws if the learner or a column cannot be exported.
 */
export function exportOnnx(classifier: Classifier): OnnxFile {
  const { encoder, model, decision } = classifier;
  const graph = new Graph();
  const features = encodeRows(graph, encoder.steps(), new RawColumns(graph, encoder.schema.columns));
  addDecision(graph, decision, exportScores(graph, model, features), model);
  const versions = graph.uses(PATTERN_OPERATOR) ? WITH_PATTERNS : PLAIN;
  const finished = graph.finished("classifier");
  const bytes = encodeModel({
    irVersion: versions.ir,
    operatorSets: { "": versions.operators, [ML_DOMAIN]: versions.mlOperators },
    producer: { name: "vouch", version: classifier.card.vouch },
    description: `A ${model.learner} classifier of "${encoder.schema.target}".`,
    graph: finished,
    metadata: metadataOf(classifier),
  });
  const names = (values: readonly OnnxValue[]) => values.map(({ name }) => name);
  return { bytes, versions, inputs: names(finished.inputs), outputs: names(finished.outputs) };
}
