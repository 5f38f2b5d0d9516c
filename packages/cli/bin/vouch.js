#!/usr/bin/env node
import module from "node:module";
import { supervise } from "../dist/supervise.js";

// Keeps compiled modules for the next start; Node 20 does not have it.
module.enableCompileCache?.();
process.exitCode = await supervise(process.argv.slice(2));
