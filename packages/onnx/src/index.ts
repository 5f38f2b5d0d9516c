/**
 * Write trained classifiers as ONNX files, which other languages and runtimes can use.
 *
 * @packageDocumentation
 */

export { exportOnnx, type OnnxFile, type OnnxVersions } from "./export-onnx.js";
