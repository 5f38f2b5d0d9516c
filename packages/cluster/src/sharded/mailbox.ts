import { Redis } from "ioredis";
import { type Exchange, interrupted, VouchError } from "vouch/sharded";

/** Milliseconds after which a shard without a sign of life counts as dead, unless the caller says otherwise. */
const SILENCE = 10_000;

/** Signs of life that a shard gives in this time. */
const BEATS = 5;

/** Milliseconds after which messages that nobody has read are forgotten. */
const TIME_TO_LIVE = 3_600_000;

/** Milliseconds in which all shards must have joined, unless the caller says otherwise. */
const JOIN = 120_000;

/** Messages that are taken at a time. */
const MOST_MESSAGES = 64;

/** Bytes of a message in Redis, at most, with its key. */
const MOST_BYTES = 500 * 2 ** 20;

/** The key of a message that tells of a failure. */
const FAILURE = "failed";

/** Where a mailbox is. */
export interface MailboxOptions {
  /** Address of the Redis server. */
  readonly url: string;
  /** Name of the run: the same for all its shards, and no other run has it. */
  readonly run: string;
  readonly shard: number;
  readonly shards: number;
  /** Milliseconds in which all shards must have joined; the default is two minutes. */
  readonly join?: number;
  /** Milliseconds after which a shard that gives no sign of life counts as dead; the default is ten seconds. */
  readonly silence?: number;
}

/** A shard that waits for a message. */
interface Reader {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The mailbox of a shard: one list in Redis, from which this shard takes all messages as they come. A message is gone once it is taken. Shards
 * give signs of life, so that a wait for a dead one ends in an error. Keys end with `FROM-TO`, the numbers of two shards.
 */
export class Mailbox implements Exchange {
  readonly #options: MailboxOptions;
  readonly #redis: Redis;
  readonly #reader: Redis;
  readonly #arrived = new Map<string, Uint8Array>();
  readonly #readers = new Map<string, Reader>();
  readonly #seen = new Set<number>();
  readonly #started = Date.now();
  readonly #timer: NodeJS.Timeout;
  #failure: Error | undefined;
  #closed = false;

  private constructor(options: MailboxOptions, redis: Redis) {
    this.#options = options;
    this.#redis = redis;
    this.#reader = redis.duplicate();
    for (const connection of [this.#redis, this.#reader]) connection.on("error", () => {});
    this.#timer = setInterval(() => void this.#beat(), this.#silence / BEATS);
    void this.#read();
  }

  /** Connects to Redis and opens the mailbox of a shard. */
  static async open(options: MailboxOptions): Promise<Mailbox> {
    const redis = new Redis(options.url, { lazyConnect: true, maxRetriesPerRequest: 3 });
    redis.on("error", () => {});
    try {
      await redis.connect();
    } catch (cause) {
      redis.disconnect();
      throw new VouchError(
        "task/failed",
        `Shard ${options.shard} cannot connect to Redis at ${hostOf(options.url)}.`,
        {
          hint: "Is the server running, and is the address right?",
          cause,
        },
      );
    }
    const mailbox = new Mailbox(options, redis);
    await mailbox.#beat();
    return mailbox;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure;
    await this.#push(key, bytes);
  }

  async #push(key: string, bytes: Uint8Array): Promise<void> {
    const name = Buffer.from(key);
    if (bytes.length + name.length + 4 > MOST_BYTES) {
      throw new VouchError("data/too-large", `A message of ${bytes.length} bytes is too long for Redis.`);
    }
    const framed = Buffer.allocUnsafe(4 + name.length + bytes.length);
    framed.writeUInt32LE(name.length, 0);
    framed.set(name, 4);
    framed.set(bytes, 4 + name.length);
    await this.#redis.rpush(this.#inbox(readerOf(key)), framed);
  }

  get(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    if (signal?.aborted) return Promise.reject(interrupted());
    if (this.#failure) return Promise.reject(this.#failure);
    const bytes = this.#arrived.get(key);
    if (bytes) {
      this.#arrived.delete(key);
      return Promise.resolve(bytes);
    }
    return new Promise((resolve, reject) => {
      const stop = () => settle(() => reject(interrupted()));
      const settle = (end: () => void) => {
        this.#readers.delete(key);
        signal?.removeEventListener("abort", stop);
        end();
      };
      signal?.addEventListener("abort", stop, { once: true });
      this.#readers.set(key, {
        resolve: (found) => settle(() => resolve(found)),
        reject: (error) => settle(() => reject(error)),
      });
    });
  }

  /** Tells all other shards that this one has failed, so that they stop at once. */
  async fail(error: unknown): Promise<void> {
    const { shard, shards } = this.#options;
    const text = new TextEncoder().encode(`${shard} ${error instanceof Error ? error.message : error}`);
    const sent: Promise<void>[] = [];
    for (let other = 0; other < shards; other++) {
      if (other !== shard) sent.push(this.#push(`${FAILURE}/${shard}-${other}`, text));
    }
    await Promise.allSettled(sent);
  }

  /** Closes the mailbox and removes it from Redis. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#reader.disconnect();
    const { shard } = this.#options;
    await this.#redis.del(this.#inbox(shard), this.#life(shard)).catch(() => {});
    this.#redis.disconnect();
  }

  get #silence(): number {
    return this.#options.silence ?? SILENCE;
  }

  #inbox(shard: number): string {
    return `vouch:shards:${this.#options.run}:inbox:${shard}`;
  }

  #life(shard: number): string {
    return `vouch:shards:${this.#options.run}:alive:${shard}`;
  }

  /** Takes messages as long as the mailbox is open. */
  async #read(): Promise<void> {
    while (!this.#closed && !this.#failure) {
      try {
        const found = await this.#reader.blmpopBuffer(
          1,
          1,
          this.#inbox(this.#options.shard),
          "LEFT",
          "COUNT",
          MOST_MESSAGES,
        );
        for (const message of messagesIn(found)) this.#deliver(message);
      } catch (cause) {
        if (this.#closed) return;
        this.#stop(new VouchError("task/failed", "The connection to Redis is lost.", { cause }));
      }
    }
  }

  #deliver(message: Buffer): void {
    const length = message.length >= 4 ? message.readUInt32LE(0) : 0;
    const key = message.toString("utf8", 4, 4 + length);
    const bytes = new Uint8Array(
      message.buffer,
      message.byteOffset + 4 + length,
      message.length - 4 - length,
    );
    if (key.startsWith(`${FAILURE}/`)) {
      const [shard, ...words] = new TextDecoder().decode(bytes).split(" ");
      this.#stop(new VouchError("task/failed", `Shard ${shard} has failed: ${words.join(" ")}`));
      return;
    }
    const reader = this.#readers.get(key);
    if (reader) reader.resolve(bytes);
    else this.#arrived.set(key, bytes);
  }

  /** Gives a sign of life, and looks for those of the others. */
  async #beat(): Promise<void> {
    const { shard, shards, join = JOIN } = this.#options;
    try {
      await this.#redis
        .pipeline()
        .set(this.#life(shard), "1", "PX", this.#silence)
        .pexpire(this.#inbox(shard), TIME_TO_LIVE)
        .exec();
      const lives = await this.#redis.mget(Array.from({ length: shards }, (_, other) => this.#life(other)));
      for (const [other, life] of lives.entries()) {
        if (life !== null) this.#seen.add(other);
        else if (this.#seen.has(other))
          this.#lose(other, `has not been heard of for ${this.#silence / 1000} s`);
        else if (Date.now() - this.#started > join)
          this.#lose(other, `has not joined within ${join / 1000} s`);
      }
    } catch (cause) {
      if (!this.#closed)
        this.#stop(new VouchError("task/failed", "The connection to Redis is lost.", { cause }));
    }
  }

  /** Ends waits for a shard that is gone; messages that it has sent before are still read. */
  #lose(shard: number, why: string): void {
    for (const key of this.#readers.keys()) {
      if (writerOf(key) !== shard) continue;
      this.#stop(
        new VouchError("task/worker-died", `Shard ${shard} ${why}.`, {
          hint: "Look for the end of its process, such as a lack of memory, and train again.",
        }),
      );
      return;
    }
  }

  /** Ends all waits with an error. */
  #stop(error: Error): void {
    this.#failure ??= error;
    for (const reader of [...this.#readers.values()]) reader.reject(this.#failure);
  }
}

/** Lists the messages of an answer to BLMPOP: null, or the key of the list and its elements. */
function messagesIn(answer: unknown): Buffer[] {
  if (!Array.isArray(answer) || !Array.isArray(answer[1])) return [];
  return answer[1].filter((message) => Buffer.isBuffer(message));
}

function readerOf(key: string): number {
  return Number(key.slice(key.lastIndexOf("-") + 1));
}

function writerOf(key: string): number {
  return Number(key.slice(key.lastIndexOf("/") + 1, key.lastIndexOf("-")));
}

/** Returns the host of an address, without its password. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
