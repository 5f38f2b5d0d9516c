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

/** A tensor of a model file as it is stored; shape and type need not agree with the bytes. */
export interface StoredTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** The two halves of a model file: the JSON description, and the tensors by name. */
export interface FileParts {
  readonly content: Content;
  readonly tensors: ReadonlyMap<string, StoredTensor>;
}

/** Takes a model file apart. */
export function fileParts(bytes: Uint8Array): FileParts {
  const { __metadata__: metadata, ...entries } = headerOf(bytes);
  const start = 8 + headerLength(bytes);
  const tensors = new Map<string, StoredTensor>();
  for (const [name, entry] of Object.entries(entries)) {
    const { dtype, shape, data_offsets: offsets } = Object(entry);
    tensors.set(name, { dtype, shape, bytes: bytes.slice(start + offsets[0], start + offsets[1]) });
  }
  return { content: JSON.parse(Object(metadata).vouch), tensors };
}

/** Types in the order in which files have them: those with the strictest alignment first. */
const TYPES = ["U64", "F64", "F32", "U32", "I32", "I8", "U8"];

/** Puts a model file together, with the digest that its content has. */
export async function fileOf({ content, tensors }: FileParts): Promise<Uint8Array<ArrayBuffer>> {
  const ordered = [...tensors].sort(
    ([a, { dtype: typeOfA }], [b, { dtype: typeOfB }]) =>
      TYPES.indexOf(typeOfA) - TYPES.indexOf(typeOfB) || (a < b ? -1 : 1),
  );
  const header: Content = { __metadata__: { sha256: "0".repeat(64), vouch: JSON.stringify(content) } };
  let offset = 0;
  for (const [name, { dtype, shape, bytes }] of ordered) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
  }
  const text = JSON.stringify(header);
  const padding = " ".repeat((8 - (new TextEncoder().encode(text).length % 8)) % 8);
  const empty = new Uint8Array(8 + offset);
  let place = 8;
  for (const [, { bytes }] of ordered) {
    empty.set(bytes, place);
    place += bytes.length;
  }
  return withDigest(withHeader(empty, text + padding));
}
