import { mkdir } from "node:fs/promises";
import { LocalWatches } from "./local-watches.js";
import { ModelMetrics } from "./metrics.js";
import { modelLine } from "./model-line.js";
import { ModelRegistry } from "./model-registry.js";
import type { ServeOptions } from "./serve-options.js";
import { watchKey } from "./watch-keeper.js";

/** The models and their watches, which one process keeps. */
export interface KeptModels {
  readonly models: ModelRegistry;
  readonly watches: LocalWatches;
  readonly metrics: ModelMetrics;
  close(): Promise<void>;
}

/** Loads the models of a server and starts to watch them. */
export async function keepModels(options: ServeOptions, log: (line: string) => void): Promise<KeptModels> {
  if (options.state !== undefined) await mkdir(options.state, { recursive: true });
  const watches = new LocalWatches(options.state, log);
  const models: ModelRegistry = new ModelRegistry(options, {
    loaded: (model) => watches.start(model),
    async replaced(earlier, model) {
      metrics.reloaded(model);
      log(`Loaded again: ${modelLine(model)}`);
      if (watchKey(earlier) !== watchKey(model)) await watches.stop(earlier);
    },
    async unloaded(model) {
      log(`Unloaded: ${model.name} version ${model.version}. Its file has gone.`);
      await watches.stop(model);
    },
    failed({ name, version }, reason, kept) {
      metrics.failed({ name, version });
      const rest = kept ? "The model that was loaded before still answers." : "This model does not answer.";
      log(`Cannot load ${name} version ${version}. ${reason} ${rest}`);
    },
    ignored(reason) {
      log(`${reason} The second one is not served.`);
    },
  });
  const metrics = new ModelMetrics(models, watches);
  const close = async () => {
    await models.close();
    await watches.close();
  };
  try {
    await models.start({ interval: options.reloadInterval });
  } catch (error) {
    await close();
    throw error;
  }
  return { models, watches, metrics, close };
}
