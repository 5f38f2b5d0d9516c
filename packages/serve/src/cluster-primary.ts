import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import { AggregatorRegistry } from "prom-client";
import { Table, VouchError } from "vouch/predict";
import { type FromWorker, isOwnMessage, type ToWorker, type WorkerQuestion } from "./cluster-messages.js";
import { type KeptModels, keepModels } from "./kept-models.js";
import { modelLine } from "./model-line.js";
import { REQUEST } from "./request-columns.js";
import type { RunningServer, ServeOptions } from "./serve-options.js";
import type { WatchReport } from "./watch/model-watch.js";

/** A worker that ends sooner than this, in milliseconds, is not started again at once. */
const SHORT_LIFE = 2000;

/** Milliseconds that workers have to answer what they have taken. */
const CLOSING_TIME = 30_000;

/** Milliseconds that workers have to tell their metrics. */
const COUNTING_TIME = 2000;

interface Addresses {
  readonly http: string;
  readonly grpc: string | undefined;
}

/** Serves models with several processes. This one keeps the watches, counts for all, and replaces workers that die. */
export async function serveWithWorkers(
  options: ServeOptions,
  log: (line: string) => void,
): Promise<RunningServer> {
  const kept = await keepModels(options, log);
  const workers = new WorkerPool(options, kept, log);
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
  readonly #kept: KeptModels;
  readonly #log: (line: string) => void;
  readonly #workers = new Set<Worker>();
  /** Workers that answer requests. */
  readonly #listening = new Set<Worker>();
  readonly #counts = new Map<number, (metrics: readonly object[]) => void>();
  #nextCount = 0;
  #closing = false;

  constructor(options: ServeOptions, kept: KeptModels, log: (line: string) => void) {
    this.#options = options;
    this.#kept = kept;
    this.#log = log;
    cluster.setupPrimary({
      exec: fileURLToPath(new URL("./cluster-worker.js", import.meta.url)),
      args: [],
      serialization: "advanced",
    });
  }

  /** Starts all workers, the first one alone: it finds out whether the ports are free. Port 0 is the same one for all of them. */
  async start(): Promise<Addresses> {
    const first = await this.#startWorker();
    const others = Array.from({ length: (this.#options.workers ?? 1) - 1 }, () => this.#startWorker());
    await Promise.all(others);
    return first;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const ended = Array.from(
      this.#workers,
      (worker) => new Promise<void>((resolve) => worker.once("exit", () => resolve())),
    );
    for (const worker of this.#workers) send(worker, { vouch: "close" });
    const timer = setTimeout(() => {
      for (const worker of this.#workers) worker.process.kill("SIGKILL");
    }, CLOSING_TIME);
    await Promise.all(ended);
    clearTimeout(timer);
  }

  #startWorker(): Promise<Addresses> {
    const worker = cluster.fork();
    const started = performance.now();
    this.#workers.add(worker);
    return new Promise((resolve, reject) => {
      let addresses: Addresses | undefined;
      worker.on("message", (message: unknown) => {
        if (!isOwnMessage<FromWorker>(message)) return;
        if (message.vouch === "loaded") send(worker, { vouch: "start", options: this.#options });
        else if (message.vouch === "listening") {
          addresses = { http: message.http, grpc: message.grpc };
          this.#listening.add(worker);
          resolve(addresses);
        } else if (message.vouch === "failed") {
          const { code, message: text, hint } = message.error;
          reject(new VouchError(code, text, hint === undefined ? {} : { hint }));
        } else this.#receive(worker, message);
      });
      worker.on("exit", (code, signal) => {
        this.#workers.delete(worker);
        this.#listening.delete(worker);
        reject(
          new VouchError("task/worker-died", `A worker process ended (${signal ?? `exit code ${code}`}).`),
        );
        if (this.#closing || !addresses) return;
        this.#log(`A worker process ended (${signal ?? `exit code ${code}`}); another one takes its place.`);
        const pause = performance.now() - started < SHORT_LIFE ? SHORT_LIFE : 0;
        setTimeout(() => {
          if (this.#closing) return;
          this.#startWorker().catch((error: unknown) => {
            this.#log(
              `A worker process cannot be started: ${error instanceof Error ? error.message : error}`,
            );
          });
        }, pause);
      });
    });
  }

  #receive(worker: Worker, message: FromWorker): void {
    if (message.vouch === "log") this.#log(message.line);
    else if (message.vouch === "counted") this.#counts.get(message.id)?.(message.metrics);
    else if (message.vouch === "observed") {
      this.#kept.watches.observe(message.model, new Table(REQUEST, message.rows, message.columns));
    } else if (message.vouch === "ask") {
      const { id, question } = message;
      this.#answer(question).then(
        (answer) => send(worker, { vouch: "answer", id, answer }),
        (error: unknown) => {
          const { code, message: text, hint } = asVouchError(error);
          send(worker, { vouch: "answer", id, error: { code, message: text, hint } });
        },
      );
    }
  }

  async #answer(question: WorkerQuestion): Promise<WatchReport | string | undefined> {
    const { watches, metrics } = this.#kept;
    if (question.kind === "feedback") {
      await watches.feedback(question.model, question.items);
      return undefined;
    }
    if (question.kind === "report") return watches.report(question.model);
    const counted = await Promise.all(Array.from(this.#listening, (each) => this.#count(each)));
    const ofWorkers = AggregatorRegistry.aggregate(counted.flatMap((each) => (each ? [each] : [])));
    return `${await ofWorkers.metrics()}\n${await metrics.registry.metrics()}`;
  }

  /** Asks a worker for its metrics; undefined if it does not answer in time, as one that is about to end. */
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

function asVouchError(error: unknown): VouchError {
  if (error instanceof VouchError) return error;
  return new VouchError("task/failed", error instanceof Error ? error.message : String(error));
}
