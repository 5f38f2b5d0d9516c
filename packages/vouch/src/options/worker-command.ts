import type { WorkerSettings } from "@vouch/cluster";
import type { Command } from "commander";
import { checkInstalled } from "../process/optional-package.js";
import type { Terminal } from "../process/terminal.js";
import { withFields } from "./deferred-options.js";
import { wholeNumber } from "./flags.js";

/** Adds the command that runs a worker for the library's tasks, or for given ones. */
export function addWorker(
  program: Command,
  terminal: Terminal,
  work: Pick<WorkerSettings, "tasks" | "script"> = {},
): void {
  const worker = program
    .command("worker")
    .summary("run tasks of a cluster on this machine")
    .description(
      "Joins a cluster: runs tasks of commands with the same --cluster on the threads of this machine, until Ctrl-C.",
    );
  withFields(worker, ({ addField, addFields }) => {
    addField(worker, "cluster", { help: "Redis server to take tasks from, such as redis://host:6379" });
    worker.optionsGroup("Run:");
    addFields(worker, "threads", "blobs")
      .option(
        "--metrics-port <n>",
        "serve Prometheus metrics on this port",
        wholeNumber("metrics-port", 0, 65_535),
      )
      .option("--metrics-host <address>", "address to serve metrics on", "127.0.0.1");
    addFields(worker, "memory").option("-q, --quiet", "print nothing but errors");
  }).action(async (flags) => {
    checkInstalled("@vouch/cluster", "vouch worker");
    const { runWorker } = await import("../commands/worker.js");
    await runWorker(flags, terminal, work);
  });
}
