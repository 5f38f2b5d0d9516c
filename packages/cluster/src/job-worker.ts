import { type Job, Worker as QueueWorker, WaitingError, type WorkerOptions } from "bullmq";

/** BullMQ returns undefined as a job if there is none, though its types do not say so. */
const [NO_JOB]: Job[] = [];

/** Runs a job. It may call `computed` before its end: then another job is taken. */
export type JobProcess = (job: Job, token: string | undefined, computed: () => void) => Promise<void>;

/**
 * A worker of BullMQ that computes a number of jobs at a time. It takes the next one as soon as one is computed, while the result of that
 * one is being stored; not earlier, because another worker may be idle. It survives jobs whose data is not JSON: they get no data, so that
 * they are refused.
 */
export class JobWorker extends QueueWorker {
  /** Jobs that it may still take. */
  #free: number;
  readonly #waiting: (() => void)[] = [];
  /** Jobs that are not computed yet, and those of them that have not begun. */
  readonly #taken = new Set<Job>();
  readonly #unbegun = new Set<Job>();

  constructor(name: string, atOnce: number, process: JobProcess, options: WorkerOptions) {
    // In addition to each job that is computed, a result may be stored.
    const settings = { ...options, concurrency: 2 * atOnce, autorun: false };
    super(name, (job, token) => process(job, token, () => this.#release(job)), settings);
    this.#free = atOnce;
    this.run().catch((error) => this.emit("error", error));
  }

  override async processJob(...[job, token]: Parameters<QueueWorker["processJob"]>) {
    this.#unbegun.delete(job);
    try {
      return await super.processJob(job, token, () => false);
    } finally {
      this.#release(job);
    }
  }

  protected override async moveToActive(...given: Parameters<QueueWorker["moveToActive"]>): Promise<Job> {
    while (this.#free === 0) {
      // BullMQ begins with the jobs that it has once it gets no further one.
      if (this.#unbegun.size > 0) return NO_JOB;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#free--;
    try {
      const job = await super.moveToActive(...given);
      if (job === NO_JOB) this.#freeOne();
      else {
        this.#taken.add(job);
        this.#unbegun.add(job);
      }
      return job;
    } catch (error) {
      this.#freeOne();
      throw error;
    }
  }

  protected override createJob(...[data, id]: Parameters<QueueWorker["createJob"]>): Job {
    try {
      return super.createJob(data, id);
    } catch {
      return super.createJob({ ...data, data: "{}" }, id);
    }
  }

  #release(job: Job): void {
    if (this.#taken.delete(job)) this.#freeOne();
  }

  #freeOne(): void {
    this.#free++;
    this.#waiting.shift()?.();
  }
}

/** Puts a job back into the queue, at once or after some milliseconds. Always throws, as BullMQ wants it. */
export async function requeue(job: Job, token: string | undefined, delay = 0): Promise<never> {
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  await job.moveToWait(token);
  throw new WaitingError();
}
