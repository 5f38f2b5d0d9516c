/**
 * Save and load models as files, and sign files; for Node only.
 *
 * @packageDocumentation
 */
// Model files

export { loadLibsvmModel, loadModel, saveModel } from "./train/file.js";

// Signatures

export { type FileSignature, type SignatureFiles, signFile, verifyFile } from "./train/signature.js";

// Also here

export { writeFileAtomic } from "./runtime/write-file.js";
