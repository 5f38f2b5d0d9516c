import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

const program = process.env.REDIS_SERVER ?? "redis-server";

/** Whether redis-server (Debian: redis-server) is installed; without it, tests of the cluster are reported as skipped. */
export const hasRedis = (() => {
  try {
    execFileSync(program, ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

/** A Redis server on a free port of this machine, with a folder of its own. */
export class RedisServer {
  readonly port: number;
  readonly folder = mkdtempSync(join(tmpdir(), "vouch-redis-"));
  readonly #options: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
  }

  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it, again after `kill`. */
  async start(): Promise<void> {
    const args = ["--port", `${this.port}`, "--bind", "127.0.0.1", "--dir", this.folder, "--save", ""];
    const started = spawn(program, [...args, ...this.#options], { stdio: ["ignore", "pipe", "inherit"] });
    this.#process = started;
    await new Promise<void>((resolve, reject) => {
      started.once("exit", (code) => reject(new Error(`redis-server exited with code ${code}`)));
      started.stdout?.on("data", (text) => /Ready to accept/.test(String(text)) && resolve());
    });
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    const ended = this.#process;
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
    await new Promise((resolve) => {
      ended.removeAllListeners("exit");
      ended.once("exit", resolve);
      ended.kill("SIGKILL");
    });
  }

  /** Stops it in the middle of whatever it does, as a machine that is overloaded or cut off; `kill` and `resume` end that. */
  pause(): void {
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Calls a function with a connection. */
  async with<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.port, "127.0.0.1");
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** Lists the keys of vouch, apart from those of BullMQ that live for a few seconds only. */
  async keys(): Promise<string[]> {
    const keys = await this.with((redis) => redis.keys("*"));
    return keys.filter((key) => !key.endsWith(":stalled-check")).sort();
  }
}

/** Finds a port of this machine that is free. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || !address) throw new Error("no port");
  return address.port;
}
