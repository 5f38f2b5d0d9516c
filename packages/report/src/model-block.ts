import { toBase64 } from "@vouch/views";

/** The element that holds the model file of a page. */
export const MODEL_ID = "model-file";

/** Largest model file that is put into a page, in bytes. */
const MOST_BYTES = 5_000_000;

/** Tells whether a model file is small enough for a page. */
export function fitsPage(model: Uint8Array): boolean {
  return model.length <= MOST_BYTES;
}

/** Reads bytes from base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Writes the element with a model file, where the script of the page finds it. */
export function modelBlock(model: Uint8Array): string {
  return `<script id="${MODEL_ID}" type="text/plain">${toBase64(model)}</script>`;
}
