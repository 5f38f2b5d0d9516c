#!/usr/bin/env node
import { statSync } from "node:fs";
import module from "node:module";
import { PARTS } from "./parts.js";

// Keeps compiled modules for the next start; Node 20 does not have it.
module.enableCompileCache?.();
const { supervise } = await (isBundled()
  ? import("../dist/bundle/chunks/supervise.js")
  : import("../dist/supervise.js"));
process.exitCode = await supervise(process.argv.slice(2));

/** Tells whether there is a bundle, and no package has been built since. */
function isBundled() {
  const bundled = timeOf("../dist/bundle/worker.js");
  return bundled > 0 && PARTS.every((name) => timeOf(`../../${name}/dist/.tsbuildinfo`) <= bundled);
}

function timeOf(path) {
  return statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
