import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { CLUSTER_VERSION, TIME_TO_LIVE } from "./keys.js";
import { type WorkerFacts, workerFrom } from "./messages.js";
import type { RedisAddress } from "./redis-address.js";
import type { RedisConnection } from "./redis-connection.js";
import { noteDeaths } from "./worker-deaths.js";

/** Number of heartbeats in the time after which a worker counts as gone. */
const BEATS = 5;

/** Sends heartbeats of a worker. */
export class Presence {
  readonly #redis: RedisConnection;
  readonly #facts: WorkerFacts;
  readonly #gone: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `gone` is the time without a heartbeat, in milliseconds, after which the worker counts as gone. */
  constructor(redis: RedisConnection, facts: WorkerFacts, gone: number) {
    this.#redis = redis;
    this.#facts = facts;
    this.#gone = gone;
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#timer = setInterval(() => {
      // Skip heartbeats that would wait for Redis, because they would be useless.
      if (this.#redis.status === "ready") void this.#beat().catch(() => {});
    }, this.#gone / BEATS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#redis.status !== "ready") return;
    const { id } = this.#facts;
    const { keySpace } = this.#redis;
    await this.#redis.multi().del(keySpace.worker(id)).srem(keySpace.workers, id).exec();
  }

  async #beat(): Promise<void> {
    const { id } = this.#facts;
    const { keySpace } = this.#redis;
    const pipeline = this.#redis
      .pipeline()
      .set(keySpace.worker(id), JSON.stringify(this.#facts), "PX", this.#gone)
      .sadd(keySpace.workers, id)
      .expire(keySpace.workers, TIME_TO_LIVE);
    // BullMQ's keys have no time to live.
    for (const key of keySpace.queues()) pipeline.expire(key, TIME_TO_LIVE);
    await pipeline.exec();
  }
}

/** Present workers. */
export interface PresentWorkers {
  readonly ours: readonly WorkerFacts[];
  /** Workers with another version of vouch or Node. */
  readonly others: readonly WorkerFacts[];
}

/** Lists the workers with a recent heartbeat, and records the deaths of all other workers. */
export async function presentWorkers(redis: RedisConnection): Promise<PresentWorkers> {
  const { keySpace } = redis;
  const ids = await redis.smembers(keySpace.workers);
  if (ids.length === 0) return { ours: [], others: [] };
  const texts = await redis.mget(ids.map((id) => keySpace.worker(id)));
  const gone = ids.filter((_, i) => texts[i] === null);
  if (gone.length > 0) await noteDeaths(redis, gone);
  const present = texts.flatMap((text) => (text === null ? [] : (workerFrom(text) ?? [])));
  return {
    ours: present.filter(({ version }) => version === CLUSTER_VERSION),
    others: present.filter(({ version }) => version !== CLUSTER_VERSION),
  };
}

/** Creates the error of a run without a worker of its version. */
export function noWorkers({ shown }: RedisAddress, { others }: PresentWorkers, patience: number): VouchError {
  if (others.length > 0) {
    const versions = [...new Set(others.map(({ version }) => version))].join(", ");
    return new VouchError(
      "cluster/version",
      `The workers at ${shown} have other versions (${versions}) than this run (${CLUSTER_VERSION}).`,
      {
        hint: "Install the same build of the same version of vouch, and of Node, everywhere: results would not be the same bits.",
      },
    );
  }
  return new VouchError(
    "cluster/no-workers",
    `There has been no worker at ${shown} for ${Math.round(patience / 1000)} s.`,
    { hint: "Start some: vouch worker --cluster URL. Or give them more time: --wait 5m." },
  );
}
