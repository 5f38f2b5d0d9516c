import type { PassedArray } from "./typed-arrays.js";

/** Builds a message. */
export class ValueWriter {
  /** Number of each array in the message. */
  readonly arrays = new Map<PassedArray, number>();
  #buffer = Buffer.allocUnsafe(1024);
  #used = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#used++] = value;
  }

  /** Writes a whole number below 2³². */
  length(value: number): void {
    this.#reserve(4);
    this.#used = this.#buffer.writeUInt32LE(value, this.#used);
  }

  float(value: number): void {
    this.#reserve(8);
    this.#used = this.#buffer.writeDoubleLE(value, this.#used);
  }

  put(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(0, this.#used));
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }
}
