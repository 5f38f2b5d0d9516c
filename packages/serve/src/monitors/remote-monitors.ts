import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Table } from "@vouch/core/internal/table/table";
import {
  type FromWorker,
  isOwnMessage,
  receivedError,
  type ToWorker,
  type WorkerQuestion,
} from "../processes/messages.js";
import type { MonitorReport } from "./model-monitor.js";
import type { FeedbackItem, ModelKey, Monitors } from "./monitors.js";

interface PendingAnswer {
  resolve(answer: MonitorReport | string | undefined): void;
  reject(error: Error): void;
}

/** The channel of a worker to the process that started it, which keeps the monitors and counts for all workers. */
export class RemoteMonitors implements Monitors {
  readonly #pending = new Map<number, PendingAnswer>();
  #next = 0;

  constructor() {
    process.on("message", (message: unknown) => {
      if (isOwnMessage<ToWorker>(message) && message.vouch === "answer") this.#receive(message);
    });
    process.on("disconnect", () => {
      for (const { reject } of this.#pending.values()) reject(noPrimary());
      this.#pending.clear();
    });
  }

  observe({ name, version, digest }: ModelKey, table: Table): void {
    const { rows, columns } = table;
    tellPrimary({ vouch: "observed", model: { name, version, digest }, rows, columns });
  }

  async feedback({ name, version, digest }: ModelKey, items: readonly FeedbackItem[]): Promise<void> {
    await this.#ask({ kind: "feedback", model: { name, version, digest }, items });
  }

  async report({ name, version, digest }: ModelKey): Promise<MonitorReport> {
    const report = await this.#ask({ kind: "report", model: { name, version, digest } });
    if (typeof report === "object") return report;
    throw new TypeError("Expected a report.");
  }

  /** Collects the metrics of all workers and of their parent. */
  async metrics(): Promise<string> {
    return String(await this.#ask({ kind: "metrics" }));
  }

  #ask(question: WorkerQuestion): Promise<MonitorReport | string | undefined> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (!process.connected) return reject(noPrimary());
      this.#pending.set(id, { resolve, reject });
      tellPrimary({ vouch: "ask", id, question });
    });
  }

  #receive({ id, answer, error }: Extract<ToWorker, { readonly vouch: "answer" }>): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) pending?.reject(receivedError(error));
    else pending?.resolve(answer);
  }
}

function noPrimary(): VouchError {
  return new VouchError("task/worker-died", "The process that started this worker has ended.");
}

/** Sends a message to the parent process. */
export function tellPrimary(message: FromWorker): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
