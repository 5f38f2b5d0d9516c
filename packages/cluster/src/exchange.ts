import type { Redis } from "ioredis";
import { type Exchange, Inbox, interrupted, VouchError } from "vouch/machines";
import { runKeys, TIME_TO_LIVE } from "./keys.js";

/** Milliseconds that a task waits for a message, by default. */
const WAIT = 10 * 60_000;

/** A wait looks again after so many milliseconds, in case that a wake-up got lost with a connection. */
const LOOK_AGAIN = 2000;

/** Bytes of a value in Redis, at most. */
const MOST_BYTES = 256 * 2 ** 20;

/**
 * An exchange over Redis: values that live as long as the run, and a channel that wakes up the tasks that wait for one. A task that
 * waits asks once, and then when it is woken up, so that many waiting tasks cost nothing.
 */
export class RedisExchange implements Exchange {
  readonly #redis: Redis;
  readonly #run: string;
  readonly #gang: string;
  readonly #wait: number;
  readonly #inbox = new Inbox();
  #subscriber: Promise<Redis> | undefined;

  /** `gang` tells the exchanges of one run apart. */
  constructor(redis: Redis, run: string, gang: string, milliseconds = WAIT) {
    this.#redis = redis;
    this.#run = run;
    this.#gang = gang;
    this.#wait = milliseconds;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > MOST_BYTES) {
      throw new VouchError(
        "cluster/too-large",
        `A message of ${bytes.length} bytes is too long for an exchange.`,
      );
    }
    const { exchanged } = runKeys(this.#run);
    const place = this.#place(key);
    await this.#redis
      .multi()
      .set(place, Buffer.from(bytes), "EX", TIME_TO_LIVE, "NX")
      .sadd(exchanged, place)
      .expire(exchanged, TIME_TO_LIVE)
      .publish(this.#channel, key)
      .exec()
      .then((results) => {
        for (const [error] of results ?? []) if (error) throw error;
      });
  }

  async get(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    if (signal?.aborted) throw interrupted();
    await this.#listen();
    const bytes = this.#inbox.take(key, signal);
    const limit = setTimeout(() => this.#inbox.refuse(key, this.#late(key)), this.#wait);
    const again = setInterval(() => this.#look(key), LOOK_AGAIN);
    try {
      this.#look(key);
      return await bytes;
    } finally {
      clearTimeout(limit);
      clearInterval(again);
    }
  }

  /** Fetches a value that is waited for, if it is there. */
  #look(key: string): void {
    this.#redis.getBuffer(this.#place(key)).then(
      (found) => found && this.#inbox.awaits(key) && this.#inbox.deliver(key, new Uint8Array(found)),
      (error: Error) => this.#inbox.refuse(key, error),
    );
  }

  /** Ends its connection, and all waits. */
  async close(): Promise<void> {
    this.#inbox.fail(interrupted());
    const subscriber = await this.#subscriber?.catch(() => undefined);
    subscriber?.disconnect();
    this.#subscriber = undefined;
  }

  #place(key: string): string {
    return runKeys(this.#run).exchange(this.#gang, key);
  }

  get #channel(): string {
    return this.#place("");
  }

  #late(key: string): VouchError {
    return new VouchError("cluster/timeout", `No task has written "${key}" within ${this.#wait / 1000} s.`, {
      hint: "Tasks that run together need as many workers at the same time.",
    });
  }

  #listen(): Promise<Redis> {
    this.#subscriber ??= this.#subscribe();
    return this.#subscriber;
  }

  async #subscribe(): Promise<Redis> {
    const subscriber = this.#redis.duplicate({ lazyConnect: false });
    subscriber.on("error", () => {});
    subscriber.on("message", (_: string, key: string) => {
      if (this.#inbox.awaits(key)) this.#look(key);
    });
    await subscriber.subscribe(this.#channel);
    return subscriber;
  }
}
