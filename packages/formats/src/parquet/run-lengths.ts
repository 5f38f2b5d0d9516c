/** Values of up to this many bits are unpacked with 32-bit integers. */
const NARROW_BITS = 24;

/**
 * Decodes `count` values of `width` bits from runs, which repeat a value or pack values bit by bit. Runs may extend
 * beyond the last value.
 */
export function decodeRuns(bytes: Uint8Array, width: number, count: number): Int32Array {
  if (width > 32) throw new Error(`values of ${width} bits are not allowed`);
  const values = new Int32Array(count);
  const runs = new RunReader(bytes);
  for (let filled = 0; filled < count; ) {
    const head = runs.number();
    const length = head >>> 1;
    const wanted = Math.min(count - filled, head & 1 ? 8 * length : length);
    const part = values.subarray(filled, filled + wanted);
    if (head & 1) runs.unpack(part, width, length * width);
    else part.fill(runs.littleEndian(Math.ceil(width / 8)));
    filled += wanted;
  }
  return values;
}

class RunReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads a varint of up to 32 bits. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.littleEndian(1);
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    throw new Error("a run is longer than 2³¹ values");
  }

  littleEndian(bytes: number): number {
    if (this.#at + bytes > this.#bytes.length) throw new Error("its runs end too early");
    let value = 0;
    for (let i = 0; i < bytes; i++) value |= this.#bytes[this.#at++] << (8 * i);
    return value;
  }

  /** Unpacks values, and skips all bytes of their run. The last run of a page may be truncated. */
  unpack(values: Int32Array, width: number, runBytes: number): void {
    if (this.#at + Math.ceil((values.length * width) / 8) > this.#bytes.length) {
      throw new Error("its runs end too early");
    }
    if (width <= NARROW_BITS) unpackNarrow(this.#bytes, this.#at, values, width);
    else unpackWide(this.#bytes, this.#at, values, width);
    this.#at += runBytes;
  }
}

function unpackNarrow(bytes: Uint8Array, from: number, values: Int32Array, width: number): void {
  const mask = 2 ** width - 1;
  let at = from;
  let buffered = 0;
  let bits = 0;
  for (let i = 0; i < values.length; i++) {
    for (; bits < width; bits += 8) buffered |= bytes[at++] << bits;
    values[i] = buffered & mask;
    buffered >>>= width;
    bits -= width;
  }
}

/** Unpacks with doubles, which hold the up to 39 bits of a value and the start of the next one. */
function unpackWide(bytes: Uint8Array, from: number, values: Int32Array, width: number): void {
  const size = 2 ** width;
  let at = from;
  let buffered = 0;
  let bits = 0;
  for (let i = 0; i < values.length; i++) {
    for (; bits < width; bits += 8) buffered += bytes[at++] * 2 ** bits;
    values[i] = buffered % size;
    buffered = Math.floor(buffered / size);
    bits -= width;
  }
}
