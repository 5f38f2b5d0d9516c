import { spawnSync } from "node:child_process";
import { lapFromAnswer } from "./lap-answer.js";
import type { Contestant } from "./race.js";

/** A program that does the work once, prints its lap as JSON and ends: for work whose peak memory matters. */
export interface Program {
  readonly name: string;
  /** The program and its arguments; undefined when it is not on this machine. */
  readonly command: readonly string[] | undefined;
  /** What is missing when there is no command. */
  readonly absence: string;
}

/** A contestant that starts a new process for every run. */
export function freshProcess({ name, command, absence }: Program): Contestant {
  return {
    name,
    prepare: async () => (command === undefined ? absence : undefined),
    run: async () => {
      if (command === undefined) throw new Error(absence);
      const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), { encoding: "utf8" });
      if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
      return lapFromAnswer(stdout);
    },
    close: async () => {},
  };
}
