import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ModelFile } from "./model-files.js";
import type { ModelRegistry } from "./model-registry.js";
import type { LocalMonitors } from "./monitors/local-monitors.js";
import type { MonitorReport } from "./monitors/model-monitor.js";
import type { RowsInFlight } from "./rows-in-flight.js";
import type { ServedModel } from "./served-model.js";

const LATENCIES = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** Metrics of the requests that this process answers. */
export class RequestMetrics {
  readonly registry = new Registry();
  readonly #requests: Counter<"model" | "route" | "status">;
  readonly #seconds: Histogram<"route">;
  readonly #rows: Counter<"model">;

  constructor(inFlight: RowsInFlight) {
    const registers = [this.registry];
    this.#requests = new Counter({
      name: "vouch_requests_total",
      help: "Answered requests.",
      labelNames: ["model", "route", "status"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "vouch_request_seconds",
      help: "Time from the request to the answer.",
      labelNames: ["route"],
      buckets: LATENCIES,
      registers,
    });
    this.#rows = new Counter({
      name: "vouch_rows_total",
      help: "Predicted rows.",
      labelNames: ["model"],
      registers,
    });
    new Gauge({
      name: "vouch_rows_in_flight",
      help: "Rows that are being predicted.",
      registers,
      collect() {
        this.set(inFlight.rows);
      },
    });
    collectDefaultMetrics({ register: this.registry });
  }

  /** Counts an answer. `model` is the name of an existing model, or "". */
  answered(model: string, route: string, status: number, seconds: number): void {
    this.#requests.inc({ model, route, status: String(status) });
    this.#seconds.observe({ route }, seconds);
  }

  /** Counts predicted rows. */
  predicted(model: string, rows: number): void {
    this.#rows.inc({ model }, rows);
  }
}

type ModelLabel = "model" | "version";

/** Metrics of the models: loaded files and the state of monitors. */
export class ModelMetrics {
  readonly registry = new Registry();
  readonly #reloads: Counter<ModelLabel>;
  readonly #failures: Counter<ModelLabel>;

  constructor(models: ModelRegistry, monitors: LocalMonitors) {
    const registers = [this.registry];
    const labelNames: ModelLabel[] = ["model", "version"];
    this.#reloads = new Counter({
      name: "vouch_model_reloads_total",
      help: "How often a changed model file was loaded.",
      labelNames,
      registers,
    });
    this.#failures = new Counter({
      name: "vouch_model_load_failures_total",
      help: "How often a model file could not be loaded.",
      labelNames,
      registers,
    });
    new Gauge({
      name: "vouch_model_ready",
      help: "1 if the model answers.",
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { name, version, ready } of models.status()) {
          this.set({ model: name, version }, Number(ready));
        }
      },
    });
    new Gauge({
      name: "vouch_model_file_fault",
      help: "1 if the current file of the model cannot be loaded; an earlier one may still answer.",
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { name, version, fault } of models.status()) {
          this.set({ model: name, version }, Number(fault !== undefined));
        }
      },
    });
    this.#addMonitors(monitors);
  }

  /** Counts a reload of a changed file. */
  reloaded({ name, version }: ServedModel): void {
    this.#reloads.inc({ model: name, version });
  }

  /** Counts a file that could not be loaded. */
  failed({ name, version }: Pick<ModelFile, "name" | "version">): void {
    this.#failures.inc({ model: name, version });
  }

  #addMonitors(monitors: LocalMonitors): void {
    const registers = [this.registry];
    const labelNames: ModelLabel[] = ["model", "version"];
    const gauges = {
      vouch_watch_feedback_rows: ["Labelled rows.", (report) => report.feedback.rows],
      vouch_watch_feedback_errors: [
        "Labelled rows that were predicted wrongly.",
        (report) => report.feedback.errors,
      ],
      vouch_watch_log_e: [
        "Evidence against the certificate: logarithm of the e-value.",
        (report) => report.evidence.logE,
      ],
      vouch_watch_threshold: [
        "Evidence from which on the certificate is doubtful.",
        (report) => report.evidence.threshold,
      ],
      vouch_watch_doubtful: [
        "1 if the certificate has become doubtful.",
        (report) => Number(report.status === "doubtful"),
      ],
    } satisfies Record<string, [string, (report: MonitorReport) => number]>;
    for (const [name, [help, value]] of Object.entries(gauges)) {
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const { model, report } of monitors.reports()) {
            this.set({ model: model.name, version: model.version }, value(report));
          }
        },
      });
    }
    new Gauge({
      name: "vouch_watch_column_drifted",
      help: "1 if the values of a column are distributed unlike the training rows.",
      labelNames: ["model", "version", "column"],
      registers,
      collect() {
        this.reset();
        for (const { model, report } of monitors.reports()) {
          for (const { name: column, drifted } of report.columns) {
            this.set({ model: model.name, version: model.version, column }, Number(drifted));
          }
        }
      },
    });
  }
}
