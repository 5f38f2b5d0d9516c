import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { lapFromAnswer } from "./lap-answer.js";
import { findPython, peerScript, threadLimits } from "./python.js";
import type { Contestant } from "./race.js";

/** A peer that runs in Python: a script in `peers/`, what it imports, and what it is told. */
export interface PythonPeer {
  readonly name: string;
  readonly script: string;
  readonly modules: readonly string[];
  /** Shared libraries that the script loads. */
  readonly libraries?: readonly string[];
  readonly args: readonly string[];
  readonly threads: number;
}

/**
 * A contestant in a Python process that stays alive: it does the work once for every line it is sent and
 * answers with the seconds that the work itself took, as measured there.
 */
export function pythonPeer({ name, script, modules, libraries = [], args, threads }: PythonPeer): Contestant {
  let child: ChildProcessWithoutNullStreams | undefined;
  let answers: AsyncIterator<string> | undefined;
  return {
    name,
    async prepare() {
      const python = findPython(modules, libraries);
      if (python === undefined) return `no Python with ${[...modules, ...libraries].join(", ")}`;
      child = spawn(python, [peerScript(script), ...args], {
        env: { ...process.env, ...threadLimits(threads) },
      });
      child.stderr.pipe(process.stderr);
      answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return undefined;
    },
    async run() {
      if (!child || !answers) throw new Error(`${name} was not prepared`);
      child.stdin.write("run\n");
      const { value, done } = await answers.next();
      if (done) throw new Error(`${name} ended without an answer`);
      return lapFromAnswer(value);
    },
    async close() {
      child?.stdin.end();
    },
  };
}
