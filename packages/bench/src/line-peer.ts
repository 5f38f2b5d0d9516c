import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { lapFromAnswer } from "./lap-answer.js";
import type { Contestant } from "./race.js";

/** A program that does its work once for every line that it is sent. */
export interface LinePeer {
  readonly name: string;
  /** The program and its arguments; undefined when it is not on this machine. */
  find(): readonly string[] | undefined;
  /** What is missing when it is not found. */
  readonly absence: string;
  /** Set besides this process's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * A contestant in a process that stays alive: it does the work once for every line it is sent and answers with
 * the seconds that the work itself took, as measured there.
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
