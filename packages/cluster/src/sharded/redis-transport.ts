import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Redis } from "ioredis";
import { endConnection, type RedisConnection } from "../redis-connection.js";
import { FrameReader, frameHeader } from "./frames.js";
import type { Receiver, Transport } from "./transport.js";

/** Maximum number of messages per read. */
const MOST_MESSAGES = 64;

/** Milliseconds after which unread messages expire. */
const TIME_TO_LIVE = 3_600_000;

/** Key of a failure message. */
const FAILURE = "!failed";

interface RedisPostOptions {
  readonly redis: RedisConnection;
  readonly shard: number;
  readonly shards: number;
  /** Returns the key of a shard's list. */
  readonly inbox: (shard: number) => string;
  readonly receiver: Receiver;
}

/** Sends messages through Redis: each shard reads all messages from its own list. */
export class RedisTransport implements Transport {
  readonly #options: RedisPostOptions;
  readonly #reader: Redis;
  readonly #written = new Set<number>();
  #closed = false;

  constructor(options: RedisPostOptions) {
    this.#options = options;
    this.#reader = options.redis.duplicate();
    void this.#read();
  }

  async send(to: number, key: string, bytes: Uint8Array): Promise<void> {
    const { redis, inbox } = this.#options;
    const header = frameHeader(key, bytes.length);
    const framed = Buffer.allocUnsafe(header.length + bytes.length);
    framed.set(header);
    framed.set(bytes, header.length);
    await redis.rpush(inbox(to), framed);
    if (this.#written.has(to)) return;
    this.#written.add(to);
    await redis.pexpire(inbox(to), TIME_TO_LIVE);
  }

  async tell(failure: string): Promise<void> {
    const { shard, shards } = this.#options;
    const text = new TextEncoder().encode(`${shard} ${failure}`);
    const others = Array.from({ length: shards }, (_, other) => other).filter((other) => other !== shard);
    await Promise.allSettled(others.map((other) => this.send(other, FAILURE, text)));
  }

  abandon(): void {}

  async close(): Promise<void> {
    const { redis, inbox, shard } = this.#options;
    this.#closed = true;
    endConnection(this.#reader);
    await redis.del(inbox(shard)).catch(() => {});
  }

  /** Reads messages until the transport is closed. */
  async #read(): Promise<void> {
    const { inbox, shard, receiver } = this.#options;
    while (!this.#closed) {
      try {
        const found = await this.#reader.blmpopBuffer(1, 1, inbox(shard), "LEFT", "COUNT", MOST_MESSAGES);
        for (const message of messagesIn(found)) new FrameReader(this.#deliver).read(message);
      } catch (cause) {
        if (this.#closed) return;
        receiver.broken(new VouchError("task/failed", "The connection to Redis is lost.", { cause }));
        return;
      }
    }
  }

  readonly #deliver = (key: string, bytes: Uint8Array) => {
    const { receiver } = this.#options;
    if (key !== FAILURE) {
      receiver.deliver(key, bytes);
      return;
    }
    const [shard, ...words] = new TextDecoder().decode(bytes).split(" ");
    receiver.failed(Number(shard), words.join(" "));
  };
}

/** Lists the messages in a reply of BLMPOP: null, or the key of the list and its elements. */
function messagesIn(answer: unknown): Buffer[] {
  if (!Array.isArray(answer) || !Array.isArray(answer[1])) return [];
  return answer[1].filter((message) => Buffer.isBuffer(message));
}
