import type { Command } from "commander";
import { checkInstalled } from "../process/optional-package.js";
import type { Terminal } from "../process/terminal.js";
import { collect, memorySize, wholeNumber } from "./flags.js";

const port = (name: string) => wholeNumber(name, 0, 65_535);

/** Defines `vouch serve`. */
export function addServe(vouch: Command, terminal: Terminal): void {
  vouch
    .command("serve")
    .summary("serve models over HTTP and gRPC")
    .description(
      "Answers requests for predictions by the Open Inference Protocol (V2) and as plain JSON records, with a page to try each model. Loads changed files without dropping a request, and watches whether certificates still hold. Ends with Ctrl-C or SIGTERM when all requests are answered.",
    )
    .argument("<MODEL...>", "model files, or folders with NAME.safetensors or NAME/VERSION.safetensors")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--host-name <name>", "name of the server behind a proxy; repeatable", collect)
    .option("--port <n>", "port for HTTP; 0 picks a free one", port("port"), 8080)
    .option("--grpc-port <n>", "port for gRPC (default: no gRPC)", port("grpc-port"))
    .option("--workers <n>", "number of server processes", wholeNumber("workers", 1, 256), 1)
    .option("--token-file <file>", "file with the tokens of clients, one per line")
    .option("--require-signature <key>", "serve only models that are signed with this key (vouch sign)")
    .option(
      "--max-rows <n>",
      "maximum number of rows in a request (default: 50000)",
      wholeNumber("max-rows", 1),
    )
    .option("--max-body <size>", "maximum size of a request (default: 16MB)", memorySize("max-body", 1))
    .option("--state <folder>", "folder for the monitoring state, kept across restarts")
    .option("-q, --quiet", "do not list the models")
    .action(async (models: string[], flags) => {
      checkInstalled("@vouch/serve", "vouch serve");
      const { runServe } = await import("../commands/serve.js");
      await runServe(models, flags, terminal);
    });
}
