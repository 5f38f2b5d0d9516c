import { mkdir } from "node:fs/promises";
import { ModelMetrics } from "./metrics.js";
import { modelLine } from "./model-line.js";
import { ModelRegistry } from "./model-registry.js";
import { LocalMonitors } from "./monitors/local-monitors.js";
import { modelKeyText } from "./monitors/monitors.js";
import type { ServeOptions } from "./serve-options.js";

/** The models and monitors of a process. */
export interface ModelStore {
  readonly models: ModelRegistry;
  readonly monitors: LocalMonitors;
  readonly metrics: ModelMetrics;
  close(): Promise<void>;
}

/** Loads the models of a server and starts to monitor them. */
export async function openModelStore(
  options: ServeOptions,
  log: (line: string) => void,
): Promise<ModelStore> {
  if (options.state !== undefined) await mkdir(options.state, { recursive: true });
  const monitors = new LocalMonitors(options.state, log);
  const models: ModelRegistry = new ModelRegistry(options, {
    loaded: (model) => monitors.start(model),
    async replaced(earlier, model) {
      metrics.reloaded(model);
      log(`Loaded again: ${modelLine(model)}`);
      if (modelKeyText(earlier) !== modelKeyText(model)) await monitors.stop(earlier);
    },
    async unloaded(model) {
      log(`Unloaded: ${model.name} version ${model.version}. Its file is gone.`);
      await monitors.stop(model);
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
  const metrics = new ModelMetrics(models, monitors);
  const close = async () => {
    await models.close();
    await monitors.close();
  };
  try {
    await models.start({ interval: options.reloadInterval });
  } catch (error) {
    await close();
    throw error;
  }
  return { models, monitors, metrics, close };
}
