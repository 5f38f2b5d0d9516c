import { toBase64 } from "@vouch/views";

/** The element that holds the packed model file of a page. */
export const MODEL_ID = "model-file";

/** Letters of the largest packed model that is put into a page: such a page has about 10 MB. */
const MOST_LETTERS = 9_000_000;

/** Packs a model file as text: gzip, then base64. A model of many trees shrinks to about a third of its bytes. */
export async function packModel(model: Uint8Array): Promise<string> {
  return toBase64(await piped(model, new CompressionStream("gzip")));
}

/** Unpacks the bytes of a model file. */
export function unpackModel(packed: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  return piped(bytes, new DecompressionStream("gzip"));
}

/** Tells whether a packed model is small enough for a page. */
export function fitsPage(packed: string): boolean {
  return packed.length <= MOST_LETTERS;
}

/** Writes the element with a packed model, where the script of the page finds it. */
export function modelBlock(packed: string): string {
  return `<script id="${MODEL_ID}" type="text/plain">${packed}</script>`;
}

async function piped(
  bytes: Uint8Array,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
