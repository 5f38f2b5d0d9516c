#!/usr/bin/env node
import module from "node:module";

// Keeps compiled modules for the next start; Node 20 does not have it.
module.enableCompileCache?.();
const { main } = await import("../dist/main.js");
process.exitCode = await main(process.argv.slice(2));
