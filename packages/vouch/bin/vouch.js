#!/usr/bin/env node
import { statSync } from "node:fs";
import module from "node:module";
import { PARTS } from "./parts.js";

// Keeps compiled modules for the next start; Node 20 does not have it.
module.enableCompileCache?.();
try {
  const { supervise } = await (isBundled()
    ? import("../dist/bundle/chunks/supervise.js")
    : import("../dist/process/supervise.js"));
  process.exitCode = await supervise(process.argv.slice(2));
} catch (error) {
  if (!/\bE[MN]FILE\b/.test(error?.message)) throw error;
  // No further module can be loaded, not even the one that words errors.
  process.stderr.write(`error: Too many open files: the system lets this process open no more.
  Raise the limit with \`ulimit -n\`, such as ulimit -n 1024.
`);
  process.exit(1);
}

/** Tells whether there is a bundle, and no package has been built since. */
function isBundled() {
  const bundled = timeOf("../dist/bundle/worker.js");
  return bundled > 0 && PARTS.every((name) => timeOf(`../../${name}/dist/.tsbuildinfo`) <= bundled);
}

function timeOf(path) {
  return statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
