/** Typed arrays that tasks can exchange, by their type byte. The order is part of the format. */
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

export type PassedArray = InstanceType<(typeof KINDS)[number]>;

/** Returns the type number of a value; undefined if it is not such a typed array. */
export function arrayKind(value: object): number | undefined {
  if (!ArrayBuffer.isView(value)) return undefined;
  const kind = KINDS.findIndex((each) => value instanceof each);
  return kind < 0 ? undefined : kind;
}

export function isPassedArray(value: unknown): value is PassedArray {
  return typeof value === "object" && value !== null && arrayKind(value) !== undefined;
}

/**
 * Creates a typed array on a buffer; undefined if the type is unknown or the length is not a whole number of elements.
 */
export function arrayOfKind(kind: number, buffer: ArrayBufferLike): PassedArray | undefined {
  const made: (new (buffer: ArrayBufferLike) => PassedArray) & { BYTES_PER_ELEMENT: number } = KINDS[kind];
  return made && buffer.byteLength % made.BYTES_PER_ELEMENT === 0 ? new made(buffer) : undefined;
}

/** Returns the bytes of a typed array, without a copy. */
export function viewBytes({ buffer, byteOffset, byteLength }: PassedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
