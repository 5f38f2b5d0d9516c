import { serve } from "@vouch/serve";
import { stoppable } from "../process/interruption.js";
import { printable, type Terminal, writeText } from "../process/terminal.js";

/** Flags of `vouch serve`. */
export interface ServeFlags {
  readonly host: string;
  readonly hostName?: string[];
  readonly port: number;
  readonly grpcPort?: number;
  readonly workers: number;
  readonly tokenFile?: string;
  readonly requireSignature?: string;
  readonly maxRows?: number;
  readonly maxBody?: number;
  readonly state?: string;
  readonly quiet?: boolean;
}

/** `vouch serve MODEL…`: serves models until a signal ends it. */
export async function runServe(
  models: readonly string[],
  flags: ServeFlags,
  { out, err }: Terminal,
): Promise<void> {
  const { maxRows, maxBody, quiet, hostName: hostNames, ...options } = flags;
  const log = (line: string) => writeText(err, `${printable(line)}\n`);
  const limits = {
    maxRows,
    maxBody,
  };
  // Until the server answers, a signal ends the process as usual, because the start may wait for a file.
  const server = await serve({ models, hostNames, ...options, limits }, log);
  await stoppable(async ({ abort, finish, canFinish }) => {
    writeText(out, `${server.http}\n`);
    if (server.grpc !== undefined) writeText(out, `grpc://${server.grpc}\n`);
    if (!quiet) {
      for (const line of server.models) writeText(err, `${printable(line)}\n`);
      writeText(err, "Open the address in a browser to try it. Stop with Ctrl-C.\n");
    }
    // Ctrl-C ends the server normally.
    canFinish(true);
    const stop = AbortSignal.any([abort, finish]);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener("abort", () => resolve());
    });
    await server.close();
  });
}
