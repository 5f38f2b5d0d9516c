import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "vouch/files";
import { type Table, VouchError } from "vouch/predict";
import type { ServedModel } from "./served-model.js";
import { createModelWatch, type ModelWatch, type WatchReport } from "./watch/model-watch.js";
import { type FeedbackItem, type WatchedVersion, type WatchKeeper, watchKey } from "./watch-keeper.js";

/** Milliseconds between two saves of what has changed. */
const SAVE_INTERVAL = 2000;

interface Watched {
  readonly model: ServedModel;
  readonly watch: ModelWatch;
  changed: boolean;
}

/**
 * Watches models in this process, and saves their state to a folder. A state belongs to one model file: another file of the same
 * name starts anew, and the earlier one goes on if it comes back.
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

  /** Starts to watch a model, with its saved state if there is one, and ends the watch of the model that it replaces. */
  async start(model: ServedModel, earlier?: ServedModel): Promise<void> {
    const key = watchKey(model);
    if (!this.#watched.has(key)) {
      const watch = this.#create(model, await this.#savedState(model));
      this.#watched.set(key, { model, watch, changed: false });
    }
    if (earlier && watchKey(earlier) !== key) await this.stop(earlier);
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
    throw new VouchError("option/invalid", `The model "${model.name}" has just been replaced.`, {
      hint: "Try again.",
    });
  }

  #create(model: ServedModel, state: unknown): ModelWatch {
    try {
      return createModelWatch(model.classifier, state === undefined ? {} : { state });
    } catch (error) {
      if (state === undefined || !(error instanceof VouchError)) throw error;
      this.#log(`The watch of "${model.name}" starts anew: ${error.message}`);
      return createModelWatch(model.classifier);
    }
  }

  async #savedState(model: ServedModel): Promise<unknown> {
    const path = this.#pathOf(model);
    if (path === undefined) return undefined;
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      this.#log(`The watch of "${model.name}" starts anew: ${path} is not readable.`);
      return undefined;
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
