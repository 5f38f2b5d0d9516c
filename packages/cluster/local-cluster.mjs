/** Starts a Redis server and workers as local processes, for the scripts in this folder. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../vouch/bin/vouch.js", import.meta.url));

/** Processes that end with the script, even if it fails. */
const children = new Set();
// A signal ends the script in an orderly way, too.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

function started(program, args, options) {
  const child = spawn(program, args, options);
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** A Redis server with persistence, on a free local port. */
export class LocalRedis {
  #folder = mkdtempSync(join(tmpdir(), "vouch-redis-"));
  #process;

  constructor(program = process.env.REDIS_SERVER ?? "redis-server") {
    this.program = program;
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start() {
    this.port ??= await freePort();
    const place = ["--port", `${this.port}`, "--bind", "127.0.0.1", "--dir", this.#folder, "--save", ""];
    this.#process = started(this.program, [...place, "--appendonly", "yes"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve, reject) => {
      this.#process.once("error", reject);
      this.#process.once("exit", (code) => reject(new Error(`${this.program} exited with code ${code}`)));
      this.#process.stdout.on("data", (text) => /Ready to accept/.test(String(text)) && resolve());
    });
  }

  /** Sends a signal such as SIGSTOP. */
  signal(name) {
    this.#process.kill(name);
  }

  async kill() {
    this.#process.removeAllListeners("exit");
    children.delete(this.#process);
    await ended(this.#process, "SIGKILL");
  }

  /** Lists the remaining keys, apart from short-lived keys of BullMQ. */
  async keys() {
    const { Redis } = await import("ioredis");
    const connection = new Redis(this.port, "127.0.0.1");
    const keys = await connection.keys("*");
    connection.disconnect();
    return keys.filter((key) => !key.endsWith(":stalled-check")).sort();
  }

  async stop() {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A worker in its own process. */
export class LocalWorker {
  #process;

  /** `flags` are additional flags. */
  constructor(url, threads, ...flags) {
    const given = [command, "worker", "--cluster", url, "--threads", `${threads}`, ...flags];
    this.#process = started(process.execPath, given, { stdio: ["ignore", "ignore", "pipe"] });
    this.output = "";
    this.#process.stderr.on("data", (text) => {
      this.output += String(text);
    });
  }

  async joined() {
    while (!this.output.includes("has joined")) {
      if (this.#process.exitCode !== null) throw new Error(`A worker ended: ${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this;
  }

  /** Sends a signal such as SIGSTOP. */
  signal(name) {
    this.#process.kill(name);
  }

  async kill() {
    await ended(this.#process, "SIGKILL");
  }

  async stop() {
    await ended(this.#process, "SIGINT");
  }
}

async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill(signal);
  });
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Generates a table of numbers with a class that depends on some of them. */
export function drawnColumns(rows, columns, seed = 1) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const values = Array.from({ length: columns }, () => Float64Array.from({ length: rows }, uniform));
  const codes = Int32Array.from({ length: rows }, (_, i) => {
    const score =
      values[0][i] + values[1][i] * values[2][i] + 0.5 * Math.sin(9 * values[3][i]) + 0.4 * uniform();
    return score > 1 ? 1 : 0;
  });
  return [
    ...values.map((cells, j) => ({ kind: "numeric", name: `x${j}`, values: cells })),
    { kind: "categorical", name: "y", levels: ["no", "yes"], codes },
  ];
}
