/**
 * Save and load models as files; for Node only.
 *
 * @packageDocumentation
 */
// Model files

export { loadLibsvmModel, loadModel, saveModel } from "./train/file.js";

// Also here

export { writeFileAtomic } from "./train/write-file.js";
