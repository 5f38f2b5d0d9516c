import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@vouch/core/internal/runtime/write-file";
import type { Table } from "@vouch/core/internal/table/table";
import { HttpFault } from "./http-fault.js";
import type { ServedModel } from "./served-model.js";
import { createModelWatch, type ModelWatch, type WatchReport } from "./watch/model-watch.js";
import { type FeedbackItem, type WatchedVersion, type WatchKeeper, watchKey } from "./watch-keeper.js";

/** Milliseconds between two saves of what has changed. */
const SAVE_INTERVAL = 2000;

interface Watched {
  /** The model that is served; a file that is loaded again goes on with the same watch. */
  model: ServedModel;
  readonly watch: ModelWatch;
  changed: boolean;
}

/**
 * Watches models in this process, and saves their state to a folder. A state belongs to one model file: another file of the same
 * name starts a new one, and the earlier state is used again if its file comes back.
 */
export class LocalWatches implements WatchKeeper {
  readonly #folder: string | undefined;
  readonly #log: (line: string) => void;
  readonly #watched = new Map<string, Watched>();
  readonly #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(folder: string | undefined, log: (line: string) => void) {
    this.#folder = folder;
    this.#log = log;
    if (folder === undefined) return;
    this.#timer = setInterval(() => void this.save(), SAVE_INTERVAL);
    this.#timer.unref();
  }

  /** Starts to watch a model, with its saved state if there is one. */
  async start(model: ServedModel): Promise<void> {
    const key = watchKey(model);
    const known = this.#watched.get(key);
    if (known) known.model = model;
    else {
      const watch = await this.#create(model);
      this.#watched.set(key, { model, watch, changed: false });
    }
  }

  observe(model: WatchedVersion, table: Table): void {
    const watched = this.#watched.get(watchKey(model));
    if (!watched) return;
    watched.watch.observe(table);
    watched.changed = true;
  }

  async feedback(model: WatchedVersion, items: readonly FeedbackItem[]): Promise<void> {
    const watched = this.#get(model);
    watched.watch.feedback(items);
    watched.changed = true;
  }

  async report(model: WatchedVersion): Promise<WatchReport> {
    return this.#get(model).watch.report();
  }

  /** Lists the reports of all models. */
  reports(): { readonly model: ServedModel; readonly report: WatchReport }[] {
    return Array.from(this.#watched.values(), ({ model, watch }) => ({ model, report: watch.report() }));
  }

  /** Forgets a model that is no longer in service. */
  async stop(model: ServedModel): Promise<void> {
    await this.save();
    this.#watched.delete(watchKey(model));
  }

  /** Saves the states that have changed. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      for (const watched of this.#watched.values()) await this.#saveOne(watched);
    });
    return this.#saving;
  }

  /** Saves for the last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }

  #get(model: WatchedVersion): Watched {
    const watched = this.#watched.get(watchKey(model));
    if (watched) return watched;
    throw new HttpFault(503, `The model "${model.name}" has just been replaced.`, {
      hint: "Try again in a second.",
      headers: { "Retry-After": "1" },
    });
  }

  async #create(model: ServedModel): Promise<ModelWatch> {
    const path = this.#pathOf(model);
    try {
      const state = path === undefined ? undefined : await savedState(path);
      return createModelWatch(model.classifier, state === undefined ? {} : { state });
    } catch (error) {
      if (path === undefined) throw error;
      // It would be overwritten, and may be all that is left of the evidence.
      await rename(path, `${path}.unreadable`).catch(() => {});
      const reason = error instanceof Error ? error.message : String(error);
      this.#log(
        `The state of the watch of "${model.name}" cannot be used: ${reason} It was renamed to ${path}.unreadable, and a new watch was started.`,
      );
      return createModelWatch(model.classifier);
    }
  }

  async #saveOne(watched: Watched): Promise<void> {
    const path = this.#pathOf(watched.model);
    if (path === undefined || !watched.changed) return;
    watched.changed = false;
    try {
      await writeFileAtomic(path, [new TextEncoder().encode(JSON.stringify(watched.watch.state()))]);
    } catch (error) {
      watched.changed = true;
      this.#log(
        `Cannot save the watch of "${watched.model.name}": ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  #pathOf({ name, version, digest }: ServedModel): string | undefined {
    if (this.#folder === undefined) return undefined;
    const file = `${encodeURIComponent(name)}@${encodeURIComponent(version)}-${digest.slice(0, 16)}.json`;
    return join(this.#folder, file);
  }
}

/** Reads the state of a watch; undefined if there is no file. Throws if it cannot be read, or is not JSON. */
async function savedState(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : JSON.parse(text);
}
