import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { verifyFile } from "@vouch/core/internal/train/signature";
import { compareVersions, fileStamp, findModelFiles, type ModelFile } from "./model-files.js";
import type { ServeOptions } from "./serve-options.js";
import { ServedModel } from "./served-model.js";
import { ServiceError } from "./service-error.js";

/** Milliseconds between two checks of the files. */
const LOOK_INTERVAL = 1000;

/** Receives changes of models. */
export interface RegistryEvents {
  /** A model was loaded, and will answer once the promise is fulfilled. */
  loaded?(model: ServedModel): Promise<void>;
  /** A model has replaced an earlier one. */
  replaced?(earlier: ServedModel, model: ServedModel): Promise<void>;
  unloaded?(model: ServedModel): Promise<void>;
  /** A file could not be loaded. If that version of the model was loaded before, it stays in service. */
  failed?(file: Pick<ModelFile, "name" | "version">, reason: string, kept: boolean): void;
  /** A file is ignored, because another file is the same version of the same model. */
  ignored?(reason: string): void;
}

/** State of one version of a model. */
export interface ModelStatus {
  readonly name: string;
  readonly version: string;
  readonly ready: boolean;
  /** Why its file could not be loaded; a version loaded before still answers. */
  readonly fault?: string;
}

/** Maximum number of immediate reloads of a file that changes while it is loaded. */
const MOST_LOADS = 3;

interface Slot {
  path: string;
  source: string;
  stamp: string;
  model?: ServedModel;
  fault?: string;
}

/**
 * The models in service, by name and version. The registry checks the files every second and loads changed ones next to
 * the current model, which answers until the new one is ready, so that no request waits or fails. A file that cannot be
 * loaded changes nothing.
 */
export class ModelRegistry {
  readonly #paths: readonly string[];
  readonly #events: RegistryEvents;
  /** File with the public key for required signatures. */
  readonly #key: string | undefined;
  readonly #slots = new Map<string, Map<string, Slot>>();
  readonly #latest = new Map<string, ServedModel>();
  /** Messages about ignored files; each is reported once. */
  #ignored: ReadonlySet<string> = new Set();
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    { models, requireSignature }: Pick<ServeOptions, "models" | "requireSignature">,
    events: RegistryEvents = {},
  ) {
    this.#paths = models;
    this.#key = requireSignature;
    this.#events = events;
  }

  /** Loads all models. Throws if a file given by name cannot be loaded; models in folders may load later. */
  async start({ interval = LOOK_INTERVAL }: { readonly interval?: number } = {}): Promise<void> {
    await this.look(true);
    const next = () => {
      if (this.#closed) return;
      this.#timer = setTimeout(async () => {
        await this.look();
        next();
      }, interval);
      this.#timer.unref();
    };
    next();
  }

  /** Stops checking the files. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Whether all models that were found are loaded, and at least one was found. */
  get ready(): boolean {
    const all = this.status();
    return all.length > 0 && all.every(({ ready }) => ready);
  }

  /** Lists the loaded models by name and version. */
  models(): ServedModel[] {
    return [...this.#slots.values()].flatMap((versions) =>
      [...versions.values()].flatMap(({ model }) => model ?? []),
    );
  }

  /** Lists all models that were found. */
  status(): ModelStatus[] {
    return [...this.#slots].flatMap(([name, versions]) =>
      [...versions].map(([version, { model, fault }]) => ({
        name,
        version,
        ready: model !== undefined,
        fault,
      })),
    );
  }

  /** Lists the loaded versions of a model, the latest last. */
  versions(name: string): string[] {
    const versions = [...(this.#slots.get(name) ?? [])].filter(([, { model }]) => model !== undefined);
    return versions.map(([version]) => version).sort(compareVersions);
  }

  /** Finds a model, by default its latest version. */
  find(name: string, version?: string): ServedModel | undefined {
    return version === undefined || version === ""
      ? this.#latest.get(name)
      : this.#slots.get(name)?.get(version)?.model;
  }

  /** Checks whether a model is loaded. Throws 404 if there is no file for it. */
  isReady(name: string, version?: string): boolean {
    if (this.find(name, version)) return true;
    this.#checkKnown(name, version);
    return false;
  }

  /** Returns a model. Throws 404 if it does not exist, or 503 if it is not loaded yet. */
  get(name: string, version?: string): ServedModel {
    const model = this.find(name, version);
    if (model) return model;
    this.#checkKnown(name, version);
    throw new ServiceError(503, `The model "${name}" is not loaded.`, {
      hint: "The log of the server says why.",
      headers: { "Retry-After": "5" },
    });
  }

  #checkKnown(name: string, version: string | undefined): void {
    const known = this.#slots.get(name);
    if (known && (version === undefined || known.has(version))) return;
    const what = known ? `version "${version}" of the model "${name}"` : `model "${name}"`;
    const available = known ? this.versions(name) : [...this.#slots.keys()];
    throw new ServiceError(404, `There is no ${what}.`, {
      hint: `Available: ${available.slice(0, 20).join(", ") || "none"}.`,
    });
  }

  /** Checks the files and loads changed ones. */
  look(strict = false): Promise<void> {
    this.#looking ??= this.#lookNow(strict).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Checks once. If `strict`, throws whatever is wrong with the arguments; otherwise the models stay as they are. */
  async #lookNow(strict: boolean): Promise<void> {
    const { files, unreadable, duplicates } = await findModelFiles(
      this.#paths,
      this.#servedPaths(),
      this.#key !== undefined,
    );
    if (strict) for (const fault of [...unreadable.values(), ...duplicates]) throw fault;
    if (strict && files.length === 0) {
      throw new VouchError("file/missing", `There is no model in ${this.#paths.join(", ")}.`, {
        hint: "A model folder contains NAME.safetensors, or NAME/VERSION.safetensors. Train one with 'vouch train'.",
      });
    }
    const ignored = new Set(duplicates.map(({ message }) => message));
    for (const reason of ignored) if (!this.#ignored.has(reason)) this.#events.ignored?.(reason);
    this.#ignored = ignored;
    for (const file of files) await this.#load(file, strict && file.path === file.source);
    const unloaded = this.#unloadAllBut(files, unreadable);
    this.#findLatest();
    for (const model of unloaded) await this.#events.unloaded?.(model);
  }

  #servedPaths(): Set<string> {
    const slots = [...this.#slots.values()].flatMap((versions) => [...versions.values()]);
    return new Set(slots.flatMap(({ model, path }) => (model ? [path] : [])));
  }

  async #load(file: ModelFile, strict: boolean): Promise<void> {
    const { name, version, path, source } = file;
    const versions = this.#slots.get(name) ?? new Map<string, Slot>();
    this.#slots.set(name, versions);
    const slot: Slot = versions.get(version) ?? { path, source, stamp: "" };
    versions.set(version, slot);
    slot.source = source;
    slot.path = path;
    if (slot.stamp === file.stamp) return;
    const earlier = slot.model;
    try {
      const model = await this.#loadUnchanged(file, slot);
      await this.#events.loaded?.(model);
      slot.model = model;
      delete slot.fault;
    } catch (error) {
      if (strict) throw error;
      const reason = error instanceof VouchError ? error.message : "The file cannot be read.";
      // Clients can read this message, so it must not contain paths.
      slot.fault = reason.replaceAll(path, `${name}, version ${version}`);
      this.#events.failed?.(file, reason, earlier !== undefined);
      return;
    }
    this.#findLatest();
    if (earlier) await this.#events.replaced?.(earlier, slot.model);
  }

  /** Loads a file, and again if it was replaced meanwhile, because the digest would then belong to another model. */
  async #loadUnchanged({ name, version, path, stamp }: ModelFile, slot: Slot): Promise<ServedModel> {
    slot.stamp = stamp;
    for (let loads = 1; ; loads++) {
      if (this.#key !== undefined) await verifyFile(path, { key: this.#key });
      const model = await ServedModel.load(name, version, path);
      const now = await fileStamp(path, this.#key !== undefined);
      // The signature is valid for the loaded file only if nobody has replaced the file in between.
      if (now === slot.stamp || (now === undefined && this.#key === undefined)) return model;
      slot.stamp = now ?? "";
      if (loads === MOST_LOADS) {
        slot.stamp = "";
        throw new VouchError("file/read", `${path} changes again and again while it is loaded.`, {
          hint: "Write model files under another name and rename them.",
        });
      }
    }
  }

  #unloadAllBut(files: readonly ModelFile[], unreadable: ReadonlyMap<string, unknown>): ServedModel[] {
    const unloaded: ServedModel[] = [];
    for (const [name, versions] of this.#slots) {
      for (const [version, { model, source }] of versions) {
        // If an argument's file or folder has gone, its models stay in service.
        if (unreadable.has(source)) continue;
        if (files.some((file) => file.name === name && file.version === version)) continue;
        versions.delete(version);
        if (model) unloaded.push(model);
      }
      if (versions.size === 0) this.#slots.delete(name);
    }
    return unloaded;
  }

  #findLatest(): void {
    this.#latest.clear();
    for (const name of this.#slots.keys()) {
      const version = this.versions(name).at(-1);
      const model = version === undefined ? undefined : this.#slots.get(name)?.get(version)?.model;
      if (model) this.#latest.set(name, model);
    }
  }
}
