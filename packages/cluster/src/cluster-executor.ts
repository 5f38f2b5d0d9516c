import { memoryLimit } from "@vouch/core/internal/runtime/memory-limit";
import { throwIfAborted } from "@vouch/core/internal/runtime/parallel/event-loop";
import {
  type Cluster,
  type Executor,
  type MapOptions,
  MapProgress,
  type Task,
} from "@vouch/core/internal/runtime/parallel/executor";
import { taskFailure } from "@vouch/core/internal/runtime/parallel/task";
import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { BlobCache } from "./blob-cache.js";
import { ClusterRun, type SentTask } from "./cluster-run.js";
import { commandError, connectRedis } from "./connect.js";
import { type JobKind, TIME_TO_LIVE } from "./keys.js";
import { unpackFailure } from "./messages.js";
import { openBlobs } from "./open-blobs.js";
import { redisAddress } from "./redis-address.js";
import { endConnection } from "./redis-connection.js";
import { type DoneEvent, ResultChecks } from "./result-checks.js";
import { preciseTime, type TaskRecord } from "./task-times.js";
import { endInTime } from "./time-limit.js";

/** Work that is estimated to take fewer milliseconds stays on this machine, because sending it takes as long. */
const MIN_WORK_TO_SEND = 50;

/** Default time in milliseconds without any worker, and without an answer from Redis, before a run fails. */
const PATIENCE = 30_000;
const OUTAGE = 1000 * TIME_TO_LIVE;

/** Settings of `clusterExecutor`. */
export interface ClusterSettings {
  /** Redis address: `redis://user:password@host:6379`, or `rediss://…` for TLS; `?prefix=team-a` separates teams. */
  readonly url: string;
  /** Executor for everything that is not sent: usually the threads of this machine. */
  readonly local: Executor;
  /** Location of blobs: a folder that all machines mount, `s3://…`, or by default Redis itself. */
  readonly blobs?: string;
  /** Milliseconds without any worker before the run fails; default 30,000. */
  readonly patience?: number;
  /** Milliseconds without an answer from Redis before the run fails; default 120,000. */
  readonly outage?: number;
  /**
   * Share of the results to compute again on another worker, or here if there is no other, and to compare; default 0.
   */
  readonly verify?: number;
  readonly signal?: AbortSignal;
  /** Called with the times of each finished task. */
  readonly onTask?: (record: TaskRecord) => void;
}

/** Costs of a run so far. */
export interface ClusterReport {
  /** Number of tasks by worker. */
  readonly workers: Readonly<Record<string, number>>;
  readonly tasks: number;
  readonly running: number;
  /** Number of results that were computed twice and agreed. */
  readonly verified: number;
  /** Rows that finished tasks have reported as processed. */
  readonly rows: number;
  /** Seconds since the run began, and total seconds of computation on workers. */
  readonly seconds: number;
  readonly computing: number;
  /** Total seconds that workers and this machine spent on transfers. */
  readonly transferring: number;
  /** Bytes that this machine has sent and fetched, and totals of the workers. */
  readonly bytes: {
    readonly sent: number;
    readonly fetched: number;
    readonly workersSent: number;
    readonly workersFetched: number;
  };
  readonly blobs: { readonly sent: number; readonly found: number };
}

/** Connects to a cluster and waits for its first worker. Close the executor at the end to remove the run from Redis. */
export async function clusterExecutor(settings: ClusterSettings): Promise<ClusterExecutor> {
  const { verify = 0 } = settings;
  if (!(verify >= 0 && verify <= 1)) {
    throw new VouchError("option/invalid", `verify must be between 0 and 1, not ${verify}.`);
  }
  const address = redisAddress(settings.url);
  const redis = await connectRedis(address, { name: "vouch-run" });
  try {
    const store = await openBlobs(settings.blobs, redis);
    const { patience = PATIENCE, outage = OUTAGE } = settings;
    const run = new ClusterRun(redis, address, store, { patience, outage });
    try {
      await run.start(settings.signal);
    } catch (error) {
      await run.close();
      throw error;
    }
    return new ClusterExecutor(run, settings, new BlobCache(store, 0));
  } catch (error) {
    endConnection(redis);
    throw commandError(error, address);
  }
}

/** Sends portable tasks to the workers of a cluster, and runs all other tasks locally. */
export class ClusterExecutor implements Executor {
  readonly #run: ClusterRun;
  readonly #local: Executor;
  /** Reads results without caching them. */
  readonly #results: BlobCache;
  readonly #checks: ResultChecks;
  readonly #onTask: ClusterSettings["onTask"];
  readonly #began = performance.now();
  readonly #workers = new Map<string, number>();
  #totals = {
    tasks: 0,
    running: 0,
    rows: 0,
    computing: 0,
    transferring: 0,
    workersSent: 0,
    workersFetched: 0,
  };
  #maps = 0;

  constructor(run: ClusterRun, { local, onTask, verify = 0 }: ClusterSettings, results: BlobCache) {
    this.#run = run;
    this.#local = local;
    this.#onTask = onTask;
    this.#results = results;
    this.#checks = new ResultChecks({
      share: verify,
      run,
      local,
      read: (event) => this.#output(event),
      nextMap: () => this.#maps++,
    });
  }

  get threads(): number {
    return this.#local.threads;
  }

  get cluster(): Cluster {
    const { workers } = this.#run;
    const threads = workers.reduce((sum, worker) => sum + worker.threads, 0);
    // While all workers are away, plan for one: either a worker returns or the run fails.
    return { count: Math.max(1, workers.length), threads: Math.max(1, threads) };
  }

  prepare(tasks: readonly string[]): void {
    this.#local.prepare?.(tasks);
  }

  async map<Input, Output>(
    task: Task<Input, Output>,
    inputs: readonly Input[],
    options: MapOptions = {},
  ): Promise<Output[]> {
    const { milliseconds = Number.POSITIVE_INFINITY } = options;
    if (!task.portable || inputs.length === 0 || milliseconds < MIN_WORK_TO_SEND) {
      return this.#local.map(task, inputs, options);
    }
    throwIfAborted(options.signal);
    return this.#send(task, inputs, options);
  }

  /** Summarises the costs of the run so far. */
  report(): ClusterReport {
    const { uploads } = this.#run;
    const { tasks, running, rows, computing, transferring, workersSent, workersFetched } = this.#totals;
    const own = uploads.busy.milliseconds + this.#results.busy.milliseconds;
    return {
      workers: Object.fromEntries(this.#workers),
      tasks,
      running,
      verified: this.#checks.passed,
      rows,
      seconds: (performance.now() - this.#began) / 1000,
      computing,
      transferring: (transferring + own) / 1000,
      bytes: { sent: uploads.bytes, fetched: this.#results.fetched, workersSent, workersFetched },
      blobs: { sent: uploads.sent, found: uploads.found },
    };
  }

  /** Stops all tasks, removes the run from Redis, and ends the local threads. */
  async close(): Promise<void> {
    await this.#run.close();
    await endInTime(this.#local.close());
  }

  #send<Input, Output>(
    task: Task<Input, Output>,
    inputs: readonly Input[],
    options: MapOptions,
  ): Promise<Output[]> {
    const { signal, wholeMachines = false, rows = 0 } = options;
    const map = this.#maps++;
    const lane: JobKind = wholeMachines ? "machine" : "thread";
    const progress = new MapProgress(inputs.length, options.onProgress, options.sizes);
    const outputs: Output[] = new Array(inputs.length);
    this.#totals.running += inputs.length;
    return new Promise<Output[]>((resolve, reject) => {
      let left = inputs.length;
      let settled = false;
      const settle = (end: () => void) => {
        if (settled) return;
        settled = true;
        signal?.removeEventListener("abort", onAbort);
        stopListening();
        this.#totals.running -= left;
        end();
      };
      const fail = (error: Error) =>
        settle(() => {
          void this.#run.cancel(map).catch(() => {});
          reject(error);
        });
      const onAbort = () => fail(interrupted());
      const stopListening = this.#run.onGiveUp(fail);
      const passed = preciseTime();
      const finish = async (index: number, event: DoneEvent) => {
        try {
          const heard = preciseTime();
          const value = await this.#output<Output>(event);
          const decoded = preciseTime();
          await this.#checks.check({
            task,
            input: inputs[index],
            lane,
            count: inputs.length,
            value,
            event,
            signal,
          });
          if (settled) return;
          outputs[index] = value;
          const { worker, costs } = event;
          const own = { sent: passed, heard, decoded };
          this.#onTask?.({
            task: task.id,
            map,
            index,
            worker,
            wholeMachine: wholeMachines,
            ...costs.times,
            ...own,
          });
          this.#count(event, rows / inputs.length);
          progress.complete(index);
          left--;
          if (left === 0) settle(() => resolve(outputs));
        } catch (error) {
          fail(taskFailure(task, index, inputs.length, error));
        }
      };
      const sent = inputs.map(
        (input, index): SentTask => ({
          lane,
          map,
          index,
          task: task.id,
          input: () => this.#run.uploads.message(input),
          isWanted: () => !settled,
          onFailure: (error) => fail(taskFailure(task, index, inputs.length, error)),
          onEvent: (event) => {
            if (settled) return;
            if (event.kind === "done") void finish(index, event);
            else if (event.kind === "failed") {
              fail(taskFailure(task, index, inputs.length, unpackFailure(event.error)));
            } else progress.advance(index, event.fraction, event.note);
          },
        }),
      );
      signal?.addEventListener("abort", onAbort);
      void this.#run.send(sent);
    });
  }

  async #output<Output>(event: DoneEvent): Promise<Output>;
  async #output(event: DoneEvent): Promise<unknown> {
    const { value, blobs } = await this.#results.decode(event.output, memoryLimit());
    if (blobs.length > 0) void this.#run.release(blobs, event);
    return value;
  }

  #count({ worker, costs }: DoneEvent, rows: number): void {
    this.#workers.set(worker, (this.#workers.get(worker) ?? 0) + 1);
    const totals = this.#totals;
    totals.tasks++;
    totals.running--;
    totals.rows += rows;
    totals.computing += costs.seconds;
    totals.transferring += costs.transfer;
    totals.workersSent += costs.sent;
    totals.workersFetched += costs.fetched;
  }
}
