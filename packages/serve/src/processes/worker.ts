/** A process that answers requests; primary.ts starts it. */

import { isTooManyFiles, tooManyFiles } from "@vouch/core/internal/runtime/files/open-files";
import { RemoteMonitors, tellPrimary } from "../monitors/remote-monitors.js";
import type { ServeOptions } from "../serve-options.js";
import { isOwnMessage, sentError, type ToWorker } from "./messages.js";
import type { ServerProcess } from "./server-process.js";

let running: ServerProcess | undefined;
let closing: Promise<void> | undefined;

process.on("message", (message: unknown) => {
  if (!isOwnMessage<ToWorker>(message)) return;
  if (message.vouch === "start") void start(message.options);
  else if (message.vouch === "close") void close();
  else if (message.vouch === "count") void count(message.id);
});
// A terminal sends signals to all processes, but the parent decides when this one ends.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("disconnect", () => void close());
tellPrimary({ vouch: "loaded" });

async function start(options: ServeOptions): Promise<void> {
  try {
    // Loaded here, because a process that may open too few files fails while it loads them.
    const { ModelRegistry } = await import("../model-registry.js");
    const { startServerProcess } = await import("./server-process.js");
    const monitors = new RemoteMonitors();
    const models = new ModelRegistry(options);
    await models.start({ interval: options.reloadInterval });
    running = await startServerProcess(options, {
      models,
      monitors,
      metrics: () => monitors.metrics(),
      log: (line) => tellPrimary({ vouch: "log", line }),
    });
    tellPrimary({ vouch: "listening", http: running.http, grpc: running.grpc });
  } catch (error) {
    const cause = isTooManyFiles(error) ? tooManyFiles(error) : error;
    tellPrimary({ vouch: "failed", error: sentError(cause) });
  }
}

async function count(id: number): Promise<void> {
  const metrics = (await running?.service.metrics.registry.getMetricsAsJSON()) ?? [];
  tellPrimary({ vouch: "counted", id, metrics });
}

/** Answers pending requests, and exits. */
async function close(): Promise<void> {
  closing ??= running?.close();
  await closing;
  process.exit(0);
}
