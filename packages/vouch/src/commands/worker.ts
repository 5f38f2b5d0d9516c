import {
  type MetricsServer,
  serveMetrics,
  startWorker,
  type TaskWorker,
  type WorkerEvent,
  type WorkerSettings,
} from "@vouch/cluster";
import { readableBytes } from "@vouch/core/internal/runtime/memory-limit";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { ClusterFlags } from "../options/flags.js";
import { interruptible, needsShutdownTime } from "../process/interruption.js";
import { type Terminal, writeText } from "../process/terminal.js";

/** Flags of `vouch worker`. */
export interface WorkerFlags extends Pick<ClusterFlags, "cluster" | "blobs"> {
  readonly threads?: number;
  readonly metricsPort?: number;
  readonly metricsHost: string;
  readonly quiet?: boolean;
}

/** `vouch worker --cluster URL`: runs tasks of a cluster until it is stopped. */
export async function runWorker(
  flags: WorkerFlags,
  terminal: Terminal,
  work: Pick<WorkerSettings, "tasks" | "script"> = {},
): Promise<void> {
  const { cluster: url } = flags;
  if (url === undefined) {
    throw new VouchError("option/invalid", "vouch worker needs --cluster.", {
      hint: "Give the address of Redis: vouch worker --cluster redis://host:6379, or set VOUCH_CLUSTER.",
    });
  }
  const say = (text: string) => {
    if (!flags.quiet) writeText(terminal.err, `${text}\n`);
  };
  await interruptible(async (signal) => {
    needsShutdownTime();
    const began = performance.now();
    const started = await startWorker({
      ...work,
      url,
      ...(flags.threads !== undefined && { threads: flags.threads }),
      ...(flags.blobs !== undefined && { blobs: flags.blobs }),
      onEvent: (event) => say(lineOf(event)),
    });
    let metrics: MetricsServer | undefined;
    try {
      metrics = await servedMetrics(started, flags);
      const { name, threads, version } = started;
      say(`${name} has joined with ${formatCount(threads, "thread")}, version ${version}. Ctrl-C ends it.`);
      if (metrics) say(`Metrics are at ${metrics.address}.`);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve());
      });
    } finally {
      await started.close();
      await metrics?.close();
      say(summary(started, (performance.now() - began) / 1000));
    }
  });
}

async function servedMetrics(
  started: TaskWorker,
  { metricsPort, metricsHost }: WorkerFlags,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  return serveMetrics(started, metricsPort, metricsHost);
}

/** Describes an event in one line. */
function lineOf(event: WorkerEvent): string {
  switch (event.kind) {
    case "away":
      return "Lost the connection to Redis; reconnecting.";
    case "back":
      return "Redis is back.";
    case "refused":
      return `refused  ${event.message}`;
  }
  const place = `${event.task} ${event.index + 1} of run ${event.run.slice(0, 8)}`;
  switch (event.kind) {
    case "started":
      return `started  ${place}`;
    case "cancelled":
      return `stopped  ${place}`;
    case "failed":
      return `${event.final ? "failed" : "retry"}   ${place}: ${event.message}`;
    case "done": {
      const moved = `${readableBytes(event.fetched)} in, ${readableBytes(event.sent)} out`;
      return `done     ${place}: ${formatNumber(Math.round(1000 * event.seconds) / 1000)} s, ${moved}`;
    }
  }
}

function summary({ totals }: TaskWorker, seconds: number): string {
  const share = Math.round((100 * totals.seconds) / Math.max(1e-9, seconds));
  return (
    `${formatCount(totals.done, "task")} done, ${formatNumber(totals.failed)} failed, in ${formatNumber(Math.round(seconds))} s, ` +
    `computing ${share}% of the time; ${readableBytes(totals.bytesFetched)} in, ${readableBytes(totals.bytesSent)} out.`
  );
}
