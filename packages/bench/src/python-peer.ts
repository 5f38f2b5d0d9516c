import { linePeer } from "./line-peer.js";
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

/** A contestant in a Python process that stays alive. */
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
