import { Queue } from "bullmq";
import { clearJobs } from "./clear-jobs.js";
import { type JobKind, queueName, TIME_TO_LIVE } from "./keys.js";
import { jobData, type TaskJob } from "./messages.js";
import type { RedisConnection } from "./redis-connection.js";

/** The BullMQ queues of a run, one per lane. */
export class JobQueues {
  readonly #redis: RedisConnection;
  readonly #queues = new Map<JobKind, Queue>();

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  /** Adds a job; job and queue live as long as they are renewed. */
  async add(lane: JobKind, job: TaskJob): Promise<void> {
    const id = jobId(job.run, job);
    await this.#queue(lane).add(job.task, jobData(job), { jobId: id });
    await this.#keep([this.#redis.keySpace.job(lane, id), ...this.#redis.keySpace.queue(lane)]);
  }

  /** Removes a job, unless it is running; its worker then ends it. */
  async remove(lane: JobKind, id: string): Promise<void> {
    await this.#queue(lane)
      .remove(id)
      .catch(() => {});
  }

  /** Clears the last jobs of a finished run. */
  async clear(run: string): Promise<void> {
    for (const queue of this.#queues.values()) await clearJobs(this.#redis, queue, run);
  }

  /** Renews the time to live of a job; false if it is gone. */
  async renewJob(lane: JobKind, id: string): Promise<boolean> {
    return (await this.#redis.expire(this.#redis.keySpace.job(lane, id), TIME_TO_LIVE)) === 1;
  }

  /** Renews the time to live of all queues; BullMQ sets none. */
  async renew(): Promise<void> {
    await this.#keep(this.#redis.keySpace.queues());
  }

  async #keep(keys: readonly string[]): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (const key of keys) pipeline.expire(key, TIME_TO_LIVE);
    await pipeline.exec();
  }

  #queue(lane: JobKind): Queue {
    const known = this.#queues.get(lane);
    if (known) return known;
    const queue = new Queue(queueName(lane), {
      connection: this.#redis,
      prefix: this.#redis.keySpace.prefix,
      skipMetasUpdate: true,
      streams: { events: { maxLen: 1000 } },
      defaultJobOptions: { attempts: 3, removeOnComplete: true, removeOnFail: true },
    });
    queue.on("error", () => {});
    this.#queues.set(lane, queue);
    return queue;
  }
}

/** Returns the ID of a job, which also holds the blobs of its result. */
export function jobId(run: string, { map, index }: { readonly map: number; readonly index: number }): string {
  return `${run}-${map}-${index}`;
}
