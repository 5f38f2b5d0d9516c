import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** A worker in a process of its own, which may be killed. */
export class WorkerProcess {
  output = "";
  readonly #process: ChildProcess;
  readonly #exit: Promise<number | null>;

  /** `options` are those of `startWorker`; the environment adds to that of this process. */
  constructor(url: string, options: object = {}, environment: NodeJS.ProcessEnv = {}) {
    this.#process = spawn(process.execPath, [script, JSON.stringify({ url, threads: 1, ...options })], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment },
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on("data", (text) => {
        this.output += String(text);
      });
    }
    this.#exit = new Promise((resolve) => this.#process.once("exit", resolve));
  }

  /** Waits until it has printed a text. */
  async says(text: string | RegExp, milliseconds = 30_000): Promise<void> {
    const until = performance.now() + milliseconds;
    const isThere = () => (typeof text === "string" ? this.output.includes(text) : text.test(this.output));
    while (!isThere()) {
      if (this.#process.exitCode !== null || performance.now() > until)
        throw new Error(`The worker has not said ${text}, but:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#exit;
  }

  /** Ends it as Ctrl-C does. */
  async stop(): Promise<number | null> {
    this.#process.kill("SIGINT");
    return this.#exit;
  }
}

/** Starts workers, and waits until all have joined. */
export async function startWorkers(
  count: number,
  url: string,
  options: object = {},
): Promise<WorkerProcess[]> {
  const workers = Array.from({ length: count }, () => new WorkerProcess(url, options));
  await Promise.all(workers.map((worker) => worker.says("joined")));
  return workers;
}
