/** Bytes per number, and a function to read one, by the third byte of the file. */
export const IDX_TYPES: Readonly<
  Record<number, { bytes: number; read: (data: DataView, at: number) => number }>
> = {
  8: { bytes: 1, read: (data, at) => data.getUint8(at) },
  9: { bytes: 1, read: (data, at) => data.getInt8(at) },
  11: { bytes: 2, read: (data, at) => data.getInt16(at) },
  12: { bytes: 4, read: (data, at) => data.getInt32(at) },
  13: { bytes: 4, read: (data, at) => data.getFloat32(at) },
  14: { bytes: 8, read: (data, at) => data.getFloat64(at) },
};

/** Header of an IDX file: the type of its numbers and the shape of the array, whose first dimension is the rows. */
export interface IdxHeader {
  readonly type: number;
  readonly rows: number;
  /** Numbers per row. */
  readonly width: number;
  /** Size of the header in bytes. */
  readonly bytes: number;
}

/** Parses the header at the start of a file; undefined if there is none. */
export function idxHeader(bytes: Uint8Array): IdxHeader | undefined {
  if (bytes.length < 4 || bytes[0] !== 0 || bytes[1] !== 0 || !(bytes[2] in IDX_TYPES)) return undefined;
  const dimensions = bytes[3];
  const size = 4 + 4 * dimensions;
  if (dimensions < 1 || bytes.length < size) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let width = 1;
  for (let d = 1; d < dimensions; d++) width *= view.getUint32(4 + 4 * d);
  return { type: bytes[2], rows: view.getUint32(4), width, bytes: size };
}
