// `npm run experiment -- [NAME] [options]`: lists the experiments, or computes one. Paths are relative to the root of the workspace.
import { completeOutput } from "@vouch/core/internal/runtime/files/complete-output";
import { main } from "vouch/internal/process/main";
import { experimentProgram } from "./dist/command.js";

completeOutput();
process.exitCode = await main(process.argv.slice(2), undefined, experimentProgram);
