import type { Table } from "vouch/predict";
import { type Executor, threadExecutor } from "vouch/train";
import type { Classified } from "./classified.js";
import { RowsInFlight, type ServeLimits } from "./limits.js";
import { RequestMetrics } from "./metrics.js";
import type { ModelRegistry } from "./model-registry.js";
import type { ServedModel } from "./served-model.js";
import type { WatchKeeper } from "./watch-keeper.js";

/** Everything that answers requests, whatever protocol they come by. */
export class InferenceService {
  readonly models: ModelRegistry;
  readonly watches: WatchKeeper;
  readonly inFlight: RowsInFlight;
  readonly metrics: RequestMetrics;
  /** Whether the server is about to end: then it is not ready, but still answers. */
  draining = false;
  readonly #threads: number;
  #executor: (Executor & { close(): Promise<void> }) | undefined;

  constructor(models: ModelRegistry, watches: WatchKeeper, limits: ServeLimits, threads: number) {
    this.models = models;
    this.watches = watches;
    this.inFlight = new RowsInFlight(limits);
    this.metrics = new RequestMetrics(this.inFlight);
    this.#threads = threads;
  }

  /** Whether new requests should be sent here. */
  get ready(): boolean {
    return !this.draining && this.models.ready;
  }

  /** The threads, which start when they are first needed. */
  executor = (): Executor => {
    this.#executor ??= threadExecutor({ threads: this.#threads });
    return this.#executor;
  };

  /** Classifies rows within the limits, and shows them to the watch of the model. */
  classify(model: ServedModel, table: Table): Classified | Promise<Classified> {
    const leave = this.inFlight.enter(table.rows);
    let pending = false;
    try {
      const classified = model.classify(table, this.executor);
      if (!(classified instanceof Promise)) return this.#answered(model, table, classified);
      pending = true;
      return classified.then((each) => this.#answered(model, table, each)).finally(leave);
    } finally {
      if (!pending) leave();
    }
  }

  #answered(model: ServedModel, table: Table, classified: Classified): Classified {
    this.metrics.predicted(model.name, table.rows);
    this.watches.observe(model, table);
    return classified;
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#executor?.close();
  }
}
