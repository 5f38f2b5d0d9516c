import { type Job, Worker as QueueWorker, WaitingError, type WorkerOptions } from "bullmq";

/** BullMQ returns undefined if there is no job, contrary to its types. */
const [NO_JOB]: Job[] = [];

/** Runs a job. Calling `computed` before the end allows another job to be taken. */
export type JobProcess = (job: Job, token: string | undefined, computed: () => void) => Promise<void>;

/**
 * A BullMQ worker that computes a number of jobs at a time. It takes the next job as soon as one is computed, while
 * that result is being stored. It takes none earlier, because another worker may be idle. Jobs whose data is not JSON
 * get no data, so that they are refused rather than crash the worker.
 */
export class JobWorker extends QueueWorker {
  /** Number of jobs that it may still take. */
  #free: number;
  readonly #waiting: (() => void)[] = [];
  /** Jobs that are not computed yet, and those that have not begun. */
  readonly #taken = new Set<Job>();
  readonly #unbegun = new Set<Job>();

  constructor(name: string, atOnce: number, process: JobProcess, options: WorkerOptions) {
    // For each job being computed, another result may be being stored.
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
      // BullMQ starts the jobs it has once it gets no further one.
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

/** Returns a job to the queue, at once or after a delay. Always throws, as BullMQ expects. */
export async function requeue(job: Job, token: string | undefined, delay = 0): Promise<never> {
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  await job.moveToWait(token);
  throw new WaitingError();
}
