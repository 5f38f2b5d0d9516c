import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { TaskWorker, WorkerTotals } from "./task-worker.js";

/** A running metrics server. */
export interface MetricsServer {
  readonly address: string;
  close(): Promise<void>;
}

const GAUGES: readonly { readonly name: string; readonly help: string; readonly of: keyof WorkerTotals }[] = [
  { name: "vouch_worker_tasks_done", help: "Tasks that the worker has finished.", of: "done" },
  { name: "vouch_worker_tasks_failed", help: "Tasks that have failed on the worker.", of: "failed" },
  { name: "vouch_worker_tasks_running", help: "Tasks that are running.", of: "running" },
  { name: "vouch_worker_task_seconds", help: "Seconds that tasks have taken, all together.", of: "seconds" },
  { name: "vouch_worker_fetched_bytes", help: "Bytes of blobs that were fetched.", of: "bytesFetched" },
  { name: "vouch_worker_sent_bytes", help: "Bytes of blobs that were stored.", of: "bytesSent" },
  { name: "vouch_worker_cache_bytes", help: "Bytes of blobs in the cache.", of: "cacheBytes" },
];

/** Serves the metrics of a worker and its process to Prometheus at `/metrics`. */
export async function serveMetrics(
  worker: TaskWorker,
  port: number,
  host = "127.0.0.1",
): Promise<MetricsServer> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name, help, of } of GAUGES) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(worker.totals[of]);
      },
    });
  }
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": registry.contentType }).end(await registry.metrics());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new VouchError("option/invalid", `Metrics cannot be served on port ${port}: ${cause.message}.`, {
          cause,
          hint: "Choose another port with --metrics-port; 0 takes one that is free.",
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const used = isAddress(address) ? address.port : port;
  return {
    address: `http://${host}:${used}/metrics`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
