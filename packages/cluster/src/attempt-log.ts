import type { Job } from "bullmq";
import { TIME_TO_LIVE } from "./keys.js";
import type { TaskJob } from "./messages.js";
import type { RedisConnection } from "./redis-connection.js";
import { deathsSince } from "./worker-deaths.js";

/** Workers that a task may end if no other worker dies meanwhile: then the task is the cause. */
const MOST_DEATHS = 3;

/** Workers that may die while they run a task if others die, too: then machines are unreliable, and the task was unlucky. */
const MOST_DEATHS_AMONG_OTHERS = 6;

/** Milliseconds without a sign of life after which a worker is dead: one that is alive has time to connect to Redis again. */
const SILENCE = 2000;

/** Milliseconds in which it turns out who is dead. */
const INQUEST = 8000;

const PAUSE = 250;

/** Adds a try to those of a run, unless the run is over. */
const BEGIN = `
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
redis.call("HSET", KEYS[2], ARGV[1], ARGV[2])
redis.call("EXPIRE", KEYS[2], ARGV[3])
return 1`;

/**
 * Notes which workers have tried which task, so that a task which ends its workers can be told from one whose workers were ended by
 * chance. A worker that lost its connection, and was taken for dead by the queue, is none of those that have died.
 */
export class AttemptLog {
  readonly #redis: RedisConnection;
  readonly #worker: string;

  constructor(redis: RedisConnection, worker: string) {
    this.#redis = redis;
    this.#worker = worker;
  }

  /** Notes that this worker tries a task; false if its run is over. */
  async begin(job: Job, work: TaskJob): Promise<boolean> {
    const { alive, tries } = this.#redis.keySpace.run(work.run);
    const field = fieldOf(work, job.stalledCounter);
    return (await this.#redis.eval(BEGIN, 2, alive, tries, field, this.#worker, TIME_TO_LIVE)) === 1;
  }

  /** Forgets the tries of a task that has ended. */
  async end(job: Job, work: TaskJob): Promise<void> {
    await this.#redis.hdel(
      this.#redis.keySpace.run(work.run).tries,
      ...fieldsOf(work, job.stalledCounter + 1),
    );
  }

  /** Counts the workers that the task has ended; 0 if they may have been ended by chance. */
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

  /** Counts the dead among some workers: signs of life last for a few seconds, and may be late after Redis was away. */
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
