/**
 * Save and load models as files, sign files, and read large files in parts; for Node only.
 *
 * @packageDocumentation
 */

// Model files

export { loadLibsvmModel, loadModel, saveModel } from "@vouch/core/internal/train/file";

// Signatures

export {
  type FileSignature,
  type SignatureFiles,
  signFile,
  verifyFile,
} from "@vouch/core/internal/train/signature";

// Large data files

export { type ReadChunksOptions, readTableInChunks } from "@vouch/formats";
