import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@vouch/core/internal/runtime/files/write-file";
import type { Table } from "@vouch/core/internal/table/table";
import type { ServedModel } from "../served-model.js";
import { ServiceError } from "../service-error.js";
import { createModelMonitor, type ModelMonitor, type MonitorReport } from "./model-monitor.js";
import { type FeedbackItem, type ModelKey, type Monitors, modelKeyText } from "./monitors.js";

/** Milliseconds between saves of changed states. */
const SAVE_INTERVAL = 2000;

interface Monitored {
  /** The served model; a reloaded file keeps its monitor. */
  model: ServedModel;
  readonly monitor: ModelMonitor;
  changed: boolean;
}

/**
 * Monitors models in this process and saves their states to a folder. A state belongs to one model file. Another file
 * of the same name starts a new state; the earlier one is used again if its file returns.
 */
export class LocalMonitors implements Monitors {
  readonly #folder: string | undefined;
  readonly #log: (line: string) => void;
  readonly #monitored = new Map<string, Monitored>();
  readonly #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(folder: string | undefined, log: (line: string) => void) {
    this.#folder = folder;
    this.#log = log;
    if (folder === undefined) return;
    this.#timer = setInterval(() => void this.save(), SAVE_INTERVAL);
    this.#timer.unref();
  }

  /** Starts to monitor a model, from its saved state if there is one. */
  async start(model: ServedModel): Promise<void> {
    const key = modelKeyText(model);
    const known = this.#monitored.get(key);
    if (known) known.model = model;
    else {
      const monitor = await this.#create(model);
      this.#monitored.set(key, { model, monitor, changed: false });
    }
  }

  observe(model: ModelKey, table: Table): void {
    const monitored = this.#monitored.get(modelKeyText(model));
    if (!monitored) return;
    monitored.monitor.observe(table);
    monitored.changed = true;
  }

  async feedback(model: ModelKey, items: readonly FeedbackItem[]): Promise<void> {
    const monitored = this.#get(model);
    monitored.monitor.feedback(items);
    monitored.changed = true;
  }

  async report(model: ModelKey): Promise<MonitorReport> {
    return this.#get(model).monitor.report();
  }

  /** Lists the reports of all models. */
  reports(): { readonly model: ServedModel; readonly report: MonitorReport }[] {
    return Array.from(this.#monitored.values(), ({ model, monitor }) => ({
      model,
      report: monitor.report(),
    }));
  }

  /** Stops monitoring a model that is no longer in service. */
  async stop(model: ServedModel): Promise<void> {
    await this.save();
    this.#monitored.delete(modelKeyText(model));
  }

  /** Saves changed states. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      for (const monitored of this.#monitored.values()) await this.#saveOne(monitored);
    });
    return this.#saving;
  }

  /** Saves for the last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }

  #get(model: ModelKey): Monitored {
    const monitored = this.#monitored.get(modelKeyText(model));
    if (monitored) return monitored;
    throw new ServiceError(503, `The model "${model.name}" has just been replaced.`, {
      hint: "Try again in a second.",
      headers: { "Retry-After": "1" },
    });
  }

  async #create(model: ServedModel): Promise<ModelMonitor> {
    const path = this.#pathOf(model);
    try {
      const state = path === undefined ? undefined : await savedState(path);
      return createModelMonitor(model.classifier, state === undefined ? {} : { state });
    } catch (error) {
      if (path === undefined) throw error;
      // Keep the file: it would be overwritten, and may be the only evidence left.
      await rename(path, `${path}.unreadable`).catch(() => {});
      const reason = error instanceof Error ? error.message : String(error);
      this.#log(
        `The monitoring state of "${model.name}" cannot be used: ${reason} It was renamed to ${path}.unreadable, and a new monitor was started.`,
      );
      return createModelMonitor(model.classifier);
    }
  }

  async #saveOne(monitored: Monitored): Promise<void> {
    const path = this.#pathOf(monitored.model);
    if (path === undefined || !monitored.changed) return;
    monitored.changed = false;
    try {
      await writeFileAtomic(path, [new TextEncoder().encode(JSON.stringify(monitored.monitor.state()))]);
    } catch (error) {
      monitored.changed = true;
      this.#log(
        `Cannot save the monitoring state of "${monitored.model.name}": ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  #pathOf({ name, version, digest }: ServedModel): string | undefined {
    if (this.#folder === undefined) return undefined;
    const file = `${encodeURIComponent(name)}@${encodeURIComponent(version)}-${digest.slice(0, 16)}.json`;
    return join(this.#folder, file);
  }
}

/** Reads the state of a monitor; undefined if there is no file. Throws if it is unreadable or not JSON. */
async function savedState(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : JSON.parse(text);
}
