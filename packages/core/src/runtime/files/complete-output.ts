import { fstatSync, writeSync } from "node:fs";

const STDOUT = 1;
const FAILED = 1;

/** Receives the first error of standard output; nothing is written to it afterwards. */
export type OutputFailure = (error: NodeJS.ErrnoException) => void;

/**
 * Makes what this process writes to standard output complete, or an error. By itself, Node calls the system once for each chunk,
 * ignores that a disk that is almost full takes only a part of it, and `console.log` ignores all errors. Call it before the first
 * write. By default a closed pipe (`| head`) ends the process quietly, and any other error with a message and exit code 1. Errors of
 * standard error are ignored: nobody could read a message about them.
 */
export function completeOutput(onFailure: OutputFailure = endProcess): void {
  const stream = process.stdout;
  let failed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (failed) return;
    failed = true;
    onFailure(error);
  });
  process.stderr.on("error", () => {});
  const facts = fstatSync(STDOUT);
  // Node writes to pipes, sockets and terminals completely.
  if (facts.isFIFO() || facts.isSocket() || stream.isTTY) return;
  stream._write = (chunk: Uint8Array, _encoding, callback) => {
    try {
      for (let taken = 0; taken < chunk.length; ) taken += writeSync(STDOUT, chunk, taken);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    callback();
  };
}

/** Whether the reader of standard output has gone, as `head` does when it has seen enough. */
export function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === "EPIPE";
}

/** Prints that standard output is incomplete, and why. */
export function reportIncompleteOutput(error: NodeJS.ErrnoException): void {
  process.stderr.write(`error: Cannot write the output: ${error.message}.\n`);
}

function endProcess(error: NodeJS.ErrnoException): void {
  if (isClosedPipe(error)) process.exit(0);
  reportIncompleteOutput(error);
  process.exit(FAILED);
}
