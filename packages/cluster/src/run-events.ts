import type { Redis } from "ioredis";
import { eventFrom, type TaskEvent } from "./messages.js";
import { endConnection, type RedisConnection } from "./redis-connection.js";
import { endInTime } from "./time-limit.js";

/** Blocking time of a read, in milliseconds. */
const BLOCK = 2000;

/**
 * Receives what workers report to a run: events from a stream, which loses nothing, and notes from a channel, which
 * may.
 */
export class RunEvents {
  readonly #redis: RedisConnection;
  readonly #run: string;
  readonly #onEvent: (event: TaskEvent) => void;
  /** Connection that waits for events; the channel uses another one. */
  readonly #reader: Redis;
  readonly #subscriber: Redis;
  #closed = false;
  #reading: Promise<void> | undefined;

  constructor(redis: RedisConnection, run: string, onEvent: (event: TaskEvent) => void) {
    this.#redis = redis;
    this.#run = run;
    this.#onEvent = onEvent;
    this.#reader = redis.duplicate();
    this.#subscriber = redis.duplicate();
  }

  async start(): Promise<void> {
    await this.#subscriber.subscribe(this.#redis.keySpace.run(this.#run).notes);
    this.#subscriber.on("message", (_: string, text: string) => this.#receive(text));
    this.#reading = this.#read();
  }

  async close(): Promise<void> {
    this.#closed = true;
    endConnection(this.#reader);
    endConnection(this.#subscriber);
    await endInTime(this.#reading);
  }

  /** Receives the remaining events after `close`. */
  async receiveRest(): Promise<void> {
    const left = await this.#redis.xrange(this.#redis.keySpace.run(this.#run).events, "-", "+");
    for (const [, [, text]] of left) if (text !== "") this.#receive(text);
  }

  async #read(): Promise<void> {
    const { events } = this.#redis.keySpace.run(this.#run);
    let last = "0";
    while (!this.#closed) {
      try {
        const answer = await this.#reader.xread("COUNT", 100, "BLOCK", BLOCK, "STREAMS", events, last);
        for (const [id, [, text]] of answer?.[0]?.[1] ?? []) {
          last = id;
          if (text !== "") this.#receive(text);
        }
        // Not awaited: this loop ends with its own connection.
        if (answer) this.#redis.xtrim(events, "MINID", last).catch(() => {});
      } catch {
        // The connection was lost and will return.
        if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  #receive(text: string): void {
    const event = eventFrom(text);
    if (event) this.#onEvent(event);
  }
}
