import { type Table, VouchError } from "vouch/predict";
import { type FromWorker, isOwnMessage, type ToWorker, type WorkerQuestion } from "./cluster-messages.js";
import type { WatchReport } from "./watch/model-watch.js";
import type { FeedbackItem, WatchedVersion, WatchKeeper } from "./watch-keeper.js";

/** Rows per second that a worker shows to the watch: enough to see drift, and cheap to send. */
const ROWS_PER_SECOND = 2000;

interface PendingAnswer {
  resolve(answer: WatchReport | string | undefined): void;
  reject(error: Error): void;
}

/** The channel of a worker to the process that started it, which keeps the watches and counts for all workers. */
export class RemoteWatches implements WatchKeeper {
  readonly #pending = new Map<number, PendingAnswer>();
  #next = 0;
  #second = 0;
  #shown = 0;

  constructor() {
    process.on("message", (message: unknown) => {
      if (isOwnMessage<ToWorker>(message) && message.vouch === "answer") this.#receive(message);
    });
  }

  observe({ name, version, digest }: WatchedVersion, table: Table): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#shown = 0;
    }
    const rows = Math.min(table.rows, ROWS_PER_SECOND - this.#shown);
    if (rows <= 0) return;
    this.#shown += rows;
    const { columns } = rows < table.rows ? table.slice(0, rows) : table;
    tellPrimary({ vouch: "observed", model: { name, version, digest }, rows, columns });
  }

  async feedback({ name, version, digest }: WatchedVersion, items: readonly FeedbackItem[]): Promise<void> {
    await this.#ask({ kind: "feedback", model: { name, version, digest }, items });
  }

  async report({ name, version, digest }: WatchedVersion): Promise<WatchReport> {
    const report = await this.#ask({ kind: "report", model: { name, version, digest } });
    if (typeof report === "object") return report;
    throw new TypeError("Expected a report.");
  }

  /** Returns the metrics of all workers and of the process that started them. */
  async metrics(): Promise<string> {
    return String(await this.#ask({ kind: "metrics" }));
  }

  #ask(question: WorkerQuestion): Promise<WatchReport | string | undefined> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      tellPrimary({ vouch: "ask", id, question });
    });
  }

  #receive({ id, answer, error }: Extract<ToWorker, { readonly vouch: "answer" }>): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (!error) pending?.resolve(answer);
    else
      pending?.reject(
        new VouchError(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint }),
      );
  }
}

/** Sends a message to the process that started this one. */
export function tellPrimary(message: FromWorker): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
