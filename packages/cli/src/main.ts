import { CommanderError } from "commander";
import { VouchError } from "vouch";
import { program } from "./program.js";
import { styled, type Terminal, width, wrap } from "./terminal.js";

/** Exit codes of the command. */
const FAILED = 1;
const WRONG_USAGE = 2;
const INTERRUPTED = 130;

/** Runs the command with the given arguments; gives the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const terminal: Terminal = { out: process.stdout, err: process.stderr };
  endQuietlyWhenNobodyReads(terminal.out);
  try {
    await program(terminal).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (error instanceof VouchError) return explain(error, terminal);
    throw error;
  }
}

/** Prints what is wrong and what to do about it; no stack trace. */
function explain(error: VouchError, { err }: Terminal): number {
  const columns = Math.min(width(err), 110);
  err.write(`${wrap(`${styled(err, "red", "error:")} ${error.message}`, columns)}\n`);
  if (error.hint) err.write(`${wrap(error.hint, columns, "  ")}\n`);
  if (error.code === "run/interrupted") return INTERRUPTED;
  const area = error.code.split("/")[0];
  return area === "option" || error.code.endsWith("/unknown") ? WRONG_USAGE : FAILED;
}

/** `vouch predict … | head` closes the pipe early: that is no error. */
function endQuietlyWhenNobodyReads(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
}
