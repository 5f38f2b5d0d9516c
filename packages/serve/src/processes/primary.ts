import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { Table } from "@vouch/core/internal/table/table";
import { AggregatorRegistry } from "prom-client";
import { REQUEST } from "../input-tensors.js";
import { completeLimits } from "../limits.js";
import { modelLine } from "../model-line.js";
import { type ModelStore, openModelStore } from "../model-store.js";
import type { MonitorReport } from "../monitors/model-monitor.js";
import type { RunningServer, ServeOptions } from "../serve-options.js";
import { withFreePorts } from "./free-ports.js";
import {
  type FromWorker,
  isOwnMessage,
  receivedError,
  sentError,
  type ToWorker,
  type WorkerQuestion,
} from "./messages.js";

/** A worker that lives shorter than this, in milliseconds, is not replaced at once. */
const SHORT_LIFE = 2000;

/** Milliseconds between two attempts to replace a worker: the first pause, which doubles, and the longest. */
const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;

/** Milliseconds for workers to end after their own closing time. */
const ENDING_TIME = 2000;

/** Milliseconds for workers to report their metrics. */
const COUNTING_TIME = 2000;

interface Addresses {
  readonly http: string;
  readonly grpc: string | undefined;
}

/** Serves models with several processes. This one keeps the monitors, counts for all, and replaces workers that die. */
export async function serveWithWorkers(
  options: ServeOptions,
  log: (line: string) => void,
): Promise<RunningServer> {
  const kept = await openModelStore(options, log);
  const workers = new WorkerPool(await withFreePorts(options), kept, log);
  try {
    const { http, grpc } = await workers.start();
    return {
      http,
      grpc,
      models: kept.models.models().map(modelLine),
      async close() {
        await workers.close();
        await kept.close();
      },
    };
  } catch (error) {
    await workers.close();
    await kept.close();
    throw error;
  }
}

class WorkerPool {
  readonly #options: ServeOptions;
  readonly #kept: ModelStore;
  readonly #log: (line: string) => void;
  readonly #workers = new Set<Worker>();
  readonly #listening = new Set<Worker>();
  readonly #counts = new Map<number, (metrics: readonly object[]) => void>();
  /** Pending replacements. */
  readonly #pauses = new Set<NodeJS.Timeout>();
  #nextCount = 0;
  #closing = false;

  constructor(options: ServeOptions, kept: ModelStore, log: (line: string) => void) {
    this.#options = options;
    this.#kept = kept;
    this.#log = log;
    cluster.setupPrimary({
      exec: fileURLToPath(new URL("./worker.js", import.meta.url)),
      args: [],
      serialization: "advanced",
    });
  }

  /** Starts all workers, the first one alone: it finds out whether the ports are free. */
  async start(): Promise<Addresses> {
    const first = await this.#startWorker();
    const others = Array.from({ length: (this.#options.workers ?? 1) - 1 }, () => this.#startWorker());
    await Promise.all(others);
    return first;
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    const ended = Array.from(
      this.#workers,
      (worker) => new Promise<void>((resolve) => worker.once("exit", () => resolve())),
    );
    for (const worker of this.#workers) send(worker, { vouch: "close" });
    const { closingTime } = completeLimits(this.#options.limits);
    const timer = setTimeout(() => {
      for (const worker of this.#workers) worker.process.kill("SIGKILL");
    }, closingTime + ENDING_TIME);
    await Promise.all(ended);
    clearTimeout(timer);
  }

  /** Starts a worker, and replaces it when it ends. Throws if it cannot listen. */
  #startWorker(): Promise<Addresses> {
    const worker = cluster.fork();
    const started = performance.now();
    this.#workers.add(worker);
    return new Promise((resolve, reject) => {
      worker.on("message", (message: unknown) => {
        if (!isOwnMessage<FromWorker>(message)) return;
        // Messages to a worker are lost until it is loaded, including the one to close.
        if (message.vouch === "loaded") {
          send(worker, this.#closing ? { vouch: "close" } : { vouch: "start", options: this.#options });
        } else if (message.vouch === "listening") {
          this.#listening.add(worker);
          resolve({ http: message.http, grpc: message.grpc });
        } else if (message.vouch === "failed") {
          reject(receivedError(message.error));
          send(worker, { vouch: "close" });
        } else this.#receive(worker, message);
      });
      worker.on("exit", (code, signal) => {
        const reason = `A worker process ended (${signal ?? `exit code ${code}`})`;
        const listened = this.#listening.delete(worker);
        this.#workers.delete(worker);
        reject(new VouchError("task/worker-died", `${reason}.`));
        if (this.#closing || !listened) return;
        this.#log(`${reason}; another one takes its place.`);
        this.#replaceWorker(performance.now() - started < SHORT_LIFE ? FIRST_PAUSE : 0);
      });
    });
  }

  /**
   * Replaces a worker after a pause, and retries if it cannot start, because its model file may be damaged at the
   * moment.
   */
  #replaceWorker(pause: number): void {
    const timer = setTimeout(() => {
      this.#pauses.delete(timer);
      this.#startWorker().catch((error: unknown) => {
        if (this.#closing) return;
        const next = Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, 2 * pause));
        const reason = error instanceof Error ? error.message : String(error);
        this.#log(`A worker process cannot be started: ${reason} The next attempt is in ${next / 1000} s.`);
        this.#replaceWorker(next);
      });
    }, pause);
    this.#pauses.add(timer);
  }

  #receive(worker: Worker, message: FromWorker): void {
    if (message.vouch === "log") this.#log(message.line);
    else if (message.vouch === "counted") this.#counts.get(message.id)?.(message.metrics);
    else if (message.vouch === "observed") {
      this.#kept.monitors.observe(message.model, new Table(REQUEST, message.rows, message.columns));
    } else if (message.vouch === "ask") {
      const { id, question } = message;
      this.#answer(question).then(
        (answer) => send(worker, { vouch: "answer", id, answer }),
        (error: unknown) => send(worker, { vouch: "answer", id, error: sentError(error) }),
      );
    }
  }

  async #answer(question: WorkerQuestion): Promise<MonitorReport | string | undefined> {
    const { monitors, metrics } = this.#kept;
    if (question.kind === "feedback") {
      await monitors.feedback(question.model, question.items);
      return undefined;
    }
    if (question.kind === "report") return monitors.report(question.model);
    const counted = await Promise.all(Array.from(this.#listening, (each) => this.#count(each)));
    const ofWorkers = AggregatorRegistry.aggregate(counted.flatMap((each) => (each ? [each] : [])));
    return `${await ofWorkers.metrics()}\n${await metrics.registry.metrics()}`;
  }

  /** Asks a worker for its metrics; undefined if it does not answer in time, because it is busy or about to end. */
  #count(worker: Worker): Promise<readonly object[] | undefined> {
    const id = this.#nextCount++;
    return new Promise((resolve) => {
      const finish = (metrics?: readonly object[]) => {
        clearTimeout(timer);
        this.#counts.delete(id);
        resolve(metrics);
      };
      const timer = setTimeout(finish, COUNTING_TIME);
      this.#counts.set(id, finish);
      send(worker, { vouch: "count", id });
    });
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
