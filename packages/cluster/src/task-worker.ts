import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { portableTasks } from "@vouch/core/internal/portable-tasks";
import { memoryLimit } from "@vouch/core/internal/runtime/memory-limit";
import { hardwareThreads } from "@vouch/core/internal/runtime/platform";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { AttemptLog } from "./attempt-log.js";
import { BlobCache } from "./blob-cache.js";
import type { BlobStore } from "./blob-store.js";
import { CancelledRuns } from "./cancelled-runs.js";
import { commandError, connectRedis } from "./connect.js";
import { deleteIdleQueues } from "./idle-queues.js";
import { jobId } from "./job-queues.js";
import { JobThreads } from "./job-threads.js";
import { type JobProcess, JobWorker, requeue } from "./job-worker.js";
import { CLUSTER_VERSION, type JobKind, LANES, queueName } from "./keys.js";
import { type Cancellation, cancellationFrom, jobFrom, type TaskJob } from "./messages.js";
import { openBlobs } from "./open-blobs.js";
import { Presence } from "./presence.js";
import { type RedisAddress, redisAddress } from "./redis-address.js";
import { endConnection, type RedisConnection } from "./redis-connection.js";
import { MOST_TRIES, TaskReports } from "./task-reports.js";
import { preciseTime } from "./task-times.js";
import { endInTime, tidyUp } from "./time-limit.js";
import { Uploads } from "./uploads.js";
import type { WorkerEvent, WorkerSettings } from "./worker-settings.js";

/** Default time after which the jobs of a vanished worker go to other workers, in milliseconds. */
const LOCK = 5000;

/**
 * Effectively unlimited: this class decides about stalled jobs by worker deaths. BullMQ would also count workers that
 * only lost their connection.
 */
const MOST_STALLS = 1000;

/** Milliseconds for which a worker holds a job that it must not run, so that an idle one can take it. */
const AVOID = 100;

/** Milliseconds between two progress reports of a task. */
const PROGRESS_INTERVAL = 500;

/** Totals of a worker since it started. */
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
    endConnection(redis);
    throw commandError(error, address);
  }
}

interface Running extends Pick<TaskJob, "run" | "map"> {
  readonly stop: AbortController;
}

/** Runs tasks of a cluster's queue on the threads of this machine. */
export class TaskWorker {
  readonly name = `${hostname()}:${process.pid}`;
  /** Version that runs must share. */
  readonly version = CLUSTER_VERSION;
  readonly threads: number;
  readonly #id = randomUUID();
  readonly #redis: RedisConnection;
  readonly #store: BlobStore;
  readonly #cache: BlobCache;
  readonly #tasks: ReadonlySet<string>;
  readonly #lock: number;
  readonly #onEvent: (event: WorkerEvent) => void;
  readonly #presence: Presence;
  readonly #tries: AttemptLog;
  readonly #queues: JobWorker[] = [];
  readonly #running = new Set<Running>();
  readonly #threads: JobThreads;
  readonly #cancelled = new CancelledRuns();
  readonly #reports: TaskReports;
  #closing = false;
  #totals = { done: 0, seconds: 0, bytesSent: 0 };

  constructor(settings: WorkerSettings, address: RedisAddress, redis: RedisConnection, store: BlobStore) {
    this.threads = settings.threads ?? hardwareThreads();
    this.#redis = redis;
    this.#store = store;
    this.#cache = new BlobCache(store, settings.cacheBytes ?? Math.min(2 ** 31, memoryLimit() / 4));
    this.#tasks = new Set(settings.tasks ?? Object.keys(portableTasks));
    this.#threads = new JobThreads(settings.script ?? new URL("./job-thread.js", import.meta.url));
    this.#lock = settings.lock ?? LOCK;
    this.#onEvent = settings.onEvent ?? (() => {});
    this.#reports = new TaskReports(redis, address, this.name, this.#onEvent);
    this.#tries = new AttemptLog(redis, this.#id);
    const facts = { id: this.#id, name: this.name, version: CLUSTER_VERSION, threads: this.threads };
    this.#presence = new Presence(redis, facts, this.#lock);
    redis.on("close", () => !this.#closing && this.#onEvent({ kind: "away" }));
    redis.on("ready", () => this.#onEvent({ kind: "back" }));
  }

  get totals(): WorkerTotals {
    return {
      ...this.#totals,
      failed: this.#reports.failures,
      running: this.#running.size,
      bytesFetched: this.#cache.fetched,
      cacheBytes: this.#cache.bytes,
    };
  }

  /** Starts taking jobs. */
  async start(): Promise<void> {
    const subscriber = this.#redis.duplicate();
    subscriber.on("message", (_: string, text: string) => this.#cancel(cancellationFrom(text)));
    await subscriber.subscribe(this.#redis.keySpace.cancel);
    for (const lane of LANES) this.#queues.push(this.#listen(lane));
    await Promise.all(this.#queues.map((queue) => queue.waitUntilReady()));
    await this.#presence.start();
  }

  /** Stops, and returns running tasks to the queue if Redis answers within seconds. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    for (const { stop } of this.#running) stop.abort();
    await tidyUp(this.#redis, async () => {
      await Promise.allSettled([this.#presence.stop(), ...this.#queues.map((queue) => queue.close())]);
      if (this.#redis.status === "ready") await deleteIdleQueues(this.#redis);
    });
    await endInTime(this.#threads.end());
    endConnection(this.#redis);
  }

  #listen(lane: JobKind): JobWorker {
    const atOnce = { thread: this.threads, machine: 1 }[lane];
    const process: JobProcess = (...given) => this.#process(lane, ...given);
    const queue = new JobWorker(queueName(lane), atOnce, process, {
      connection: this.#redis,
      prefix: this.#redis.keySpace.prefix,
      name: this.name,
      lockDuration: this.#lock,
      stalledInterval: this.#lock / 2,
      maxStalledCount: MOST_STALLS,
      runRetryDelay: 1000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    // The connection already reports outages of Redis.
    queue.on("error", () => {});
    return queue;
  }

  /** Runs a job. Throws if another worker may try it; everything else ends the job. */
  async #process(lane: JobKind, ...[job, token, computed]: Parameters<JobProcess>): Promise<void> {
    if (this.#closing) await requeue(job, token);
    const work = jobFrom(job.data);
    if (!work) {
      this.#onEvent({ kind: "refused", message: `job ${String(job.id)} is malformed` });
      return;
    }
    const { run, map, index, task } = work;
    if (this.#cancelled.has(work)) return;
    if (work.avoid === this.#id) await requeue(job, token, AVOID);
    const deaths = await this.#tries.deathsDueTo(job, work);
    if (deaths > 0) return this.#reports.gaveUp(work, deaths);
    if (!(await this.#tries.begin(job, work))) return;
    const stop = new AbortController();
    const running = { run, map, stop };
    this.#running.add(running);
    this.#onEvent({ kind: "started", task, run, index });
    try {
      await this.#runTask(work, lane, stop.signal, computed);
      void this.#tries.end(job, work).catch(() => {});
    } catch (error) {
      if (stop.signal.aborted) {
        this.#onEvent({ kind: "cancelled", task, run, index });
        if (this.#closing && !this.#cancelled.has(work)) await requeue(job, token);
        return;
      }
      await this.#reports.failed(work, error, job.attemptsMade + 1 >= MOST_TRIES);
    } finally {
      this.#running.delete(running);
    }
  }

  async #runTask(work: TaskJob, lane: JobKind, signal: AbortSignal, computed: () => void): Promise<void> {
    const { run, map, index, task } = work;
    const taken = preciseTime();
    this.#check(work);
    const [bytesBefore, timeBefore] = [this.#cache.fetched, this.#cache.busy.milliseconds];
    const { value } = await this.#cache.decode(work.input, memoryLimit());
    const fetched = this.#cache.fetched - bytesBefore;
    const fetching = this.#cache.busy.milliseconds - timeBefore;
    const began = preciseTime();
    const output = await this.#compute(work, lane, value, signal);
    computed();
    const ended = preciseTime();
    const seconds = (ended - began) / 1000;
    const holder = jobId(run, work);
    const uploads = new Uploads(this.#store, holder);
    const { message, blobs } = await uploads.message(output);
    const times = { taken, began, ended, stored: preciseTime() };
    const transfer = fetching + uploads.busy.milliseconds;
    const costs = { seconds, transfer, fetched, sent: uploads.bytes, times };
    const place = { map, index, worker: this.name, by: this.#id };
    const done = { ...place, kind: "done", output: message, costs } as const;
    if (!(await this.#reports.tell(run, done))) await this.#store.release(blobs, holder);
    this.#totals.done++;
    this.#totals.seconds += seconds;
    this.#totals.bytesSent += uploads.bytes;
    this.#onEvent({ kind: "done", task, run, index, seconds, fetched, sent: uploads.bytes });
  }

  /** Computes the output of a task on a thread, which may start others. */
  #compute(work: TaskJob, lane: JobKind, input: unknown, signal: AbortSignal): Promise<unknown> {
    const { run, map, index, task } = work;
    let reported = performance.now();
    return this.#threads.run({
      task,
      input,
      threads: lane === "thread" ? 1 : this.threads,
      signal,
      onProgress: (fraction, note) => {
        const now = performance.now();
        if (now - reported < PROGRESS_INTERVAL) return;
        reported = now;
        this.#reports.progress(run, { kind: "progress", map, index, worker: this.name, fraction, note });
      },
    });
  }

  #check({ version, task }: TaskJob): void {
    if (version !== CLUSTER_VERSION) {
      throw new VouchError(
        "cluster/version",
        `The run has version ${version}, the worker ${CLUSTER_VERSION}.`,
        {
          hint: "Install the same build of the same version of vouch, and of Node, everywhere.",
        },
      );
    }
    if (!this.#tasks.has(task)) {
      throw new VouchError("cluster/malformed", `The worker has no portable task "${task}".`);
    }
  }

  #cancel(cancellation: Cancellation | undefined): void {
    if (!cancellation) return;
    const { run, map } = cancellation;
    this.#cancelled.add(cancellation);
    for (const each of this.#running) {
      if (each.run === run && (map === undefined || each.map === map)) each.stop.abort();
    }
  }
}
