import type { ClusterExecutor, ClusterReport } from "@vouch/cluster";
import { readableBytes } from "@vouch/core/internal/runtime/memory-limit";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import type { ClusterFlags } from "../options/flags.js";
import { needsShutdownTime } from "./interruption.js";
import type { ProgressDisplay } from "./progress-display.js";

/** Connects to the cluster of the flags. Ctrl-C then leaves time to stop the workers. */
export async function connectCluster(
  flags: ClusterFlags & { readonly cluster: string },
  local: Executor,
  signal: AbortSignal,
  display: ProgressDisplay,
): Promise<ClusterExecutor> {
  const { clusterExecutor } = await import("@vouch/cluster");
  needsShutdownTime();
  const executor = await clusterExecutor({
    url: flags.cluster,
    local,
    signal,
    blobs: flags.blobs,
    ...(flags.wait !== undefined && { patience: 1000 * flags.wait }),
    verify: flags.verify,
  });
  display.remark = () => duringRun(executor);
  return executor;
}

function duringRun(executor: ClusterExecutor): string {
  const { tasks, running, rows, seconds } = executor.report();
  if (tasks === 0 && running === 0) return "";
  const speed = rows > 0 ? `, ${formatNumber(Math.round(rows / seconds))} rows/s` : "";
  return `${formatCount(executor.cluster.count, "worker")}, ${formatNumber(tasks)} of ${formatCount(tasks + running, "task")}${speed}`;
}

/** Summarises the costs of a cluster run in one line. */
export function clusterLine({
  workers,
  tasks,
  verified,
  bytes,
  blobs,
  computing,
  transferring,
}: ClusterReport): string {
  const sent = readableBytes(bytes.sent + bytes.workersSent);
  const fetched = readableBytes(bytes.fetched + bytes.workersFetched);
  return (
    `The cluster ran ${formatCount(tasks, "task")} on ${formatCount(Object.keys(workers).length, "worker")}: ` +
    (verified > 0 ? `${formatCount(verified, "result")} verified, ` : "") +
    `${formatNumber(Math.round(10 * computing) / 10)} s of computing, ${formatNumber(Math.round(10 * transferring) / 10)} s of transfers. ` +
    `${sent} were sent (${formatCount(blobs.sent, "blob")} of this machine, ${formatNumber(blobs.found)} more were there), ${fetched} fetched.`
  );
}
