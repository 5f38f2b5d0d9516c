import { Registry } from "prom-client";
import { keepModels } from "./kept-models.js";
import { modelLine } from "./model-line.js";
import type { RunningServer, ServeOptions } from "./serve-options.js";
import { startServerProcess } from "./server-process.js";

/** Serves models over HTTP, and over gRPC if a port is given, until `close` is called. */
export async function serve(
  options: ServeOptions,
  log: (line: string) => void = () => {},
): Promise<RunningServer> {
  if ((options.workers ?? 1) > 1) {
    const { serveWithWorkers } = await import("./cluster-primary.js");
    return serveWithWorkers(options, log);
  }
  const kept = await keepModels(options, log);
  const { models, watches, metrics } = kept;
  const running = await startServerProcess(options, {
    models,
    watches,
    metrics: (service) => Registry.merge([service.metrics.registry, metrics.registry]).metrics(),
    log,
  }).catch(async (error: unknown) => {
    await kept.close();
    throw error;
  });
  return {
    http: running.http,
    grpc: running.grpc,
    models: models.models().map(modelLine),
    async close() {
      await running.close();
      await kept.close();
    },
  };
}
