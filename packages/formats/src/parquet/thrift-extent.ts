/** Maximum nesting depth; Parquet needs far less. */
const MOST_NESTED = 32;
/** Maximum length of a 64-bit varint. */
const LONGEST_NUMBER = 10;

const [BOOLEAN_TRUE, BOOLEAN_FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const STRUCT = 12;

class DataEnds extends Error {}

/**
 * Returns the position after a struct in Thrift's compact protocol; undefined if it is truncated. Thrift parsers trust
 * the lengths that they read. Here, lists that claim more elements than there are bytes, endless numbers and deep
 * nesting are errors before any memory is allocated.
 */
export function thriftExtent(bytes: Uint8Array, from: number): number | undefined {
  const walk = new ThriftWalk(bytes, from);
  try {
    walk.struct(0);
    return walk.at;
  } catch (error) {
    if (error instanceof DataEnds) return undefined;
    throw error;
  }
}

class ThriftWalk {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  struct(depth: number): void {
    if (depth > MOST_NESTED) throw new Error("its metadata is nested too deeply");
    for (let head = this.#byte(); (head & 15) !== 0; head = this.#byte()) {
      // Small field numbers are stored in the first byte.
      if (head >> 4 === 0) this.#number();
      const type = head & 15;
      if (type !== BOOLEAN_TRUE && type !== BOOLEAN_FALSE) this.#value(type, depth);
    }
  }

  #value(type: number, depth: number): void {
    if (type === BOOLEAN_TRUE || type === BOOLEAN_FALSE || type === BYTE) this.#skip(1);
    else if (type === I16 || type === I32 || type === I64) this.#number();
    else if (type === DOUBLE) this.#skip(8);
    else if (type === BINARY) this.#skip(this.#number());
    else if (type === LIST) this.#list(depth + 1);
    else if (type === STRUCT) this.struct(depth + 1);
    else throw new Error(`its metadata has a value of unknown type ${type}`);
  }

  #list(depth: number): void {
    if (depth > MOST_NESTED) throw new Error("its metadata is nested too deeply");
    const head = this.#byte();
    const length = head >> 4 === 15 ? this.#number() : head >> 4;
    if (length > this.#bytes.length - this.at) throw new DataEnds();
    for (let i = 0; i < length; i++) this.#value(head & 15, depth);
  }

  #number(): number {
    let value = 0;
    for (let i = 0; i < LONGEST_NUMBER; i++) {
      const byte = this.#byte();
      value += (byte & 127) * 2 ** (7 * i);
      if (byte < 128) return value;
    }
    throw new Error("its metadata has a number of more than 64 bits");
  }

  #byte(): number {
    if (this.at >= this.#bytes.length) throw new DataEnds();
    return this.#bytes[this.at++];
  }

  #skip(bytes: number): void {
    this.at += bytes;
    if (this.at > this.#bytes.length) throw new DataEnds();
  }
}
