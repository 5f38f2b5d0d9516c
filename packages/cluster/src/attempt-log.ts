import type { Job } from "bullmq";
import { TIME_TO_LIVE } from "./keys.js";
import type { TaskJob } from "./messages.js";
import type { RedisConnection } from "./redis-connection.js";
import { deathsSince } from "./worker-deaths.js";

/** A task that kills this many workers, while no others die, is considered the cause. */
const MOST_DEATHS = 3;

/** Maximum number of workers that may die with a task if other workers die, too; the machines are then unreliable. */
const MOST_DEATHS_AMONG_OTHERS = 6;

/** Milliseconds without a heartbeat after which a worker is dead; long enough for a live one to reconnect to Redis. */
const SILENCE = 2000;

/** Milliseconds to wait until it is clear which workers are dead. */
const INQUEST = 8000;

const PAUSE = 250;

/** Records an attempt, unless the run is over. */
const BEGIN = `
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
redis.call("HSET", KEYS[2], ARGV[1], ARGV[2])
redis.call("EXPIRE", KEYS[2], ARGV[3])
return 1`;

/**
 * Records which workers have tried which task, in order to distinguish a task that kills its workers from an unlucky
 * one. A worker that only lost its connection, and was considered dead by the queue, does not count.
 */
export class AttemptLog {
  readonly #redis: RedisConnection;
  readonly #worker: string;

  constructor(redis: RedisConnection, worker: string) {
    this.#redis = redis;
    this.#worker = worker;
  }

  /** Records that this worker tries a task; false if its run is over. */
  async begin(job: Job, work: TaskJob): Promise<boolean> {
    const { alive, tries } = this.#redis.keySpace.run(work.run);
    const field = fieldOf(work, job.stalledCounter);
    return (await this.#redis.eval(BEGIN, 2, alive, tries, field, this.#worker, TIME_TO_LIVE)) === 1;
  }

  /** Removes the attempts of a finished task. */
  async end(job: Job, work: TaskJob): Promise<void> {
    await this.#redis.hdel(
      this.#redis.keySpace.run(work.run).tries,
      ...fieldsOf(work, job.stalledCounter + 1),
    );
  }

  /** Counts the workers that the task has killed; 0 if they may have died by chance. */
  async deathsDueTo(job: Job, work: TaskJob): Promise<number> {
    if (job.stalledCounter < MOST_DEATHS) return 0;
    const noted = await this.#redis.hmget(
      this.#redis.keySpace.run(work.run).tries,
      ...fieldsOf(work, job.stalledCounter),
    );
    const tried = new Set(noted.filter((id) => id !== null));
    const dead = await this.#dead([...tried]);
    if (dead < MOST_DEATHS) return 0;
    if (dead >= MOST_DEATHS_AMONG_OTHERS) return dead;
    const others = (await deathsSince(this.#redis, job.timestamp)).filter((id) => !tried.has(id));
    return others.length === 0 ? dead : 0;
  }

  /** Counts the dead workers. Heartbeats expire after a few seconds, and may be late after an outage of Redis. */
  async #dead(workers: readonly string[]): Promise<number> {
    const silentSince = new Map<string, number>();
    const began = performance.now();
    for (;;) {
      const signs = await this.#redis.mget(workers.map((id) => this.#redis.keySpace.worker(id)));
      const now = performance.now();
      for (const [i, id] of workers.entries()) {
        if (signs[i] !== null) silentSince.delete(id);
        else if (!silentSince.has(id)) silentSince.set(id, now);
      }
      const dead = workers.filter((id) => now - (silentSince.get(id) ?? now) >= SILENCE).length;
      if (dead === workers.length || now - began > INQUEST) return dead;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

function fieldOf({ map, index }: TaskJob, attempt: number): string {
  return `${map}-${index}-${attempt}`;
}

function fieldsOf(work: TaskJob, attempts: number): string[] {
  return Array.from({ length: attempts }, (_, attempt) => fieldOf(work, attempt));
}
