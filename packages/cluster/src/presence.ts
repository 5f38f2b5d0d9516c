import type { Redis } from "ioredis";
import { CLUSTER_VERSION, LANES, queueKeys, TIME_TO_LIVE, WORKERS, workerKey } from "./keys.js";
import { type WorkerFacts, workerFrom } from "./messages.js";

/** Milliseconds between two signs of life of a worker, and those after which it counts as gone. */
const BEAT = 1000;
const GONE = 5000;

/** Tells runs that a worker is there, as long as it is. */
export class Presence {
  readonly #redis: Redis;
  readonly #facts: WorkerFacts;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(redis: Redis, facts: WorkerFacts) {
    this.#redis = redis;
    this.#facts = facts;
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#timer = setInterval(() => {
      // Signs of life that had to wait for Redis are of no use.
      if (this.#redis.status === "ready") void this.#beat().catch(() => {});
    }, BEAT);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const { id } = this.#facts;
    await this.#redis.multi().del(workerKey(id)).srem(WORKERS, id).exec();
  }

  async #beat(): Promise<void> {
    const { id } = this.#facts;
    const pipeline = this.#redis
      .pipeline()
      .set(workerKey(id), JSON.stringify(this.#facts), "PX", GONE)
      .sadd(WORKERS, id)
      .expire(WORKERS, TIME_TO_LIVE);
    // BullMQ's keys have no time to live of their own.
    for (const key of LANES.flatMap(queueKeys)) pipeline.expire(key, TIME_TO_LIVE);
    await pipeline.exec();
  }
}

/** The workers that are there. */
export interface PresentWorkers {
  readonly ours: readonly WorkerFacts[];
  /** Those with another version of vouch or Node. */
  readonly others: readonly WorkerFacts[];
}

/** Lists the workers that have given a sign of life, and forgets the others. */
export async function presentWorkers(redis: Redis): Promise<PresentWorkers> {
  const ids = await redis.smembers(WORKERS);
  if (ids.length === 0) return { ours: [], others: [] };
  const texts = await redis.mget(ids.map(workerKey));
  const gone = ids.filter((_, i) => texts[i] === null);
  if (gone.length > 0) await redis.srem(WORKERS, ...gone);
  const present = texts.flatMap((text) => (text === null ? [] : (workerFrom(text) ?? [])));
  return {
    ours: present.filter(({ version }) => version === CLUSTER_VERSION),
    others: present.filter(({ version }) => version !== CLUSTER_VERSION),
  };
}
