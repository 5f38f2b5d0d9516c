import { randomBytes } from "node:crypto";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { BlobStore } from "./blob-store.js";
import { commandError } from "./connect.js";
import { deleteIdleQueues } from "./idle-queues.js";
import { JobQueues, jobId } from "./job-queues.js";
import { CLUSTER_VERSION, type JobKind, TIME_TO_LIVE } from "./keys.js";
import { LateResults } from "./late-results.js";
import type { TaskEvent, WorkerFacts } from "./messages.js";
import type { RedisAddress } from "./redis-address.js";
import { endConnection, type RedisConnection } from "./redis-connection.js";
import { RunEvents } from "./run-events.js";
import { type RunLimits, RunWatch } from "./run-watch.js";
import { tidyUp } from "./time-limit.js";
import { type UploadedMessage, Uploads } from "./uploads.js";

/** Milliseconds between two renewals of the run's keys. */
const RENEW = 10_000;

/** A job that is missing at two renewals was lost, and is sent again up to this many times. */
const MOST_LOSSES = 3;

/** Number of jobs added to a queue at a time. */
const SENT_AT_ONCE = 16;

/** A sent task with its callbacks. Each is called once. */
export interface SentTask {
  readonly lane: JobKind;
  readonly map: number;
  readonly index: number;
  readonly task: string;
  /** ID of a worker that must not run it. */
  readonly avoid?: string;
  /** Encodes and uploads the input; called again if it was lost. */
  input(): Promise<UploadedMessage>;
  /** Whether its result still matters. */
  isWanted(): boolean;
  onEvent(event: TaskEvent): void;
  onFailure(error: Error): void;
}

/** A task without a result. */
interface Open {
  readonly sent: SentTask;
  readonly blobs: UploadedMessage["blobs"];
  /** Number of consecutive renewals without its job, and of times it was sent again. */
  missing: number;
  losses: number;
}

/** One run of a client: sends tasks, receives results, and keeps its keys in Redis alive until it is closed. */
export class ClusterRun {
  readonly id = randomBytes(16).toString("hex");
  readonly uploads: Uploads;
  readonly #redis: RedisConnection;
  readonly #address: RedisAddress;
  readonly #store: BlobStore;
  readonly #events: RunEvents;
  readonly #queues: JobQueues;
  readonly #open = new Map<string, Open>();
  readonly #surplus = new LateResults();
  readonly #watch: RunWatch;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(redis: RedisConnection, address: RedisAddress, store: BlobStore, limits: RunLimits) {
    this.#redis = redis;
    this.#address = address;
    this.#store = store;
    this.#watch = new RunWatch(redis, address, limits);
    this.uploads = new Uploads(store, this.id);
    this.#events = new RunEvents(redis, this.id, (event) => this.#receive(event));
    this.#queues = new JobQueues(redis);
    redis.on("ready", () => void this.#renew().catch(() => {}));
  }

  /** Present workers of the same version. */
  get workers(): readonly WorkerFacts[] {
    return this.#watch.workers;
  }

  /** Creates the keys of the run and waits for a worker. */
  async start(signal?: AbortSignal): Promise<void> {
    this.#watch.start();
    this.#timer = setInterval(() => void this.#renew().catch(() => {}), RENEW);
    await new Promise<void>((resolve, reject) => {
      const off = this.onGiveUp(reject);
      this.#begin(signal).then(resolve, reject).finally(off);
    });
  }

  /**
   * Registers a listener for a run without workers, or without answers from Redis, for too long. Returns a function
   * that removes it.
   */
  onGiveUp(listener: (error: VouchError) => void): () => void {
    return this.#watch.onGiveUp(listener);
  }

  /** Sends tasks to the workers. Never rejects: errors are passed to each task. */
  async send(tasks: readonly SentTask[]): Promise<void> {
    for (let first = 0; first < tasks.length; first += SENT_AT_ONCE) {
      await Promise.all(tasks.slice(first, first + SENT_AT_ONCE).map((sent) => this.#trySend(sent, 0)));
    }
  }

  /** Stops and forgets the tasks of a map. */
  async cancel(map: number): Promise<void> {
    await this.#drop((open) => open.sent.map === map, { map });
  }

  /** Stops all tasks, and removes the run from Redis if Redis answers within seconds. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#watch.stop();
    clearInterval(this.#timer);
    await this.#events.close();
    await tidyUp(this.#redis, () => this.#remove());
    endConnection(this.#redis);
  }

  async release(
    blobs: UploadedMessage["blobs"],
    place: { readonly map: number; readonly index: number },
  ): Promise<void> {
    await this.#store.release(blobs, jobId(this.id, place)).catch(() => {});
  }

  async #begin(signal: AbortSignal | undefined): Promise<void> {
    await this.#renew();
    await this.#events.start();
    while (this.workers.length === 0 && !signal?.aborted && !this.#closed) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Removes the tasks and the keys of the run. */
  async #remove(): Promise<void> {
    if (this.#redis.status !== "ready") return;
    const { alive, events, tries } = this.#redis.keySpace.run(this.id);
    await this.#drop(() => true, {});
    await this.#queues.clear(this.id);
    await this.#events.receiveRest();
    await this.#surplus.release(this.#store, (event) => jobId(this.id, event));
    await this.#store.release(await this.uploads.refs(), this.id);
    await this.#redis.del(alive, events, tries);
    await this.#redis.srem(this.#redis.keySpace.runs, this.id);
    await deleteIdleQueues(this.#redis);
  }

  async #trySend(sent: SentTask, losses: number): Promise<void> {
    try {
      if (sent.isWanted()) await this.#send(sent, losses);
    } catch (thrown) {
      const error = commandError(thrown, this.#address);
      sent.onFailure(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #send(sent: SentTask, losses: number): Promise<void> {
    const { message, blobs } = await sent.input();
    if (this.#closed || !sent.isWanted()) return;
    const id = jobId(this.id, sent);
    this.#open.set(id, { sent, blobs, missing: 0, losses });
    const { lane, map, index, task, avoid } = sent;
    const place = { version: CLUSTER_VERSION, run: this.id, map, index, task };
    const job = { ...place, input: message, ...(avoid !== undefined && { avoid }) };
    await this.#queues.add(lane, job);
  }

  async #drop(which: (open: Open) => boolean, cancelled: { readonly map?: number }): Promise<void> {
    const dropped = [...this.#open].filter(([, open]) => which(open));
    for (const [id] of dropped) this.#open.delete(id);
    if (dropped.length === 0) return;
    await this.#redis.publish(this.#redis.keySpace.cancel, JSON.stringify({ run: this.id, ...cancelled }));
    await Promise.all(dropped.map(([id, { sent }]) => this.#queues.remove(sent.lane, id)));
  }

  #receive(event: TaskEvent): void {
    const id = jobId(this.id, event);
    const open = this.#open.get(id);
    // The first result counts; a task may have run twice.
    if (!open) {
      this.#surplus.add(event);
      return;
    }
    if (event.kind !== "progress") this.#open.delete(id);
    open.sent.onEvent(event);
  }

  /** Renews the time to live of everything that the run needs in Redis, and resends lost jobs. */
  async #renew(): Promise<void> {
    if (this.#closed) return;
    const { runs } = this.#redis.keySpace;
    const { alive, events, tries } = this.#redis.keySpace.run(this.id);
    await this.#redis
      .pipeline()
      .set(alive, CLUSTER_VERSION, "EX", TIME_TO_LIVE)
      .sadd(runs, this.id)
      .expire(runs, TIME_TO_LIVE)
      .exec();
    if ((await this.#redis.expire(events, TIME_TO_LIVE)) === 0) {
      await this.#redis.xadd(events, "*", "event", "");
      await this.#redis.expire(events, TIME_TO_LIVE);
    }
    await this.#redis.expire(tries, TIME_TO_LIVE);
    await this.#queues.renew();
    await this.#store.renew(await this.uploads.refs());
    await this.#sendLost();
  }

  async #sendLost(): Promise<void> {
    for (const [id, open] of [...this.#open]) {
      const { sent, losses, blobs } = open;
      const isThere = await this.#queues.renewJob(sent.lane, id);
      open.missing = isThere ? 0 : open.missing + 1;
      if (open.missing < 2 || !this.#open.has(id)) continue;
      this.#open.delete(id);
      if (losses + 1 >= MOST_LOSSES) {
        sent.onFailure(
          new VouchError(
            "cluster/worker-died",
            `Task "${sent.task}", input ${sent.index + 1}, was lost ${MOST_LOSSES} times.`,
            {
              hint: "Does Redis evict keys (maxmemory-policy), or does something else delete them?",
            },
          ),
        );
      } else {
        this.uploads.forget(blobs);
        await this.#trySend(sent, losses + 1);
      }
    }
  }
}
