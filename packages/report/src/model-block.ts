import { packTrees } from "@vouch/core/internal/train/pack-trees";
import { toBase64 } from "@vouch/views";

/** ID of the element with the packed model file. */
export const MODEL_ID = "model-file";

/** Maximum length of an embedded model; the page is then about 10 MB. */
const MOST_LETTERS = 9_500_000;

/** Packs a model file losslessly as text: gzip, then base64. A model with many trees shrinks to about a quarter. */
export async function packModel(model: Uint8Array): Promise<string> {
  return toBase64(await piped(packTrees(model), new CompressionStream("gzip")));
}

/** Checks whether a packed model is small enough for a page. */
export function fitsPage(packed: string): boolean {
  return packed.length <= MOST_LETTERS;
}

/** Renders the element with a packed model for the script of the page. */
export function modelBlock(packed: string): string {
  return `<script id="${MODEL_ID}" type="text/plain">${packed}</script>`;
}

/** Pipes bytes through a compression or decompression stream. */
export async function piped(
  bytes: Uint8Array,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
