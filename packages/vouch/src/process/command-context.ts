import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import { threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
import { hardwareThreads } from "@vouch/core/internal/runtime/platform";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { LongRunFlags } from "../options/flags.js";
import { type StopSignals, stoppable } from "./interruption.js";
import { checkInstalled } from "./optional-package.js";
import { ProgressDisplay } from "./progress-display.js";
import { noticePrinter, type Terminal } from "./terminal.js";

/** Services for long work: threads, stop signals and a progress display. */
export interface CommandContext {
  readonly executor: Executor;
  readonly stops: StopSignals;
  readonly display: ProgressDisplay;
}

/** Runs long work. At the end, even after an error, clears the progress display and ends the threads. */
export async function withCommandContext(
  flags: Omit<LongRunFlags, "seed">,
  terminal: Terminal,
  work: (run: CommandContext) => Promise<void>,
): Promise<void> {
  const display = new ProgressDisplay(terminal.err, flags.quiet === true);
  const local = threadExecutor({ threads: flags.threads ?? hardwareThreads() });
  if (flags.threads !== undefined && local.threads < flags.threads) {
    const machine = formatCount(hardwareThreads(), "processor");
    noticePrinter(
      flags,
      terminal,
    )(
      `--threads is ${formatNumber(flags.threads)}, but this machine has ${machine}: ${local.threads} threads are used.`,
    );
  }
  const { cluster } = flags;
  if (flags.verify !== undefined && cluster === undefined) {
    throw new VouchError("option/invalid", "--verify needs --cluster.", {
      hint: "Only results of other machines are computed twice.",
    });
  }
  try {
    await stoppable(async (stops) => {
      if (cluster === undefined) return work({ executor: local, stops, display });
      checkInstalled("@vouch/cluster", "--cluster");
      const { clusterLine, connectCluster } = await import("./cluster-run.js");
      const executor = await connectCluster({ ...flags, cluster }, local, stops.abort, display);
      try {
        await work({ executor, stops, display });
        display.clear();
        noticePrinter(flags, terminal)(clusterLine(executor.report()));
      } finally {
        await executor.close();
      }
    });
  } finally {
    display.clear();
    await local.close();
  }
}
