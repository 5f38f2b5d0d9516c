import { isTooManyFiles, tooManyFiles } from "@vouch/core/internal/runtime/files/open-files";
import { type ErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type Command, CommanderError } from "commander";
import { program } from "../options/program.js";
import { errorReported } from "./interruption.js";
import { printable, proseWidth, styled, type Terminal, wrap, writeText } from "./terminal.js";

/** Exit codes of the command. */
const FAILED = 1;
const WRONG_USAGE = 2;
const INTERRUPTED = 130;

/** Runs the command, or another one, with the given arguments; returns the exit code. */
export async function main(
  args: readonly string[],
  terminal: Terminal = { out: process.stdout, err: process.stderr },
  define: (terminal: Terminal) => Command = program,
): Promise<number> {
  try {
    await define(terminal).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (error instanceof VouchError) return explain(error, terminal);
    if (isTooManyFiles(error)) return explain(tooManyFiles(error), terminal);
    throw error;
  }
}

/** Prints the message and the hint, without a stack trace. */
function explain(error: VouchError, { err }: Terminal): number {
  errorReported();
  const columns = proseWidth(err);
  const lines = wrap(`error: ${printable(error.message)}`, columns);
  writeText(err, `${lines.replace("error:", styled(err, "red", "error:"))}\n`);
  if (error.hint) writeText(err, `${wrap(error.hint, columns, "  ")}\n`);
  if (error.code === "run/interrupted") return INTERRUPTED;
  return isWrongUsage(error.code) ? WRONG_USAGE : FAILED;
}

/** Returns whether the command line is wrong, rather than a file. */
function isWrongUsage(code: ErrorCode): boolean {
  return code.startsWith("option/") || code === "learner/unknown" || code === "dataset/unknown";
}
