import { Registry } from "prom-client";
import { modelLine } from "./model-line.js";
import { openModelStore } from "./model-store.js";
import { startServerProcess } from "./processes/server-process.js";
import type { RunningServer, ServeOptions } from "./serve-options.js";

/** Serves models over HTTP, and over gRPC if a port is given, until `close` is called. */
export async function serve(
  options: ServeOptions,
  log: (line: string) => void = () => {},
): Promise<RunningServer> {
  if ((options.workers ?? 1) > 1) {
    const { serveWithWorkers } = await import("./processes/primary.js");
    return serveWithWorkers(options, log);
  }
  const kept = await openModelStore(options, log);
  const { models, monitors, metrics } = kept;
  const running = await startServerProcess(options, {
    models,
    monitors,
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
