const KINDS = [
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
] as const;

/** Copies plain data and replaces arrays on shared memory, which IndexedDB cannot store. */
export function unshared<Data>(data: Data): Data;
export function unshared(data: unknown): unknown {
  if (typeof SharedArrayBuffer === "undefined" || typeof data !== "object" || data === null) return data;
  if (ArrayBuffer.isView(data)) return ownArray(data);
  if (Array.isArray(data)) return data.map((item) => unshared(item));
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, unshared(value)]));
}

function ownArray(array: ArrayBufferView): ArrayBufferView {
  if (!(array.buffer instanceof SharedArrayBuffer)) return array;
  for (const Kind of KINDS) if (array instanceof Kind) return Kind.from(array);
  throw new TypeError("An array on shared memory has an unexpected type.");
}
