import { VouchError } from "../error.js";

/** The error of a model file whose content is not what a model file holds. The message says what is wrong. */
export function corrupt(message: string, cause?: unknown): VouchError {
  return new VouchError("model/corrupt", message, {
    hint: "The file is damaged: copy it again, or train the model again.",
    cause,
  });
}
