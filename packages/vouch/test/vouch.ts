import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";

/** The command as it is installed. */
export const bin = fileURLToPath(new URL("../bin/vouch.js", import.meta.url));

/** Runs many commands in one process. */
const server = fileURLToPath(new URL("command-server.mjs", import.meta.url));

/** The folder of the data sets that ship with vouch. */
export const shipped = fileURLToPath(new URL("../../datasets/data/", import.meta.url));

/** How a command ended and what it wrote. */
export interface Outcome {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they were written. */
  readonly output: string;
}

/** How to run a command other than plainly. */
export interface RunOptions {
  readonly stdin?: string | Uint8Array;
  /** Standard input stays open, as if more was to come. */
  readonly endless?: boolean;
  /** Added to the environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which the command counts as hanging. */
  readonly timeout?: number;
  /** The program and its first arguments, in place of node and the command. */
  readonly program?: readonly string[];
}

/** A command that is running. */
export interface Running {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
  /** Resolves once the output or the error stream has shown the text. */
  said(text: string): Promise<void>;
}

/**
 * A temporary folder in which `vouch` is run; removed after the tests of the file. Plain commands run one after the other in one
 * process; one that needs an environment, standard input or a program of its own has a process of its own.
 */
export class Desk {
  readonly path = mkdtempSync(join(tmpdir(), "vouch-desk-"));
  readonly #env: RunOptions["env"];
  #server: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(env: RunOptions["env"] = {}) {
    this.#env = env;
    afterAll(() => {
      this.#server?.kill();
      rmSync(this.path, { recursive: true, force: true });
    });
  }

  /** Writes a file; gives its name. */
  file(name: string, contents: string | Uint8Array): string {
    writeFileSync(join(this.path, name), contents);
    return name;
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), "utf8");
  }

  bytes(name: string): Buffer {
    return readFileSync(join(this.path, name));
  }

  /** All names in the folder, hidden ones too. */
  names(): string[] {
    return readdirSync(this.path).sort();
  }

  /** Runs `vouch` with the arguments to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Outcome> {
    if (options) return this.start(args, options).outcome;
    const outcome = this.#last.then(() => this.#ask(args));
    this.#last = outcome.catch(() => {});
    return outcome;
  }

  #ask(args: readonly string[]): Promise<Outcome> {
    this.#server ??= fork(server, {
      cwd: this.path,
      env: environment(this.path, this.#env),
      stdio: "inherit",
    });
    const child = this.#server;
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`The process ended: vouch ${args.join(" ")}`));
      child.once("exit", ended);
      child.once("message", (outcome: Outcome) => {
        child.off("exit", ended);
        resolve(outcome);
      });
      child.send([...args]);
    });
  }

  /** Runs a command that must succeed; gives what it printed on standard output. */
  async print(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    expect(code, `vouch ${args.join(" ")}\n${stderr}`).toBe(0);
    return stdout;
  }

  /** The one JSON document that a command must print. */
  async json(args: readonly string[], options?: RunOptions) {
    const text = await this.print([...args, "--json"], options);
    expect(text.endsWith("\n")).toBe(true);
    return JSON.parse(text);
  }

  /**
   * Runs a command that must fail because of what it was given: with the exit code, an error that starts a
   * line of its own, no stack trace, nothing on standard output but a description of the data, and no model. Gives the error's text on one line.
   */
  async fault(code: 1 | 2, args: readonly string[], options?: RunOptions): Promise<string> {
    const outcome = await this.run(args, options);
    expect(outcome, `vouch ${args.join(" ")}`).toMatchObject({
      code,
      stdout: expect.stringMatching(/^$|^\S+: [\d,]+ rows?, .* classes/s),
      stderr: expect.stringMatching(/^error: /m),
    });
    expect(outcome.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
    expect(this.names().filter((name) => name.includes("model.safetensors"))).toEqual([]);
    return outcome.stderr.replaceAll(/\s+/g, " ").trim();
  }

  /** Starts `vouch` with the arguments. */
  start(args: readonly string[], options: RunOptions = {}): Running {
    const [program, ...first] = options.program ?? [process.execPath, bin];
    const child = spawn(program, [...first, ...args], {
      cwd: this.path,
      env: environment(this.path, options.env),
      timeout: options.timeout ?? 60_000,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    let output = "";
    const listeners = new Set<() => void>();
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
      for (const listener of listeners) listener();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      output += text;
      for (const listener of listeners) listener();
    });
    // A command that fails early does not read what it is sent.
    child.stdin.on("error", () => {});
    if (options.stdin !== undefined) child.stdin.write(options.stdin);
    if (!options.endless) child.stdin.end();
    const outcome = new Promise<Outcome>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? undefined, stdout, stderr, output }));
    });
    const said = (text: string) =>
      new Promise<void>((resolve, reject) => {
        const check = () => {
          if (!stderr.includes(text) && !stdout.includes(text)) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        outcome.then(() => reject(new Error(`It ended without saying "${text}": ${stderr}`)), reject);
        check();
      });
    return { child, outcome, said };
  }
}

/** The environment of a user with nothing set: no data folder, an empty cache, no wishes about colours. */
function environment(folder: string, wishes: RunOptions["env"] = {}): NodeJS.ProcessEnv {
  const unset = ["VOUCH_DATA", "NO_COLOR", "FORCE_COLOR", "CI", "COLUMNS", "NODE_OPTIONS", "NODE_ENV"];
  const clean = Object.entries(process.env).filter(
    ([name]) => !unset.includes(name) && !name.startsWith("VITEST"),
  );
  return { ...Object.fromEntries(clean), VOUCH_CACHE: join(folder, "no-cache"), ...wishes };
}

/** A CSV file with two numeric columns, a category and a class that depends on them; different for each seed. */
export function flowersCsv(rows: number, seed = 1): string {
  const lines = ["length,width,colour,species"];
  let state = seed;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  for (let i = 0; i < rows; i++) {
    const tall = random() < 0.5;
    const length = (tall ? 3 : 2) + random() * 1.2;
    const colour = ["red", "white", "blue"][Math.floor(random() * 3)];
    lines.push(`${length.toFixed(2)},${random().toFixed(2)},${colour},${tall ? "rose" : "daisy"}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Two columns that say nothing of the class. */
export function noiseCsv(rows: number): string {
  let state = 7;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const lines = Array.from({ length: rows }, () => `${random()},${random()},${random() < 0.5 ? "a" : "b"}`);
  return `x,y,class\n${lines.join("\n")}\n`;
}
