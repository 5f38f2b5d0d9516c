import { formatCount, formatNumber, hardwareThreads, type ThreadExecutor, threadExecutor } from "vouch/data";
import type { LongRunFlags } from "./flags.js";
import { type Stops, stoppable } from "./interruption.js";
import { ProgressDisplay } from "./progress-display.js";
import { noticePrinter, type Terminal } from "./terminal.js";

/** The services of long work: threads, signals to stop it, and a progress display. */
export interface LongRun {
  readonly executor: ThreadExecutor;
  readonly stops: Stops;
  readonly display: ProgressDisplay;
}

/** Runs long work; at the end, even after an error, it clears the progress display and ends the threads. */
export async function longRun(
  flags: Omit<LongRunFlags, "seed">,
  terminal: Terminal,
  work: (run: LongRun) => Promise<void>,
): Promise<void> {
  const display = new ProgressDisplay(terminal.err, flags.quiet === true);
  const executor = threadExecutor({ threads: flags.threads ?? hardwareThreads() });
  if (flags.threads !== undefined && executor.threads < flags.threads) {
    const machine = formatCount(hardwareThreads(), "processor");
    noticePrinter(
      flags,
      terminal,
    )(
      `--threads is ${formatNumber(flags.threads)}, but this machine has ${machine}: ${executor.threads} threads are used.`,
    );
  }
  try {
    await stoppable((stops) => work({ executor, stops, display }));
  } finally {
    display.clear();
    await executor.close();
  }
}
