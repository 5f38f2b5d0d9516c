/*
 * Decodes bzip2, which the LIBSVM data page uses for its larger files and Node lacks. Format: J. Tsai, "BZIP2: Format
 * Specification" (2016); section names follow it.
 */

const BLOCK_MAGIC = 0x314159265359;
const END_MAGIC = 0x177245385090;
const GROUP_SIZE = 50;
const MAX_CODE_LENGTH = 20;
const RUN_A = 0;
const RUN_B = 1;

export class Bzip2Error extends Error {
  override readonly name = "Bzip2Error";
}

/** Decompresses a whole bzip2 file, one block (at most 900 kB before the last run-length step) at a time. */
export function* bunzip2(packed: Uint8Array): Generator<Uint8Array> {
  const bits = new BitReader(packed);
  do {
    const capacity = readHeader(bits);
    let streamCrc = 0;
    for (let magic = bits.read48(); magic !== END_MAGIC; magic = bits.read48()) {
      if (magic !== BLOCK_MAGIC) throw new Bzip2Error("a block does not start where expected");
      const expected = bits.read(32);
      const block = undoRuns(readBlock(bits, capacity));
      if (crc32(block) !== expected) throw new Bzip2Error("the checksum of a block does not match");
      streamCrc = ((streamCrc << 1) ^ (streamCrc >>> 31) ^ expected) >>> 0;
      yield block;
    }
    if (bits.read(32) !== streamCrc) throw new Bzip2Error("the checksum of the file does not match");
    bits.alignToByte();
  } while (!bits.atEnd());
}

/** Reads bits from the most significant end of each byte. */
class BitReader {
  private at = 0;
  private window = 0;
  private held = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Reads the next `count` bits, at most 32. */
  read(count: number): number {
    if (count > 24) return this.read(count - 16) * 0x10000 + this.read(16);
    while (this.held < count) {
      if (this.at >= this.bytes.length) throw new Bzip2Error("the file ends too early");
      this.window = ((this.window << 8) | this.bytes[this.at++]) & 0x7fffffff;
      this.held += 8;
    }
    this.held -= count;
    return (this.window >>> this.held) & ((1 << count) - 1);
  }

  read48(): number {
    return this.read(24) * 0x1000000 + this.read(24);
  }

  alignToByte(): void {
    this.held -= this.held % 8;
  }

  atEnd(): boolean {
    return this.held === 0 && this.at >= this.bytes.length;
  }
}

/** Checks the header `BZh1` … `BZh9` and returns the capacity of a block. */
function readHeader(bits: BitReader): number {
  const isBzip2 = bits.read(24) === 0x425a68;
  const level = bits.read(8) - 0x30;
  if (!isBzip2 || level < 1 || level > 9) throw new Bzip2Error("there is no bzip2 header");
  return level * 100_000;
}

/** Decodes one block up to its last run-length step: Huffman codes, move to front, Burrows–Wheeler. */
function readBlock(bits: BitReader, capacity: number): Uint8Array {
  if (bits.read(1) === 1) throw new Bzip2Error("randomised blocks of bzip2 0.9 are not supported");
  const origin = bits.read(24);
  const symbols = readSymbolMap(bits);
  const tables = bits.read(3);
  const selectorCount = bits.read(15);
  if (tables < 2 || tables > 6 || selectorCount === 0) throw new Bzip2Error("a block header is damaged");
  const selectors = readSelectors(bits, tables, selectorCount);
  const codes = Array.from({ length: tables }, () => readCode(bits, symbols.length + 2));
  const transformed = readMovedToFront(bits, symbols, selectors, codes, capacity);
  if (origin >= transformed.length) throw new Bzip2Error("a block header is damaged");
  return undoBurrowsWheeler(transformed, origin);
}

/** Reads the byte values that occur in the block, stored as two levels of bit maps. */
function readSymbolMap(bits: BitReader): number[] {
  const ranges = bits.read(16);
  const symbols: number[] = [];
  for (let range = 0; range < 16; range++) {
    if ((ranges & (0x8000 >> range)) === 0) continue;
    const used = bits.read(16);
    for (let i = 0; i < 16; i++) if ((used & (0x8000 >> i)) !== 0) symbols.push(range * 16 + i);
  }
  if (symbols.length === 0) throw new Bzip2Error("a block uses no symbols");
  return symbols;
}

/** Reads which Huffman table each group of 50 symbols uses: unary numbers, moved to front. */
function readSelectors(bits: BitReader, tables: number, count: number): Uint8Array {
  const order = Array.from({ length: tables }, (_, i) => i);
  return Uint8Array.from({ length: count }, () => {
    let position = 0;
    while (bits.read(1) === 1) if (++position >= tables) throw new Bzip2Error("a selector is damaged");
    const [table] = order.splice(position, 1);
    order.unshift(table);
    return table;
  });
}

/** Canonical Huffman code: the number of codes of each length, and the symbols from shortest to longest code. */
interface HuffmanCode {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/** Reads code lengths, each as the difference from the previous one: 0 ends, 10 adds one, 11 subtracts one. */
function readCode(bits: BitReader, symbolCount: number): HuffmanCode {
  const lengths = new Uint8Array(symbolCount);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    while (bits.read(1) === 1) length += bits.read(1) === 0 ? 1 : -1;
    if (length < 1 || length > MAX_CODE_LENGTH) throw new Bzip2Error("a Huffman table is damaged");
    lengths[symbol] = length;
  }
  const counts = new Uint16Array(MAX_CODE_LENGTH + 1);
  for (const each of lengths) counts[each]++;
  const symbols = Uint16Array.from(lengths.keys()).sort((a, b) => lengths[a] - lengths[b] || a - b);
  return { counts, symbols };
}

function readSymbol(bits: BitReader, code: HuffmanCode): number {
  let value = 0;
  let first = 0;
  let start = 0;
  for (let length = 1; length <= MAX_CODE_LENGTH; length++) {
    value = value * 2 + bits.read(1);
    const count = code.counts[length];
    if (value - first < count) return code.symbols[start + value - first];
    start += count;
    first = (first + count) * 2;
  }
  throw new Bzip2Error("a Huffman code is damaged");
}

/** Undoes move to front. Runs of the front symbol are numbers in base 2 with the digits 1 (A) and 2 (B), lowest first. */
function readMovedToFront(
  bits: BitReader,
  symbols: readonly number[],
  selectors: Uint8Array,
  codes: readonly HuffmanCode[],
  capacity: number,
): Uint8Array {
  const order = Uint8Array.from(symbols);
  const block = new Uint8Array(capacity);
  const endOfBlock = symbols.length + 1;
  let filled = 0;
  let run = 0;
  let digit = 1;
  for (let group = 0; group < selectors.length; group++) {
    const code = codes[selectors[group]];
    for (let i = 0; i < GROUP_SIZE; i++) {
      const symbol = readSymbol(bits, code);
      if (symbol <= RUN_B) {
        run += symbol === RUN_A ? digit : 2 * digit;
        digit *= 2;
        if (run > capacity) throw new Bzip2Error("a block is too long");
        continue;
      }
      if (filled + run + (symbol === endOfBlock ? 0 : 1) > capacity)
        throw new Bzip2Error("a block is too long");
      block.fill(order[0], filled, filled + run);
      filled += run;
      if (symbol === endOfBlock) return block.subarray(0, filled);
      run = 0;
      digit = 1;
      const value = order[symbol - 1];
      order.copyWithin(1, 0, symbol - 1);
      order[0] = value;
      block[filled++] = value;
    }
  }
  throw new Bzip2Error("a block has no end");
}

/** Inverts the transform: follows the permutation from last to first column, from the row of the original. */
function undoBurrowsWheeler(last: Uint8Array, origin: number): Uint8Array {
  const starts = new Uint32Array(257);
  for (const byte of last) starts[byte + 1]++;
  for (let byte = 0; byte < 256; byte++) starts[byte + 1] += starts[byte];
  const next = new Uint32Array(last.length);
  for (let row = 0; row < last.length; row++) next[starts[last[row]]++] = row;
  const block = new Uint8Array(last.length);
  let row = next[origin];
  for (let i = 0; i < block.length; i++) {
    block[i] = last[row];
    row = next[row];
  }
  return block;
}

/** Expands runs: four equal bytes are followed by the number of additional ones. */
function undoRuns(block: Uint8Array): Uint8Array {
  let length = 0;
  forEachRun(block, (_, count) => {
    length += count;
  });
  const bytes = new Uint8Array(length);
  let filled = 0;
  forEachRun(block, (byte, count) => {
    bytes.fill(byte, filled, filled + count);
    filled += count;
  });
  return bytes;
}

function forEachRun(block: Uint8Array, visit: (byte: number, count: number) => void): void {
  for (let i = 0; i < block.length; ) {
    const byte = block[i];
    let count = 1;
    while (count < 4 && block[i + count] === byte) count++;
    i += count;
    if (count === 4 && i < block.length) count += block[i++];
    visit(byte, count);
  }
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  return crc;
});

/** Computes the CRC-32 of bzip2, which is most significant bit first, unlike in gzip. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ byte];
  return ~crc >>> 0;
}
