/** The typed arrays that tasks pass, by the byte that stands for each kind. The order is part of the format. */
const KINDS = [
  Uint8Array,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;

/** A typed array that tasks pass. */
export type PassedArray = InstanceType<(typeof KINDS)[number]>;

/** Finds the number of the kind of a value; undefined if it is not a typed array that tasks pass. */
export function arrayKind(value: object): number | undefined {
  if (!ArrayBuffer.isView(value)) return undefined;
  const kind = KINDS.findIndex((each) => value instanceof each);
  return kind < 0 ? undefined : kind;
}

/** Tells whether a value is a typed array that tasks pass. */
export function isPassedArray(value: unknown): value is PassedArray {
  return typeof value === "object" && value !== null && arrayKind(value) !== undefined;
}

/** Makes a typed array of a kind on bytes of its own; undefined if there is no such kind, or the bytes are not a whole number of elements. */
export function arrayOfKind(kind: number, buffer: ArrayBufferLike): PassedArray | undefined {
  const made: (new (buffer: ArrayBufferLike) => PassedArray) & { BYTES_PER_ELEMENT: number } = KINDS[kind];
  return made && buffer.byteLength % made.BYTES_PER_ELEMENT === 0 ? new made(buffer) : undefined;
}

/** Returns the bytes of a typed array, without a copy. */
export function viewBytes({ buffer, byteOffset, byteLength }: PassedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
