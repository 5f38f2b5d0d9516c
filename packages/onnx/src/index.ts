/**
 * Write trained classifiers as ONNX files, which other languages and runtimes can use.
 *
 * @packageDocumentation
 */

export { exportOnnx, ONNX_VERSIONS } from "./export-onnx.js";
export { exporters } from "./exporters.js";
