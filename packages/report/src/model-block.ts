import { packTrees } from "@vouch/core/internal/train/pack-trees";
import { toBase64 } from "@vouch/views";

/** The element that holds the packed model file of a page. */
export const MODEL_ID = "model-file";

/** Letters of the largest packed model that is put into a page: such a page has about 10 MB. */
const MOST_LETTERS = 9_500_000;

/** Packs a model file as text, without loss: gzip, then base64. A model of many trees shrinks to about a quarter of its bytes. */
export async function packModel(model: Uint8Array): Promise<string> {
  return toBase64(await piped(packTrees(model), new CompressionStream("gzip")));
}

/** Checks whether a packed model is small enough for a page. */
export function fitsPage(packed: string): boolean {
  return packed.length <= MOST_LETTERS;
}

/** Writes the element with a packed model, where the script of the page finds it. */
export function modelBlock(packed: string): string {
  return `<script id="${MODEL_ID}" type="text/plain">${packed}</script>`;
}

/** Sends bytes through a stream that compresses or decompresses them. */
export async function piped(
  bytes: Uint8Array,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
