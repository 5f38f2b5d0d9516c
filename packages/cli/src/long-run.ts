import { hardwareThreads, type ThreadExecutor, threadExecutor } from "vouch";
import { type Stops, stoppable } from "./interruption.js";
import type { PrintingFlags } from "./program.js";
import { ProgressDisplay } from "./progress-display.js";
import type { Terminal } from "./terminal.js";

/** Flags of commands that take long. */
export interface LongRunFlags extends PrintingFlags {
  readonly seed: number;
  readonly threads?: number;
}

/** What long work needs: threads, the ways to stop it, and where it shows how far it is. */
export interface LongRun {
  readonly executor: ThreadExecutor;
  readonly stops: Stops;
  readonly display: ProgressDisplay;
}

/** Does long work; whatever becomes of it, the progress is wiped away and the threads end. */
export async function longRun(
  flags: LongRunFlags,
  { err }: Terminal,
  work: (run: LongRun) => Promise<void>,
): Promise<void> {
  const display = new ProgressDisplay(err, flags.quiet === true);
  const executor = threadExecutor({ threads: flags.threads ?? hardwareThreads() });
  try {
    await stoppable((stops) => work({ executor, stops, display }));
  } finally {
    display.clear();
    await executor.close();
  }
}
