import { mkdir } from "node:fs/promises";
import { LocalWatches } from "./local-watches.js";
import { ModelMetrics } from "./metrics.js";
import { modelLine } from "./model-line.js";
import { ModelRegistry } from "./model-registry.js";
import type { ServeOptions } from "./serve-options.js";

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
  const models: ModelRegistry = new ModelRegistry(options.models, {
    async loaded(model, earlier) {
      await watches.start(model, earlier);
      if (!earlier) return;
      metrics.reloaded(model);
      log(`Loaded again: ${modelLine(model)}`);
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
  });
  const metrics = new ModelMetrics(models, watches);
  await models.start({ interval: options.reloadInterval });
  return {
    models,
    watches,
    metrics,
    async close() {
      await models.close();
      await watches.close();
    },
  };
}
