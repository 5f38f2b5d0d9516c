import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
import type { Table } from "@vouch/core/internal/table/table";
import { LargeRequests } from "./large-requests.js";
import type { ServeLimits } from "./limits.js";
import { RequestMetrics } from "./metrics.js";
import type { ModelRegistry } from "./model-registry.js";
import { MonitorSample } from "./monitors/monitor-sample.js";
import type { Monitors } from "./monitors/monitors.js";
import { RowsInFlight } from "./rows-in-flight.js";
import type { Classified, ServedModel } from "./served-model.js";

/** Answers requests from all protocols. */
export class InferenceService {
  readonly models: ModelRegistry;
  readonly monitors: Monitors;
  readonly limits: ServeLimits;
  readonly metrics: RequestMetrics;
  readonly large: LargeRequests;
  /** Whether the server is about to end: then it is not ready, but still answers. */
  draining = false;
  readonly #inFlight: RowsInFlight;
  readonly #samples = new WeakMap<ServedModel, MonitorSample>();
  readonly #threads: number;
  #executor: (Executor & { close(): Promise<void> }) | undefined;

  constructor(models: ModelRegistry, monitors: Monitors, limits: ServeLimits, threads: number) {
    this.models = models;
    this.monitors = monitors;
    this.limits = limits;
    this.large = new LargeRequests(limits);
    this.#inFlight = new RowsInFlight(limits);
    this.metrics = new RequestMetrics(this.#inFlight);
    this.#threads = threads;
  }

  /** Whether load balancers should send new requests here. */
  get ready(): boolean {
    return !this.draining && this.models.ready;
  }

  /**
   * Classifies rows within the limits, and reports them to the model's monitor. `gone` cancels a computation on threads
   * when the client has disconnected.
   */
  classify(model: ServedModel, table: Table, gone?: () => AbortSignal): Classified | Promise<Classified> {
    const leave = this.#inFlight.enter(table.rows);
    let pending = false;
    try {
      const classified = model.classify(table, () => this.#run(gone?.()));
      if (!(classified instanceof Promise)) return this.#answered(model, table, classified);
      pending = true;
      return classified.then((each) => this.#answered(model, table, each)).finally(leave);
    } finally {
      if (!pending) leave();
    }
  }

  /** Classifies rows with up to `most` reasons for each. The rows stay in flight until their reasons are known. */
  async explain(model: ServedModel, table: Table, most: number, gone: AbortSignal): Promise<Classified> {
    const leave = this.#inFlight.explain(table.rows);
    try {
      const classified = await this.classify(model, table, () => gone);
      // Loaded lazily, because most requests ask for no reasons.
      const { explainRows } = await import("@vouch/core/internal/train/explain-rows");
      const { predictions } = classified.answers;
      const run = this.#run(gone);
      return { ...classified, reasons: await explainRows(model.classifier, table, predictions, most, run) };
    } finally {
      leave();
    }
  }

  #run(signal: AbortSignal | undefined): Pick<Run, "executor" | "signal"> {
    this.#executor ??= threadExecutor({ threads: this.#threads });
    return { executor: this.#executor, signal };
  }

  #answered(model: ServedModel, table: Table, classified: Classified): Classified {
    this.metrics.predicted(model.name, table.rows);
    const rows = this.#sampleOf(model).take(table.rows);
    if (rows > 0) this.monitors.observe(model, rows < table.rows ? table.slice(0, rows) : table);
    return classified;
  }

  #sampleOf(model: ServedModel): MonitorSample {
    const known = this.#samples.get(model);
    if (known) return known;
    const sample = new MonitorSample();
    this.#samples.set(model, sample);
    return sample;
  }

  async close(): Promise<void> {
    await this.#executor?.close();
  }
}
