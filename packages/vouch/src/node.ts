/**
 * Save and load models as files; for Node only.
 *
 * @packageDocumentation
 */
export { loadLibsvmModel, loadModel, saveModel, writeFileAtomic } from "./train/file.js";
