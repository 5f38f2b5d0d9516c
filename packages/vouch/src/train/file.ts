import { readFile } from "node:fs/promises";
import { VouchError } from "../runtime/vouch-error.js";
import type { Classifier } from "./classifier.js";
import type { LibsvmImportOptions } from "./libsvm.js";
import { deserialise, type LoadOptions, serialise } from "./model-file.js";
import { explained } from "./system-error.js";
import { writeFileAtomic } from "./write-file.js";

/** Writes a classifier to a file, completely or not at all. */
export async function saveModel(path: string, classifier: Classifier): Promise<void> {
  await writeFileAtomic(path, await serialise(classifier));
}

/** Reads a classifier from a file; errors name the file. */
export async function loadModel(path: string, options: LoadOptions = {}): Promise<Classifier> {
  const bytes = await readWhole(path);
  try {
    return await deserialise(bytes, options);
  } catch (error) {
    if (!(error instanceof VouchError)) throw error;
    throw new VouchError(error.code, `${path}: ${error.message}`, { hint: error.hint, cause: error.cause });
  }
}

/** Reads a classifier from a LIBSVM model file; errors name the file. */
export async function loadLibsvmModel(
  path: string,
  options: Omit<LibsvmImportOptions, "name"> = {},
): Promise<Classifier> {
  const text = new TextDecoder().decode(await readWhole(path));
  // It loads kernel machines, which most programs that load models do without.
  const { importLibsvm } = await import("./libsvm.js");
  return importLibsvm(text, { ...options, name: path });
}

async function readWhole(path: string): Promise<Uint8Array> {
  return explained(path, "read", () => readFile(path));
}
