import type { Exchange } from "./exchange.js";
import { VouchError } from "./vouch-error.js";

/** Up to this many shards every one sends to every other at once; more take log₂ steps, so that messages stay few. */
const MOST_DIRECT = 8;

/** Numbers that are added up together, so that messages are no longer than a megabyte. */
const NUMBERS_AT_ONCE = 2 ** 17;

/** What a shard has sent and how long it has waited. */
export interface GroupTraffic {
  readonly messages: number;
  readonly bytesSent: number;
  /** Milliseconds of waiting for others: for their bytes, or for their work. */
  readonly waited: number;
}

/**
 * One of several shards that work on the same data in lock step. All shards call the same methods in the same order. Every message has one
 * reader.
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
   * Collects the bytes of all shards, in their order. Few shards send to all others at once; more take ⌈log₂ S⌉ steps: in each, a shard passes on all that
   * it knows to one that is twice as far away (Bruck et al. 1997).
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
      const [received] = await this.waitFor(
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
    const [all] = await this.waitFor(Promise.all([Promise.all(received), Promise.all(sent)]));
    return all;
  }

  /**
   * Adds up numbers of all shards by their owners: `pack(owner)` writes what this shard has for a shard so far, and `add(owner, bytes)` adds what
   * another one has written. In the end each shard has the sum of its own part. Every shard sends (S − 1) / S of the bytes: at once to all
   * others if they are few, otherwise in ⌈log₂ S⌉ steps (Träff 2024, reduce-scatter on a circulant graph). What `pack` returns must
   * not change before all is added.
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
      await this.waitFor(Promise.all([...received, ...sent]));
      return;
    }
    for (let end = shards; end > 1; ) {
      const begin = Math.ceil(end / 2);
      const parts = Array.from({ length: end - begin }, (_, i) => pack(at(begin + i)));
      const [received] = await this.waitFor(
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
   * Passes numbers from shard to shard, each of which changes them, and returns what the last one has made of them: for sums of floating-point numbers
   * in the order of the rows. Takes S steps.
   */
  async fold(initial: Float64Array, change: (numbers: Float64Array) => void): Promise<Float64Array> {
    const { shard, shards } = this;
    const numbers = await this.relay(initial, change);
    const all = await this.gather(shard + 1 === shards ? bytesOfDoubles(numbers) : new Uint8Array(0));
    const last = doublesFrom(all[shards - 1]);
    if (last.length !== initial.length) throw malformed(shards - 1);
    return last;
  }

  /**
   * Passes numbers from shard to shard as `fold` does, and returns what this shard has made of them. A shard that has passed its numbers on
   * may begin with the next ones while others work on these.
   */
  async relay(
    initial: Float64Array,
    change: (numbers: Float64Array) => void | Promise<void>,
  ): Promise<Float64Array> {
    const { shard, shards } = this;
    const step = this.#step++;
    const numbers =
      shard === 0 ? initial.slice() : doublesFrom(await this.waitFor(this.#receive(step, 0, shard - 1)));
    if (numbers.length !== initial.length) throw malformed(shard - 1);
    await change(numbers);
    if (shard + 1 < shards) await this.#send(step, 0, shard + 1, bytesOfDoubles(numbers));
    return numbers;
  }

  /**
   * Sends messages to every shard, this one included, and reads those that others send here: any number of messages that are not empty, in their order. `write`
   * makes a message when the one before it is sent. Several streams may be open at the same time, and other operations may begin meanwhile.
   */
  async stream(
    write: (to: number) => Iterable<Uint8Array>,
    read: (from: number, messages: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<void> {
    const { shard, shards } = this;
    const step = this.#step++;
    const work = [read(shard, inTurn(write(shard)))];
    for (let offset = 1; offset < shards; offset++) {
      const [to, from] = [(shard + offset) % shards, (shard + shards - offset) % shards];
      work.push(this.#sendAll(step, to, write(to)), read(from, this.#receiveAll(step, from)));
    }
    await Promise.all(work);
  }

  /** Adds up numbers of all shards, place by place. Sums must be exact in any order: they are, of integers below 2⁵³. */
  async sum(own: Float64Array): Promise<Float64Array> {
    const { shard, shards } = this;
    const sums = own.slice();
    for (let begin = 0; begin < own.length; begin += NUMBERS_AT_ONCE) {
      const end = Math.min(own.length, begin + NUMBERS_AT_ONCE);
      const start = (owner: number) => begin + Math.floor(((end - begin) * owner) / shards);
      const part = (owner: number) => sums.subarray(start(owner), start(owner + 1));
      await this.reduce(
        (owner) => bytesOfDoubles(part(owner)).slice(),
        (owner, bytes) => {
          const [to, more] = [part(owner), doublesFrom(bytes)];
          if (more.length !== to.length) throw malformed(owner);
          for (let i = 0; i < to.length; i++) to[i] += more[i];
        },
      );
      const all = await this.gather(bytesOfDoubles(part(shard)).slice());
      for (const [owner, bytes] of all.entries()) {
        const numbers = doublesFrom(bytes);
        if (numbers.length !== part(owner).length) throw malformed(owner);
        part(owner).set(numbers);
      }
    }
    return sums;
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

  /** Sends messages one after the other; an empty one is the end. */
  async #sendAll(step: number, to: number, messages: Iterable<Uint8Array>): Promise<void> {
    let part = 0;
    for (const message of messages) await this.#send(step, part++, to, message);
    await this.#send(step, part, to, new Uint8Array(0));
  }

  async *#receiveAll(step: number, from: number): AsyncGenerator<Uint8Array> {
    for (let part = 0; ; part++) {
      const message = await this.#receive(step, part, from);
      if (message.length === 0) return;
      yield message;
    }
  }

  #receive(step: number, part: number, from: number): Promise<Uint8Array> {
    return this.#exchange.get(`${step}/${part}/${from}-${this.shard}`, this.#signal);
  }

  /** Waits for work that depends on others, and counts the time. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work;
    } finally {
      this.#waited += performance.now() - start;
    }
  }
}

/** Passes on the messages of a shard to itself. */
async function* inTurn(messages: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* messages;
}

/** Makes the error of a message that is not what a shard sends. */
export function malformed(shard: number): VouchError {
  return new VouchError("task/failed", `Shard ${shard + 1} has sent a malformed message.`, {
    hint: "Run the same version of vouch, with the same options, on all machines.",
  });
}

/** Views numbers as bytes. */
export function bytesOfDoubles(numbers: Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Copies bytes as numbers. */
export function doublesFrom(bytes: Uint8Array): Float64Array {
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
