import { VouchError } from "../vouch-error.js";
import type { Exchange } from "./exchange.js";

/** Up to this many shards every one sends to every other at once; more take log₂ steps, so that messages stay few. */
const MOST_DIRECT = 8;

/** What a shard has sent and how long it has waited. */
export interface GroupTraffic {
  readonly messages: number;
  readonly bytesSent: number;
  /** Milliseconds of waiting for others: for their bytes, or for their work. */
  readonly waited: number;
}

/**
 * One of several shards that work on the same data in lock step. All shards call the same methods in the same order. Every
 * message has one reader.
 */
export class ShardGroup {
  /** The number of this shard, from 0; errors count from 1, as `vouch train --shard 1/3` does. */
  readonly shard: number;
  readonly shards: number;
  readonly #exchange: Exchange;
  readonly #signal: AbortSignal | undefined;
  readonly #direct: boolean;
  #step = 0;
  #messages = 0;
  #bytesSent = 0;
  #waited = 0;

  constructor(
    exchange: Exchange,
    shard: number,
    shards: number,
    {
      signal,
      direct = shards <= MOST_DIRECT,
    }: { readonly signal?: AbortSignal; readonly direct?: boolean } = {},
  ) {
    if (
      !(Number.isInteger(shards) && shards >= 1 && Number.isInteger(shard) && shard >= 0 && shard < shards)
    ) {
      throw new VouchError(
        "option/invalid",
        `The shard is ${shard}, but must be a whole number from 0 to below the number of shards, ${shards}.`,
      );
    }
    this.#exchange = exchange;
    this.#signal = signal;
    this.#direct = direct;
    this.shard = shard;
    this.shards = shards;
  }

  get traffic(): GroupTraffic {
    return { messages: this.#messages, bytesSent: this.#bytesSent, waited: this.#waited };
  }

  /**
   * Collects the bytes of all shards, in their order. Few shards send to all others at once; more take ⌈log₂ S⌉ steps: in
   * each, a shard passes on all that it knows to one that is twice as far away (Bruck et al. 1997).
   */
  async gather(own: Uint8Array): Promise<Uint8Array[]> {
    const { shard, shards } = this;
    const step = this.#step++;
    if (this.#direct) return this.#gatherAtOnce(own, step);
    // known[i] is that of shard + i.
    const known = [own];
    while (known.length < shards) {
      const distance = known.length;
      const passed = known.slice(0, shards - distance);
      const [received] = await this.#waitFor(
        Promise.all([
          this.#receive(step, distance, (shard + distance) % shards),
          this.#send(step, distance, (shard + shards - distance) % shards, frameParts(passed)),
        ]),
      );
      known.push(...framedParts(received, passed.length));
    }
    return known.map((_, i) => known[(i - shard + shards) % shards]);
  }

  async #gatherAtOnce(own: Uint8Array, step: number): Promise<Uint8Array[]> {
    const { shard, shards } = this;
    const others = Array.from({ length: shards }, (_, other) => other);
    const sent = others.map((other) => (other === shard ? undefined : this.#send(step, 0, other, own)));
    const received = others.map((other) => (other === shard ? own : this.#receive(step, 0, other)));
    const [all] = await this.#waitFor(Promise.all([Promise.all(received), Promise.all(sent)]));
    return all;
  }

  /**
   * Adds up numbers of all shards by their owners: `pack(owner)` writes what this shard has for a shard so far, and
   * `add(owner, bytes)` adds what another one has written. In the end each shard has the sum of its own part. Every shard
   * sends (S − 1) / S of the bytes: at once to all others if they are few, otherwise in ⌈log₂ S⌉ steps (Träff 2024,
   * reduce-scatter on a circulant graph). What `pack` returns must not change before all is added.
   */
  async reduce(
    pack: (owner: number) => Uint8Array,
    add: (owner: number, bytes: Uint8Array) => void,
  ): Promise<void> {
    const { shard, shards } = this;
    const step = this.#step++;
    const at = (offset: number) => (shard + offset) % shards;
    if (this.#direct) {
      const sent: Promise<void>[] = [];
      for (let offset = 1; offset < shards; offset++) {
        sent.push(this.#send(step, offset, at(offset), pack(at(offset))));
      }
      const received = Array.from({ length: shards - 1 }, async (_, i) => {
        add(shard, await this.#receive(step, i + 1, at(shards - i - 1)));
      });
      await this.#waitFor(Promise.all([...received, ...sent]));
      return;
    }
    for (let end = shards; end > 1; ) {
      const begin = Math.ceil(end / 2);
      const parts = Array.from({ length: end - begin }, (_, i) => pack(at(begin + i)));
      const [received] = await this.#waitFor(
        Promise.all([
          this.#receive(step, begin, at(shards - begin)),
          this.#send(step, begin, at(begin), frameParts(parts)),
        ]),
      );
      for (const [i, bytes] of framedParts(received, end - begin).entries()) add(at(i), bytes);
      end = begin;
    }
  }

  /**
   * Passes numbers from shard to shard, each of which changes them, and returns what the last one has made of them: for sums
   * of floating-point numbers in the order of the rows. Takes S steps.
   */
  async fold(initial: Float64Array, change: (numbers: Float64Array) => void): Promise<Float64Array> {
    const { shard, shards } = this;
    const step = this.#step++;
    const numbers =
      shard === 0 ? initial.slice() : doublesFrom(await this.#waitFor(this.#receive(step, 0, shard - 1)));
    if (numbers.length !== initial.length) throw malformed(shard - 1);
    change(numbers);
    if (shard + 1 < shards) await this.#send(step, 0, shard + 1, bytesOfDoubles(numbers));
    const all = await this.gather(shard + 1 === shards ? bytesOfDoubles(numbers) : new Uint8Array(0));
    const last = doublesFrom(all[shards - 1]);
    if (last.length !== initial.length) throw malformed(shards - 1);
    return last;
  }

  /** Collects as many numbers of each shard, in the order of the shards. */
  async gatherNumbers(own: ArrayLike<number>): Promise<Float64Array[]> {
    const all = await this.gather(bytesOfDoubles(Float64Array.from(own)));
    return all.map((bytes, shard) => {
      const numbers = doublesFrom(bytes);
      if (numbers.length !== own.length) throw malformed(shard);
      return numbers;
    });
  }

  async #send(step: number, part: number, to: number, bytes: Uint8Array): Promise<void> {
    this.#messages++;
    this.#bytesSent += bytes.length;
    await this.#exchange.put(`${step}/${part}/${this.shard}-${to}`, bytes);
  }

  #receive(step: number, part: number, from: number): Promise<Uint8Array> {
    return this.#exchange.get(`${step}/${part}/${from}-${this.shard}`, this.#signal);
  }

  /** Waits for work that depends on others, and counts the time. */
  async #waitFor<T>(work: Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work;
    } finally {
      this.#waited += performance.now() - start;
    }
  }
}

/** Makes the error of a message that is not what a shard sends. */
export function malformed(shard: number): VouchError {
  return new VouchError("task/failed", `Shard ${shard + 1} has sent a malformed message.`, {
    hint: "Run the same version of vouch, with the same options, on all machines.",
  });
}

/** Views numbers as bytes. */
function bytesOfDoubles(numbers: Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Copies bytes as numbers. */
function doublesFrom(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.slice(0, bytes.length - (bytes.length % 8)).buffer);
}

/** Joins byte arrays, each after its length. */
export function frameParts(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + 8 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setFloat64(at, part.length, true);
    bytes.set(part, at + 8);
    at += 8 + part.length;
  }
  return bytes;
}

/** Takes joined byte arrays apart; throws unless there are `count`. */
export function framedParts(bytes: Uint8Array, count: number): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = view.getFloat64(at, true);
    if (!(Number.isInteger(length) && length >= 0 && at + 8 + length <= bytes.length)) break;
    parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  if (parts.length === count) return parts;
  throw new VouchError("task/failed", `A message of shards has ${parts.length} parts and not ${count}.`);
}
