/** Extra bits and smallest values of the length symbols 257 … 285 (RFC 1951, §3.2.5). */
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];

/** Extra bits and smallest values of the distance symbols. */
const DISTANCE_BITS = Array.from({ length: 30 }, (_, symbol) => Math.max(0, (symbol >> 1) - 1));
const DISTANCES = DISTANCE_BITS.map((bits, symbol) => (symbol < 2 ? symbol : (2 + (symbol & 1)) << bits) + 1);

/** Order in which the lengths of the code of code lengths are stored (§3.2.7). */
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The symbol that ends a block. */
const END = 256;

/** Maximum length of a code. */
const MAX_CODE = 15;

/**
 * Decompresses DEFLATE data (RFC 1951) of a known size. It is for data of the library itself and checks nothing. Browsers have
 * only asynchronous decompression.
 */
export function inflate(data: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const output = new Uint8Array(size);
  const input = new BitReader(data);
  let written = 0;
  for (let isLast = false; !isLast; ) {
    isLast = input.bits(1) === 1;
    const kind = input.bits(2);
    if (kind === 0) {
      const stored = input.stored();
      output.set(stored, written);
      written += stored.length;
    } else {
      const codes = kind === 1 ? fixedCodes() : dynamicCodes(input);
      written = input.block(codes, output, written);
    }
  }
  return output;
}

/** A Huffman code as a table: the entry at the next bits is 16 · symbol + length of its code. */
type HuffmanCode = Uint16Array;

interface BlockCodes {
  readonly literals: HuffmanCode;
  readonly distances: HuffmanCode;
}

function fixedCodes(): BlockCodes {
  const lengths = new Uint8Array(288).fill(8).fill(9, 144, 256).fill(7, 256, 280);
  return { literals: huffmanCode(lengths), distances: huffmanCode(new Uint8Array(30).fill(5)) };
}

function dynamicCodes(input: BitReader): BlockCodes {
  const literals = input.bits(5) + END + 1;
  const lengths = new Uint8Array(literals + input.bits(5) + 1);
  const stored = input.bits(4) + 4;
  const codeLengths = new Uint8Array(CODE_LENGTH_ORDER.length);
  for (let i = 0; i < stored; i++) codeLengths[CODE_LENGTH_ORDER[i]] = input.bits(3);
  const code = huffmanCode(codeLengths);
  for (let i = 0; i < lengths.length; ) {
    const length = input.symbol(code);
    if (length < 16) {
      lengths[i++] = length;
      continue;
    }
    const count = length === 16 ? 3 + input.bits(2) : length === 17 ? 3 + input.bits(3) : 11 + input.bits(7);
    lengths.fill(length === 16 ? lengths[i - 1] : 0, i, i + count);
    i += count;
  }
  return {
    literals: huffmanCode(lengths.subarray(0, literals)),
    distances: huffmanCode(lengths.subarray(literals)),
  };
}

/** Makes the canonical code with these lengths (§3.2.2); symbols of length 0 do not occur. */
function huffmanCode(lengths: Uint8Array): HuffmanCode {
  const counts = new Uint16Array(MAX_CODE + 1);
  for (const length of lengths) counts[length]++;
  const next = new Uint16Array(MAX_CODE + 1);
  for (let length = 2; length <= MAX_CODE; length++) {
    next[length] = (next[length - 1] + counts[length - 1]) << 1;
  }
  const table = new Uint16Array(1 << Math.max(1, ...lengths));
  lengths.forEach((length, symbol) => {
    if (length === 0) return;
    // A code is stored from its first bit, but bits are read from the lowest.
    let reversed = 0;
    for (let code = next[length]++, i = 0; i < length; i++, code >>= 1)
      reversed = (reversed << 1) | (code & 1);
    for (let at = reversed; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
  });
  return table;
}

/** Reads bits from the lowest of each byte on. */
class BitReader {
  readonly #data: Uint8Array;
  #next = 0;
  #buffer = 0;
  #buffered = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  bits(count: number): number {
    while (this.#buffered < count) {
      this.#buffer |= this.#data[this.#next++] << this.#buffered;
      this.#buffered += 8;
    }
    const value = this.#buffer & ((1 << count) - 1);
    this.#buffer >>>= count;
    this.#buffered -= count;
    return value;
  }

  symbol(code: HuffmanCode): number {
    while (this.#buffered < MAX_CODE) {
      this.#buffer |= this.#data[this.#next++] << this.#buffered;
      this.#buffered += 8;
    }
    const entry = code[this.#buffer & (code.length - 1)];
    this.#buffer >>>= entry & 15;
    this.#buffered -= entry & 15;
    return entry >> 4;
  }

  /** Reads a block that is not compressed, which starts at the next byte. */
  stored(): Uint8Array {
    const start = this.#next - (this.#buffered >> 3);
    this.#next = start + 4 + (this.#data[start] | (this.#data[start + 1] << 8));
    this.#buffer = 0;
    this.#buffered = 0;
    return this.#data.subarray(start + 4, this.#next);
  }

  /**
   * Writes a compressed block from `written` on, and returns its end. The hot loop: with `bits` and `symbol` written out it
   * takes a third of the time, because it runs only once and is hardly ever optimised.
   */
  block({ literals, distances }: BlockCodes, output: Uint8Array, written: number): number {
    const data = this.#data;
    let next = this.#next;
    let buffer = this.#buffer;
    let buffered = this.#buffered;
    for (;;) {
      for (; buffered < MAX_CODE; buffered += 8) buffer |= data[next++] << buffered;
      let entry = literals[buffer & (literals.length - 1)];
      buffer >>>= entry & 15;
      buffered -= entry & 15;
      const literal = entry >> 4;
      if (literal < END) {
        output[written++] = literal;
        continue;
      }
      if (literal === END) break;
      let extra = LENGTH_BITS[literal - END - 1];
      for (; buffered < extra; buffered += 8) buffer |= data[next++] << buffered;
      const length = LENGTHS[literal - END - 1] + (buffer & ((1 << extra) - 1));
      buffer >>>= extra;
      buffered -= extra;
      for (; buffered < MAX_CODE; buffered += 8) buffer |= data[next++] << buffered;
      entry = distances[buffer & (distances.length - 1)];
      buffer >>>= entry & 15;
      buffered -= entry & 15;
      extra = DISTANCE_BITS[entry >> 4];
      for (; buffered < extra; buffered += 8) buffer |= data[next++] << buffered;
      const distance = DISTANCES[entry >> 4] + (buffer & ((1 << extra) - 1));
      buffer >>>= extra;
      buffered -= extra;
      for (const end = written + length; written < end; written++)
        output[written] = output[written - distance];
    }
    this.#next = next;
    this.#buffer = buffer;
    this.#buffered = buffered;
    return written;
  }
}
