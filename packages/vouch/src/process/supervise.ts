import { rmSync } from "node:fs";
import { constants } from "node:os";
import { getHeapStatistics } from "node:v8";
import { Worker } from "node:worker_threads";
import {
  completeOutput,
  isClosedPipe,
  reportIncompleteOutput,
} from "@vouch/core/internal/runtime/files/complete-output";
import { isServer, isShortCommand } from "./short-commands.js";
import {
  type CommandData,
  ERROR_REPORTED,
  FINISHES_EARLY,
  type FromCommand,
  NEEDS_SHUTDOWN_TIME,
  OUTLIVES_OUTPUT,
  STATUS_WORDS,
  type StopSignal,
  type StreamFacts,
  type ToCommand,
} from "./thread-messages.js";

/** Milliseconds for a command to stop after a signal before its thread is terminated. */
const GRACE_PERIOD = 30;

/** The same if it must inform other machines. */
const LONG_GRACE_PERIOD = 3000;

/** Milliseconds for a thread to end; only a system call or a native library can delay it. */
const END_PERIOD = 20;

/** Exit codes; main.ts defines the command's own. */
const FAILED = 1;
const INTERRUPTED = 130;

const OUT_OF_MEMORY = `error: The command needs more memory than JavaScript may use on this machine.
  Use fewer rows or columns, or run node with --max-old-space-size (in megabytes).
`;

/**
 * Runs the command on its own thread and returns its exit code. The main thread only listens, so that signals are
 * received at any time. The first signal asks the command to stop, and its thread is terminated if it does not. The
 * second one ends the process at once. Incomplete files are removed. Help and similar commands need no thread, and
 * servers do without.
 *
 * A command whose standard output fails ends at once, unless it does more than print. A closed pipe is not an error.
 */
export async function supervise(args: readonly string[]): Promise<number> {
  let command: SupervisedCommand | undefined;
  let isIncomplete = false;
  completeOutput((error) => {
    isIncomplete = !isClosedPipe(error);
    if (isIncomplete) reportIncompleteOutput(error);
    if (!isServer(args) && !command?.goesOnWithoutOutput()) process.exit(isIncomplete ? FAILED : 0);
  });
  if (isShortCommand(args) || isServer(args)) {
    const { main } = await import("./main.js");
    return main(args);
  }
  command = new SupervisedCommand(args);
  const code = await listenWhile(command);
  return isIncomplete ? FAILED : code;
}

/** Forwards signals and the terminal width to a command until it ends; returns its exit code. */
async function listenWhile(command: SupervisedCommand): Promise<number> {
  const stops = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const stop = () => command.stop(signal);
    process.on(signal, stop);
    return () => process.off(signal, stop);
  });
  const tellWidth = () => command.tell({ kind: "resize", columns: process.stderr.columns });
  process.stderr.on("resize", tellWidth);
  try {
    return await command.exitCode;
  } finally {
    for (const off of stops) off();
    process.stderr.off("resize", tellWidth);
  }
}

/** A command on its own thread. */
class SupervisedCommand {
  /** Resolves when the thread has ended. */
  readonly exitCode: Promise<number>;
  readonly #worker: Worker;
  readonly #flags = new Int32Array(new SharedArrayBuffer(4 * STATUS_WORDS));
  readonly #temporary = new Set<string>();
  #stoppedBy: StopSignal | undefined;
  #askedToFinish = false;
  #ending = false;

  constructor(args: readonly string[]) {
    const data: CommandData = {
      flags: this.#flags,
      out: factsOf(process.stdout),
      err: factsOf(process.stderr),
    };
    this.#worker = new Worker(new URL("./command-thread.js", import.meta.url), {
      argv: [...args],
      stdin: true,
      workerData: data,
      // Threads do not inherit --max-old-space-size.
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20) },
    });
    this.#worker.on("message", (message: FromCommand) => this.#receive(message));
    this.exitCode = new Promise((resolve, reject) => {
      this.#worker.once("error", (error) => {
        if (!isOutOfMemory(error)) return reject(error);
        process.stderr.write(OUT_OF_MEMORY);
        resolve(FAILED);
      });
      this.#worker.once("exit", (code) => {
        this.#cleanUp();
        if (this.#ending) this.#explain();
        resolve(this.#ending || code === INTERRUPTED ? this.#interruptedCode() : code);
      });
    });
  }

  tell(message: ToCommand): void {
    this.#worker.postMessage(message);
  }

  /**
   * Asks the command to stop, or to finish early if it can. Terminates it on the second signal, or if it does not stop.
   */
  stop(signal: StopSignal): void {
    if (this.#stoppedBy) this.#die();
    this.tell({ kind: "signal", signal });
    if (signal === "SIGINT" && !this.#askedToFinish && Atomics.load(this.#flags, FINISHES_EARLY) === 1) {
      this.#askedToFinish = true;
      return;
    }
    this.#stoppedBy = signal;
    const isSlow = Atomics.load(this.#flags, NEEDS_SHUTDOWN_TIME) === 1;
    setTimeout(() => this.#end(), isSlow ? LONG_GRACE_PERIOD : GRACE_PERIOD).unref();
  }

  /** Drops further output if the command does more than print; otherwise removes its incomplete files. */
  goesOnWithoutOutput(): boolean {
    if (Atomics.load(this.#flags, OUTLIVES_OUTPUT) === 1) {
      this.#worker.stdout.resume();
      return true;
    }
    this.#cleanUp();
    return false;
  }

  #receive(message: FromCommand): void {
    switch (message.kind) {
      case "stdin":
        if (this.#worker.stdin) process.stdin.pipe(this.#worker.stdin);
        break;
      case "temporary":
        this.#temporary.add(message.path);
        break;
      case "complete":
        this.#temporary.delete(message.path);
    }
  }

  /** Terminates the thread. */
  #end(): void {
    this.#ending = true;
    void this.#worker.terminate();
    setTimeout(() => this.#die(), END_PERIOD).unref();
  }

  /** Ends the process at once. */
  #die(): void {
    this.#cleanUp();
    this.#explain();
    process.exit(this.#interruptedCode());
  }

  /** Removes incomplete files, and stops reading standard input, which would keep the process alive. */
  #cleanUp(): void {
    for (const path of this.#temporary) rmSync(path, { recursive: true, force: true });
    this.#temporary.clear();
    process.stdin.destroy();
  }

  /** Reports the interruption, unless the command has done so itself. */
  #explain(): void {
    if (Atomics.exchange(this.#flags, ERROR_REPORTED, 1) === 1) return;
    process.stderr.write(`${process.stderr.isTTY ? "\r\x1b[K" : ""}error: The run was interrupted.\n`);
  }

  /** By convention, the exit code after a signal is 128 plus its number: 130 after Ctrl-C, 143 after SIGTERM. */
  #interruptedCode(): number {
    return this.#stoppedBy ? 128 + constants.signals[this.#stoppedBy] : INTERRUPTED;
  }
}

function factsOf({ isTTY, columns }: NodeJS.WriteStream): StreamFacts {
  return { isTTY: isTTY === true, columns };
}

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
