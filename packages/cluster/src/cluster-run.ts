import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { VouchError } from "vouch/machines";
import type { BlobStore } from "./blob-store.js";
import { commandError, connectionError } from "./connect.js";
import { deleteIdleQueues } from "./idle-queues.js";
import { JobQueues, jobId } from "./job-queues.js";
import { CANCEL, CLUSTER_VERSION, type Lane, RUNS, runKeys, TIME_TO_LIVE } from "./keys.js";
import type { TaskEvent, WorkerFacts } from "./messages.js";
import { noWorkers, type PresentWorkers, presentWorkers } from "./presence.js";
import type { RedisAddress } from "./redis-address.js";
import { RunEvents } from "./run-events.js";
import { SurplusResults } from "./surplus-results.js";
import { type UploadedMessage, Uploads } from "./uploads.js";

/** Milliseconds between two looks at the workers, and between two renewals of the keys of the run. */
const LOOK = 1000;
const RENEW = 10_000;

/** A job that is missing at two renewals was lost, and is sent again: so often at most. */
const MOST_LOSSES = 3;

/** Jobs that are added to a queue at the same time. */
const SENT_AT_ONCE = 16;

/** A task that was sent, and what to do when it has ended. Each is called once. */
export interface SentTask {
  readonly lane: Lane;
  readonly map: number;
  readonly index: number;
  readonly task: string;
  /** Encodes and uploads the input, again if it was lost. */
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
  /** Renewals at which its job was missing, one after the other, and in how many cases it was sent again. */
  missing: number;
  losses: number;
}

/** One run of a client: sends tasks, hears of their results, and keeps its keys in Redis alive until it is closed. */
export class ClusterRun {
  readonly id = randomBytes(16).toString("hex");
  readonly uploads: Uploads;
  readonly #redis: Redis;
  readonly #address: RedisAddress;
  readonly #store: BlobStore;
  readonly #events: RunEvents;
  readonly #queues: JobQueues;
  readonly #open = new Map<string, Open>();
  readonly #surplus = new SurplusResults();
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  /** Milliseconds without any worker after which tasks fail. */
  readonly #patience: number;
  #workers: PresentWorkers = { ours: [], others: [] };
  #lastWorker = performance.now();
  #lastAnswer = performance.now();
  #closed = false;

  constructor(redis: Redis, address: RedisAddress, store: BlobStore, patience: number) {
    this.#redis = redis;
    this.#address = address;
    this.#store = store;
    this.#patience = patience;
    this.uploads = new Uploads(store, this.id);
    this.#events = new RunEvents(redis, this.id, (event) => this.#receive(event));
    this.#queues = new JobQueues(redis);
    redis.on("ready", () => void this.#renew().catch(() => {}));
  }

  /** The workers of the same version that are there. */
  get workers(): readonly WorkerFacts[] {
    return this.#workers.ours;
  }

  /** Creates the keys of the run and waits for a worker. */
  async start(signal?: AbortSignal): Promise<void> {
    await this.#renew();
    await this.#events.start();
    this.#lastWorker = performance.now();
    await this.#look();
    this.#timers.push(
      setInterval(() => void this.#look().catch(() => {}), LOOK),
      setInterval(() => void this.#renew().catch(() => {}), RENEW),
    );
    while (this.workers.length === 0 && !signal?.aborted) {
      if (performance.now() - this.#lastWorker > this.#patience)
        throw noWorkers(this.#address, this.#workers, this.#patience);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Sends tasks to the workers. Never rejects: failures are passed to each task. */
  async send(tasks: readonly SentTask[]): Promise<void> {
    for (let first = 0; first < tasks.length; first += SENT_AT_ONCE) {
      await Promise.all(tasks.slice(first, first + SENT_AT_ONCE).map((sent) => this.#trySend(sent, 0)));
    }
  }

  /** Forgets the tasks of a map, and stops those that are running. */
  async cancel(map: number): Promise<void> {
    await this.#drop((open) => open.sent.map === map, { map });
  }

  /** Stops all tasks, and removes everything of the run from Redis. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    const { alive, events, tries } = runKeys(this.id);
    await this.#events.close();
    if (this.#redis.status === "ready") {
      try {
        await this.#drop(() => true, {});
        await this.#queues.clear(this.id);
        await this.#events.receiveRest();
        await this.#surplus.release(this.#store, (event) => jobId(this.id, event));
        await this.#store.release(await this.uploads.refs(), this.id);
        await this.#redis.del(alive, events, tries);
        await this.#redis.srem(RUNS, this.id);
        await deleteIdleQueues(this.#redis);
      } catch {
        // Their time to live ends.
      }
    }
    this.#redis.disconnect();
  }

  /** Releases the blobs of a result. */
  async release(
    blobs: UploadedMessage["blobs"],
    place: { readonly map: number; readonly index: number },
  ): Promise<void> {
    await this.#store.release(blobs, jobId(this.id, place)).catch(() => {});
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
    const { lane, map, index, task } = sent;
    const job = { version: CLUSTER_VERSION, run: this.id, map, index, task, input: message };
    await this.#queues.add(lane, job);
  }

  async #drop(which: (open: Open) => boolean, cancelled: { readonly map?: number }): Promise<void> {
    const dropped = [...this.#open].filter(([, open]) => which(open));
    for (const [id] of dropped) this.#open.delete(id);
    if (dropped.length === 0) return;
    await this.#redis.publish(CANCEL, JSON.stringify({ run: this.id, ...cancelled }));
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

  /** Looks which workers are there, and gives up if there is none, or no Redis, for too long. */
  async #look(): Promise<void> {
    if (this.#redis.status !== "ready") {
      // Nobody can say whether there are workers.
      this.#lastWorker = performance.now();
      if (performance.now() - this.#lastAnswer > 1000 * TIME_TO_LIVE) {
        this.#failAll(connectionError(new Error(`no answer for ${TIME_TO_LIVE} s`), this.#address));
      }
      return;
    }
    this.#workers = await presentWorkers(this.#redis);
    this.#lastAnswer = performance.now();
    if (this.workers.length > 0) this.#lastWorker = performance.now();
    else if (performance.now() - this.#lastWorker > this.#patience) {
      this.#failAll(noWorkers(this.#address, this.#workers, this.#patience));
    }
  }

  #failAll(error: VouchError): void {
    for (const [id, { sent }] of this.#open) {
      this.#open.delete(id);
      sent.onFailure(error);
    }
  }

  /** Renews the time to live of everything in Redis that the run needs, and sends jobs again that are lost. */
  async #renew(): Promise<void> {
    if (this.#closed) return;
    const { alive, events, tries } = runKeys(this.id);
    await this.#redis
      .pipeline()
      .set(alive, CLUSTER_VERSION, "EX", TIME_TO_LIVE)
      .sadd(RUNS, this.id)
      .expire(RUNS, TIME_TO_LIVE)
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
