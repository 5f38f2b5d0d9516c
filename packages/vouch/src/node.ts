/**
 * Save and load models as files; for Node only.
 *
 * @packageDocumentation
 */
// Model files
export { loadLibsvmModel, loadModel, saveModel } from "./train/file.js";
// Writing files
export { onTemporaryPath, type TemporaryPathListener, withTemporaryPath } from "./train/temporary-files.js";
export { writeFileAtomic } from "./train/write-file.js";
