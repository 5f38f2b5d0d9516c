import type { Table } from "vouch/predict";
import { type Executor, threadExecutor } from "vouch/train";
import type { ServeLimits } from "./limits.js";
import { RequestMetrics } from "./metrics.js";
import type { ModelRegistry } from "./model-registry.js";
import { RowsInFlight } from "./rows-in-flight.js";
import type { Classified, ServedModel } from "./served-model.js";
import type { WatchKeeper } from "./watch-keeper.js";
import { WatchSample } from "./watch-sample.js";

/** Everything that answers requests, whatever protocol they come by. */
export class InferenceService {
  readonly models: ModelRegistry;
  readonly watches: WatchKeeper;
  readonly limits: ServeLimits;
  readonly metrics: RequestMetrics;
  /** Whether the server is about to end: then it is not ready, but still answers. */
  draining = false;
  readonly #inFlight: RowsInFlight;
  readonly #samples = new WeakMap<ServedModel, WatchSample>();
  readonly #threads: number;
  #executor: (Executor & { close(): Promise<void> }) | undefined;

  constructor(models: ModelRegistry, watches: WatchKeeper, limits: ServeLimits, threads: number) {
    this.models = models;
    this.watches = watches;
    this.limits = limits;
    this.#inFlight = new RowsInFlight(limits);
    this.metrics = new RequestMetrics(this.#inFlight);
    this.#threads = threads;
  }

  /** Whether new requests should be sent here. */
  get ready(): boolean {
    return !this.draining && this.models.ready;
  }

  /** The threads, which start when they are first needed. */
  readonly #threadPool = (): Executor => {
    this.#executor ??= threadExecutor({ threads: this.#threads });
    return this.#executor;
  };

  /**
   * Classifies rows within the limits, with up to `reasons` reasons for each row if that is asked for, and shows them to the watch of
   * the model. The rows are in flight until their reasons are known.
   */
  classify(model: ServedModel, table: Table, reasons?: number): Classified | Promise<Classified> {
    const leave = this.#inFlight.enter(table.rows);
    let pending = false;
    try {
      const classified = model.classify(table, this.#threadPool);
      if (reasons === undefined && !(classified instanceof Promise)) {
        return this.#answered(model, table, classified);
      }
      pending = true;
      return this.#explained(model, table, classified, reasons).finally(leave);
    } finally {
      if (!pending) leave();
    }
  }

  async #explained(
    model: ServedModel,
    table: Table,
    pending: Classified | Promise<Classified>,
    most: number | undefined,
  ): Promise<Classified> {
    const classified = this.#answered(model, table, await pending);
    if (most === undefined) return classified;
    // Most requests ask for no reasons.
    const { explainRows } = await import("vouch/train");
    const { predictions } = classified.answers;
    const run = { executor: this.#threadPool() };
    return { ...classified, reasons: await explainRows(model.classifier, table, predictions, most, run) };
  }

  #answered(model: ServedModel, table: Table, classified: Classified): Classified {
    this.metrics.predicted(model.name, table.rows);
    const rows = this.#sampleOf(model).take(table.rows);
    if (rows > 0) this.watches.observe(model, rows < table.rows ? table.slice(0, rows) : table);
    return classified;
  }

  #sampleOf(model: ServedModel): WatchSample {
    const known = this.#samples.get(model);
    if (known) return known;
    const sample = new WatchSample();
    this.#samples.set(model, sample);
    return sample;
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#executor?.close();
  }
}
