import { constants } from "node:buffer";
import { writeFileAtomic } from "../runtime/files/write-file.js";
import { readableBytes, reserveMemory } from "../runtime/memory-limit.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Classifier } from "./classifier.js";
import type { LibsvmImportOptions } from "./libsvm.js";
import { type LoadOptions, readModel, serialisedPieces } from "./model-file.js";
import { withFileReader } from "./read-file.js";

/** Writes a classifier to a file, completely or not at all. */
export async function saveModel(path: string, classifier: Classifier): Promise<void> {
  await writeFileAtomic(path, await serialisedPieces(classifier));
}

/** Reads a classifier from a file; errors name the file. */
export async function loadModel(path: string, options: LoadOptions = {}): Promise<Classifier> {
  return withFileReader(path, async (reader) => {
    try {
      return await readModel(reader, options);
    } catch (error) {
      if (!(error instanceof VouchError) || error.message.startsWith(path)) throw error;
      throw new VouchError(error.code, `${path}: ${error.message}`, { hint: error.hint, cause: error.cause });
    }
  });
}

/** Reads a classifier from a LIBSVM model file; errors name the file. */
export async function loadLibsvmModel(
  path: string,
  options: Omit<LibsvmImportOptions, "name"> = {},
): Promise<Classifier> {
  const text = await readText(path);
  // Loaded lazily: it loads kernel machines, which most programs do not need.
  const { importLibsvm } = await import("./libsvm.js");
  return importLibsvm(text, { ...options, name: path });
}

async function readText(path: string): Promise<string> {
  return withFileReader(path, async (reader) => {
    if (reader.length > constants.MAX_STRING_LENGTH) {
      const most = readableBytes(constants.MAX_STRING_LENGTH);
      throw new VouchError(
        "data/too-large",
        `${path} has ${readableBytes(reader.length)}, but a LIBSVM model may have at most ${most}.`,
      );
    }
    reserveMemory(path, 2 * reader.length);
    return new TextDecoder().decode(await reader.next(reader.length));
  });
}
