import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import { inlineExecutor } from "@vouch/core/internal/runtime/parallel/inline";
import { threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import * as z from "zod";
import type { Contestant, Lap } from "./race.js";

/** Facts to show with a time, such as an accuracy. */
export type Facts = NonNullable<Lap["facts"]>;

/** Creates a contestant that runs in this process; `work` returns the facts of the run, if any. */
export function local(name: string, work: () => Promise<Facts | undefined> | Facts | undefined): Contestant {
  return localThen(name, work, (facts) => facts);
}

/** Creates an executor with this many threads; a single thread is this one. */
export function executorWith(threads: number): Executor {
  return threads === 1 ? inlineExecutor() : threadExecutor({ threads });
}

/** Creates a contestant that runs in this process on its own threads. */
export function localOn<Result>(
  name: string,
  threads: number,
  work: (executor: Executor) => Promise<Result> | Result,
  factsOf: (result: Result) => Facts | undefined,
): Contestant {
  const executor = executorWith(threads);
  return { ...localThen(name, () => work(executor), factsOf), close: () => executor.close() };
}

/** Formats a number of threads for titles. */
export function onThreads(threads: number): string {
  return threads === 1 ? "one thread" : formatCount(threads, "thread");
}

/** Creates a contestant that runs in this process; the facts are computed from its result, outside the timing. */
export function localThen<Result>(
  name: string,
  work: () => Promise<Result> | Result,
  factsOf: (result: Result) => Facts | undefined,
): Contestant {
  return {
    name,
    prepare: async () => undefined,
    run: async () => {
      const began = performance.now();
      const result = await work();
      const seconds = (performance.now() - began) / 1000;
      const facts = factsOf(result);
      return { seconds, facts };
    },
    close: async () => {},
  };
}

const lapSchema = z.object({ seconds: z.number(), facts: z.record(z.string(), z.number()).optional() });

/** Parses a lap printed by another process. */
function parseLap(line: string): Lap {
  const { seconds, facts } = lapSchema.parse(JSON.parse(line));
  return { seconds, facts };
}

/** A program that does the work once, prints its lap as JSON and exits, for work whose peak memory matters. */
interface Program {
  readonly name: string;
  /** The program and its arguments; undefined if it is not installed. */
  readonly command: readonly string[] | undefined;
  /** Why it is missing. */
  readonly absence: string;
}

/** Creates a contestant that starts a new process for every run. */
export function freshProcess({ name, command, absence }: Program): Contestant {
  return {
    name,
    prepare: async () => (command === undefined ? absence : undefined),
    run: async () => {
      if (command === undefined) throw new Error(absence);
      const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), { encoding: "utf8" });
      if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
      return parseLap(stdout);
    },
    close: async () => {},
  };
}

/** A program that does its work once per line of standard input. */
interface LinePeer {
  readonly name: string;
  /** Returns the program and its arguments; undefined if it is not installed. */
  find(): readonly string[] | undefined;
  /** Why it is missing. */
  readonly absence: string;
  /** Environment variables in addition to this process's own. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Creates a contestant in a persistent process, which does the work once per line and answers with its own timing in
 * seconds.
 */
export function linePeer({ name, find, absence, environment = {} }: LinePeer): Contestant {
  let child: ChildProcessWithoutNullStreams | undefined;
  let answers: AsyncIterator<string> | undefined;
  return {
    name,
    async prepare() {
      const command = find();
      if (command === undefined) return absence;
      child = spawn(command[0], command.slice(1), { env: { ...process.env, ...environment } });
      child.stderr.pipe(process.stderr);
      answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return undefined;
    },
    async run() {
      if (!child || !answers) throw new Error(`${name} is not prepared.`);
      child.stdin.write("run\n");
      const { value, done } = await answers.next();
      if (done) throw new Error(`${name} exited without an answer.`);
      return parseLap(value);
    },
    async close() {
      child?.stdin.end();
    },
  };
}

/** A peer that runs in Python: a script in `peers/`, its modules and its arguments. */
interface PythonPeer {
  readonly name: string;
  readonly script: string;
  readonly modules: readonly string[];
  /** Shared libraries that the script loads. */
  readonly libraries?: readonly string[];
  readonly args: readonly string[];
  readonly threads: number;
}

/** Creates a contestant in a persistent Python process. */
export function pythonPeer({ name, script, modules, libraries = [], args, threads }: PythonPeer): Contestant {
  return linePeer({
    name,
    find() {
      const python = findPython(modules, libraries);
      return python === undefined ? undefined : [python, peerScript(script), ...args];
    },
    absence: `no Python with ${[...modules, ...libraries].join(", ")}`,
    environment: threadLimits(threads),
  });
}

const peers = fileURLToPath(new URL("../peers/", import.meta.url));

/** Returns the path of a script in `peers/`. */
export function peerScript(name: string): string {
  return `${peers}${name}`;
}

/**
 * Finds a Python with all modules and shared libraries: the system's, which has Debian's packages, or the one on the
 * PATH.
 */
export function findPython(
  modules: readonly string[],
  libraries: readonly string[] = [],
): string | undefined {
  const imports = ["ctypes", ...modules].map((module) => `import ${module}`);
  const loads = libraries.map((library) => `ctypes.CDLL("${library}")`);
  const check = [...imports, ...loads].join("\n");
  return ["/usr/bin/python3", "python3"].find((python) => spawnSync(python, ["-c", check]).status === 0);
}

/** Returns an environment that limits the threads of numerical libraries. */
function threadLimits(threads: number): Record<string, string> {
  const names = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"];
  return Object.fromEntries(names.map((name) => [name, String(threads)]));
}

/** Finds the program that runs R scripts; undefined if it or the package is not installed. */
export function findR(packageName: string): string | undefined {
  const check = `library(${packageName})`;
  return spawnSync("Rscript", ["-e", check]).status === 0 ? "Rscript" : undefined;
}
