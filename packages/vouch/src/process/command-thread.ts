/** The thread on which a command runs; see supervise.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { onTemporaryPath } from "@vouch/core/internal/runtime/files/temporary-files";
import type { CommandData, FromCommand, StreamFacts, ToCommand } from "./thread-messages.js";

const { out, err }: CommandData = workerData;
asTerminal(process.stdout, out);
asTerminal(process.stderr, err);

parentPort?.on("message", (message: ToCommand) => {
  if (message.kind === "signal") process.emit(message.signal, message.signal);
  else asTerminal(process.stderr, { ...err, columns: message.columns });
});
parentPort?.unref();

// If this thread is terminated, only the main thread can remove its unfinished files.
onTemporaryPath((path, exists) => {
  const message: FromCommand = { kind: exists ? "temporary" : "complete", path };
  parentPort?.postMessage(message);
});

const { main } = await import("./main.js");
const code = await main(process.argv.slice(2));
await Promise.all([process.stdout, process.stderr].map(written));
// Open handles, such as unread standard input, would keep the thread alive.
process.exit(code);

/** Resolves once the main thread has received everything written to a stream. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}

/** Gives this thread's stream, which the main thread writes out, the properties of the terminal. */
function asTerminal(stream: NodeJS.WriteStream, { isTTY, columns }: StreamFacts): void {
  Object.defineProperty(stream, "isTTY", { value: isTTY, configurable: true });
  Object.defineProperty(stream, "columns", { value: columns, configurable: true });
}
