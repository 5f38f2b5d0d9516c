import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Job, Worker as QueueWorker, WaitingError } from "bullmq";
import type { Redis } from "ioredis";
import { hardwareThreads, memoryLimit, portableTasks, VouchError } from "vouch/machines";
import { BlobCache } from "./blob-cache.js";
import type { BlobStore } from "./blob-store.js";
import { jobId } from "./cluster-run.js";
import { commandError, connectRedis } from "./connect.js";
import { RedisExchange } from "./exchange.js";
import { deleteIdleQueues } from "./idle-queues.js";
import { CANCEL, CLUSTER_VERSION, LANES, type Lane, PREFIX, queueName, runKeys } from "./keys.js";
import {
  type Cancellation,
  cancellationFrom,
  eventText,
  jobFrom,
  packFailure,
  type TaskEvent,
  type TaskJob,
} from "./messages.js";
import { openBlobs } from "./open-blobs.js";
import { Presence } from "./presence.js";
import { type RedisAddress, redisAddress } from "./redis-address.js";
import { TaskThread } from "./task-thread.js";
import { Uploads } from "./uploads.js";

/** Milliseconds after which a job of a worker that is gone is given to another, by default. */
const LOCK = 5000;

/** A task is tried so often if its worker dies or has too little memory. */
export const MOST_TRIES = 3;

/** Tasks of gangs that a worker runs at the same time, at most: more than one only if another worker has died. */
const MOST_OF_GANGS = 16;

/** Milliseconds between two reports of the progress of a task. */
const PROGRESS_INTERVAL = 500;

/** What happens on a worker. */
export type WorkerEvent =
  | { readonly kind: "started"; readonly task: string; readonly run: string; readonly index: number }
  | {
      readonly kind: "done";
      readonly task: string;
      readonly run: string;
      readonly index: number;
      readonly seconds: number;
      readonly fetched: number;
      readonly sent: number;
    }
  | {
      readonly kind: "failed";
      readonly task: string;
      readonly run: string;
      readonly index: number;
      readonly message: string;
      readonly final: boolean;
    }
  | { readonly kind: "cancelled"; readonly task: string; readonly run: string; readonly index: number }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "away" | "back" };

/** How to run a worker. */
export interface WorkerSettings {
  /** The address of Redis. */
  readonly url: string;
  /** Number of threads; the default is all of the machine. */
  readonly threads?: number;
  /** Where blobs are: a folder, `s3://…`, or Redis itself if absent. */
  readonly blobs?: string;
  /** Bytes of blobs to keep in memory; the default is a quarter of the memory limit, at most 2 GiB. */
  readonly cacheBytes?: number;
  /** Ids of the tasks that it runs; the default is those of the library. */
  readonly tasks?: readonly string[];
  /** The script of threads, which calls `serveJobs` with these tasks. */
  readonly script?: URL;
  /** Milliseconds without a sign of life after which its jobs are given to other workers; 5,000 by default. */
  readonly lock?: number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** Numbers of a worker since it started. */
export interface WorkerTotals {
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  readonly seconds: number;
  readonly bytesFetched: number;
  readonly bytesSent: number;
  readonly cacheBytes: number;
}

/** Starts a worker: connects to Redis and runs tasks until it is closed. */
export async function startWorker(settings: WorkerSettings): Promise<TaskWorker> {
  const address = redisAddress(settings.url);
  const redis = await connectRedis(address, { name: "vouch-worker" });
  try {
    const worker = new TaskWorker(settings, address, redis, await openBlobs(settings.blobs, redis));
    await worker.start();
    return worker;
  } catch (error) {
    redis.disconnect();
    throw commandError(error, address);
  }
}

/** A task that is running. */
interface Running extends Pick<TaskJob, "run" | "map"> {
  readonly stop: AbortController;
}

/** Runs tasks of the queue of a cluster on the threads of this machine. */
export class TaskWorker {
  readonly name = `${hostname()}:${process.pid}`;
  readonly threads: number;
  readonly #address: RedisAddress;
  readonly #redis: Redis;
  readonly #store: BlobStore;
  readonly #cache: BlobCache;
  readonly #tasks: ReadonlySet<string>;
  readonly #script: URL;
  readonly #lock: number;
  readonly #onEvent: (event: WorkerEvent) => void;
  readonly #presence: Presence;
  readonly #queues: QueueWorker[] = [];
  readonly #running = new Set<Running>();
  readonly #idle: TaskThread[] = [];
  readonly #busy = new Set<TaskThread>();
  /** Runs and maps that were cancelled last: their jobs may still be in the queue. */
  readonly #cancelled = new Set<string>();
  #subscriber: Redis | undefined;
  #closing = false;
  #totals = { done: 0, failed: 0, seconds: 0, bytesSent: 0 };

  constructor(settings: WorkerSettings, address: RedisAddress, redis: Redis, store: BlobStore) {
    this.threads = settings.threads ?? hardwareThreads();
    this.#address = address;
    this.#redis = redis;
    this.#store = store;
    this.#cache = new BlobCache(store, settings.cacheBytes ?? Math.min(2 ** 31, memoryLimit() / 4));
    this.#tasks = new Set(settings.tasks ?? Object.keys(portableTasks));
    this.#script = settings.script ?? new URL("./job-thread.js", import.meta.url);
    this.#lock = settings.lock ?? LOCK;
    this.#onEvent = settings.onEvent ?? (() => {});
    this.#presence = new Presence(redis, {
      id: randomUUID(),
      name: this.name,
      version: CLUSTER_VERSION,
      threads: this.threads,
    });
    redis.on("close", () => !this.#closing && this.#onEvent({ kind: "away" }));
    redis.on("ready", () => this.#onEvent({ kind: "back" }));
  }

  get totals(): WorkerTotals {
    return {
      ...this.#totals,
      running: this.#running.size,
      bytesFetched: this.#cache.fetched,
      cacheBytes: this.#cache.bytes,
    };
  }

  /** Begins to take jobs. */
  async start(): Promise<void> {
    this.#subscriber = this.#redis.duplicate({ lazyConnect: false });
    this.#subscriber.on("error", () => {});
    this.#subscriber.on("message", (_: string, text: string) => this.#cancel(cancellationFrom(text)));
    await this.#subscriber.subscribe(CANCEL);
    for (const lane of LANES) this.#queues.push(this.#listen(lane));
    await Promise.all(this.#queues.map((queue) => queue.waitUntilReady()));
    await this.#presence.start();
  }

  /** Stops: running tasks are given back to the queue. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    for (const { stop } of this.#running) stop.abort();
    if (this.#redis.status === "ready") await this.#presence.stop().catch(() => {});
    await Promise.all(this.#queues.map((queue) => queue.close()));
    await Promise.all([...this.#idle, ...this.#busy].map((thread) => thread.end()));
    this.#subscriber?.disconnect();
    if (this.#redis.status === "ready") await deleteIdleQueues(this.#redis).catch(() => {});
    this.#redis.disconnect();
  }

  #listen(lane: Lane): QueueWorker {
    const concurrency = { thread: this.threads, machine: 1, gang: MOST_OF_GANGS }[lane];
    const queue = new TolerantQueueWorker(queueName(lane), (job, token) => this.#process(job, token, lane), {
      connection: this.#redis,
      prefix: PREFIX,
      name: this.name,
      concurrency,
      lockDuration: this.#lock,
      stalledInterval: this.#lock / 2,
      maxStalledCount: MOST_TRIES - 1,
      runRetryDelay: 1000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    // Redis being away is reported once, by the connection.
    queue.on("error", () => {});
    queue.on("failed", (job, error) => void this.#gaveUp(job, error).catch(() => {}));
    return queue;
  }

  /** Runs a job. Throws if another worker may try it; everything else ends the job. */
  async #process(job: Job, token: string | undefined, lane: Lane): Promise<void> {
    const work = jobFrom(job.data);
    if (!work) {
      this.#onEvent({ kind: "refused", message: `job ${String(job.id)} is malformed` });
      return;
    }
    const { run, map, index, task } = work;
    if (this.#isCancelled(work) || (await this.#redis.exists(runKeys(run).alive)) === 0) return;
    if (lane === "gang" && this.#running.size > 0 && Date.now() - job.timestamp < 2 * this.#lock) {
      const isSame = [...this.#running].some((other) => other.run === run && other.map === map);
      if (isSame) await giveBack(job, token, 250);
    }
    const stop = new AbortController();
    const running = { run, map, stop };
    this.#running.add(running);
    this.#onEvent({ kind: "started", task, run, index });
    try {
      await this.#runTask(work, lane, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) {
        this.#onEvent({ kind: "cancelled", task, run, index });
        if (this.#closing && !this.#isCancelled(work)) await giveBack(job, token);
        return;
      }
      await this.#failed(work, error, job.attemptsMade + 1 >= MOST_TRIES);
    } finally {
      this.#running.delete(running);
    }
  }

  async #runTask(work: TaskJob, lane: Lane, signal: AbortSignal): Promise<void> {
    const { run, map, index, task } = work;
    this.#check(work);
    const [bytesBefore, timeBefore] = [this.#cache.fetched, this.#cache.busy.milliseconds];
    const { value } = await this.#cache.decode(work.input, memoryLimit());
    const fetched = this.#cache.fetched - bytesBefore;
    const fetching = this.#cache.busy.milliseconds - timeBefore;
    const exchange = lane === "gang" ? new RedisExchange(this.#redis, run, String(map)) : undefined;
    const thread = this.#thread();
    const began = performance.now();
    let reported = began;
    try {
      const output = await thread.run({
        task,
        input: value,
        threads: lane === "thread" ? 1 : this.threads,
        exchange,
        signal,
        onProgress: (fraction, note) => {
          const now = performance.now();
          if (now - reported < PROGRESS_INTERVAL || this.#redis.status !== "ready") return;
          reported = now;
          const { name: worker } = this;
          const event: TaskEvent = { kind: "progress", map, index, worker, fraction, note };
          this.#redis.publish(runKeys(run).notes, eventText(event)).catch(() => {});
        },
      });
      const seconds = (performance.now() - began) / 1000;
      const holder = jobId(run, work);
      const uploads = new Uploads(this.#store, holder);
      const { message, blobs } = await uploads.message(output);
      const costs = { seconds, transfer: fetching + uploads.busy.milliseconds, fetched, sent: uploads.bytes };
      const event: TaskEvent = { kind: "done", map, index, worker: this.name, output: message, costs };
      if (!(await this.#tell(run, event))) await this.#store.release(blobs, holder);
      this.#totals.done++;
      this.#totals.seconds += seconds;
      this.#totals.bytesSent += uploads.bytes;
      this.#onEvent({ kind: "done", task, run, index, seconds, fetched, sent: uploads.bytes });
    } finally {
      this.#busy.delete(thread);
      if (thread.usable) this.#idle.push(thread);
      await exchange?.close();
    }
  }

  #check({ version, task }: TaskJob): void {
    if (version !== CLUSTER_VERSION) {
      throw new VouchError(
        "cluster/version",
        `The run has version ${version}, the worker ${CLUSTER_VERSION}.`,
        {
          hint: "Install the same version of vouch, and of Node, everywhere.",
        },
      );
    }
    if (!this.#tasks.has(task)) {
      throw new VouchError("cluster/malformed", `The worker has no portable task "${task}".`);
    }
  }

  #thread(): TaskThread {
    const thread = this.#idle.pop() ?? new TaskThread(this.#script);
    if (!thread.usable) return this.#thread();
    this.#busy.add(thread);
    return thread;
  }

  /** Tells the run of an error that another try would not change; throws if one may. */
  async #failed(work: TaskJob, thrown: unknown, isLast: boolean): Promise<void> {
    const error = commandError(thrown, this.#address);
    const final = isLast || !isLocal(error);
    const { task, run, map, index } = work;
    const { message } = packFailure(error);
    this.#totals.failed++;
    this.#onEvent({ kind: "failed", task, run, index, message, final });
    if (!final) throw error;
    await this.#tell(run, { kind: "failed", map, index, worker: this.name, error: packFailure(error) });
  }

  /** Tells the run of a job that BullMQ has given up: its workers died. */
  async #gaveUp(job: Job | undefined, { message }: Error): Promise<void> {
    const work = jobFrom(job?.data);
    if (!work || !/stalled/.test(message)) return;
    const { task, run, map, index } = work;
    const error = new VouchError(
      "cluster/worker-died",
      `Task "${task}", input ${index + 1}: ${MOST_TRIES} workers ended while they ran it.`,
      { hint: "Perhaps they have too little memory. Look at their output, or use fewer rows." },
    );
    this.#onEvent({ kind: "failed", task, run, index, message: error.message, final: true });
    await this.#tell(run, { kind: "failed", map, index, worker: this.name, error: packFailure(error) });
  }

  /** Adds an event to those of a run; false if the run is over. If Redis has no memory for it, it says so on the channel. */
  async #tell(run: string, event: TaskEvent): Promise<boolean> {
    try {
      const text = eventText(event);
      return (await this.#redis.xadd(runKeys(run).events, "NOMKSTREAM", "*", "event", text)) !== null;
    } catch (thrown) {
      const { map, index, worker } = event;
      const error = packFailure(commandError(thrown, this.#address));
      await this.#redis.publish(runKeys(run).notes, eventText({ kind: "failed", map, index, worker, error }));
      throw thrown;
    }
  }

  #cancel(cancellation: Cancellation | undefined): void {
    if (!cancellation) return;
    const { run, map } = cancellation;
    this.#cancelled.add(map === undefined ? run : `${run}-${map}`);
    const [oldest] = this.#cancelled;
    if (this.#cancelled.size > 1000) this.#cancelled.delete(oldest);
    for (const each of this.#running) {
      if (each.run === run && (map === undefined || each.map === map)) each.stop.abort();
    }
  }

  #isCancelled({ run, map }: Pick<TaskJob, "run" | "map">): boolean {
    return this.#cancelled.has(run) || this.#cancelled.has(`${run}-${map}`);
  }
}

/** Puts a job back into the queue, at once or after some milliseconds. Always throws, as BullMQ wants it. */
async function giveBack(job: Job, token: string | undefined, delay = 0): Promise<never> {
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  await job.moveToWait(token);
  throw new WaitingError();
}

/** Tells whether an error is due to this machine: another one may succeed. */
function isLocal(error: unknown): boolean {
  if (!(error instanceof VouchError)) return false;
  return (
    error.code.startsWith("memory/") ||
    ["task/worker-died", "cluster/blob", "cluster/too-large"].includes(error.code)
  );
}

/** A worker of BullMQ that survives jobs whose data is not JSON: they get no data, so that they are refused. */
class TolerantQueueWorker extends QueueWorker {
  protected override createJob(...[data, id]: Parameters<QueueWorker["createJob"]>): Job {
    try {
      return super.createJob(data, id);
    } catch {
      return super.createJob({ ...data, data: "{}" }, id);
    }
  }
}
