import { access, constants, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { studioHeaders, studioPort, studioSite } from "@vouch/studio";
import { trainingFile } from "../input/reading.js";
import { outlivesOutput, stoppable } from "../process/interruption.js";
import { serveStudio } from "../process/studio-server.js";
import { type Terminal, writeText } from "../process/terminal.js";

/** Flags of `vouch studio`. */
export interface StudioFlags {
  readonly host: string;
  readonly port?: number;
  readonly quiet?: boolean;
}

/** `vouch studio [FILE]`: serves the studio until it is interrupted. */
export async function runStudio(
  argument: string | undefined,
  { host, port, quiet }: StudioFlags,
  { out, err }: Terminal,
): Promise<void> {
  const file = argument === undefined ? undefined : await readableFile(argument);
  const site = fileURLToPath(studioSite);
  outlivesOutput();
  await stoppable(async ({ abort, finish, canFinish }) => {
    const server = await serveStudio({
      site,
      headers: studioHeaders,
      host,
      port,
      preferredPort: studioPort,
      file,
    });
    writeText(out, `${server.address}\n`);
    if (!quiet) writeText(err, "Open this address in a browser. Stop with Ctrl-C.\n");
    // Ctrl-C ends the server normally.
    canFinish(true);
    const stop = AbortSignal.any([abort, finish]);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener("abort", () => resolve());
    });
    server.close();
  });
}

/** Finds the file of the argument and checks that it is readable. */
async function readableFile(argument: string): Promise<string> {
  if (argument === "-") {
    throw new VouchError("option/invalid", "The studio cannot open standard input.", {
      hint: "Give a file, or drop one into the page.",
    });
  }
  const path = await trainingFile(argument);
  const facts = await stat(path).catch((cause: unknown) => {
    throw new VouchError("file/missing", `There is no file ${path}.`, { cause });
  });
  if (!facts.isFile()) {
    throw new VouchError(facts.isDirectory() ? "file/directory" : "file/format", `${path} is not a file.`, {
      hint: "Give a data file, the name of a data set, or a model file.",
    });
  }
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new VouchError("file/permission", `There is no permission to read ${path}.`, { cause });
  });
  return path;
}
