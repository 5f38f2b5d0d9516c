type Content = Record<string, unknown>;

function headerLength(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
}

/** The header of a model file as JSON. */
export function headerOf(bytes: Uint8Array): Content {
  return JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + headerLength(bytes))));
}

/** The file with another header text; the tensors stay as they are. */
export function withHeader(bytes: Uint8Array, header: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(header);
  const tensors = bytes.subarray(8 + headerLength(bytes));
  const edited = new Uint8Array(8 + text.length + tensors.length);
  new DataView(edited.buffer).setBigUint64(0, BigInt(text.length), true);
  edited.set(text, 8);
  edited.set(tensors, 8 + text.length);
  return edited;
}

/** The file with another JSON description of the model. */
export function editContent(bytes: Uint8Array, edit: (content: Content) => Content): Uint8Array<ArrayBuffer> {
  const header = headerOf(bytes);
  const metadata: Content = Object(header.__metadata__);
  const vouch = JSON.stringify(edit(JSON.parse(String(metadata.vouch))));
  return withHeader(bytes, JSON.stringify({ ...header, __metadata__: { ...metadata, vouch } }));
}

/** The file with a digest that is right again, computed independently of the library. */
export async function withDigest(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const start = 8 + '{"__metadata__":{"sha256":"'.length;
  const corrected = new Uint8Array(bytes);
  if (corrected.length < start + 64) return corrected;
  corrected.fill("0".charCodeAt(0), start, start + 64);
  const digest = await crypto.subtle.digest("SHA-256", corrected);
  corrected.set(new TextEncoder().encode(Buffer.from(digest).toString("hex")), start);
  return corrected;
}
