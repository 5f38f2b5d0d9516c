import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { basename, extname, join, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { HostNames } from "@vouch/serve";

/** Files and address of the studio server. */
export interface StudioServerOptions {
  /** Folder of the built page. */
  readonly site: string;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly host: string;
  /** Port to listen on; if absent, the preferred one, or a free one if that is taken. */
  readonly port?: number | undefined;
  readonly preferredPort?: number | undefined;
  /** A file that the page opens. */
  readonly file?: string | undefined;
}

/** A running server. */
export interface StudioServer {
  /** The address to open, with the name of the file if there is one. */
  readonly address: string;
  close(): void;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".csv": "text/csv; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
};

/**
 * Serves the files of the studio, and one file of the user under an unguessable path. Refuses other paths and methods
 * other than GET and HEAD.
 */
export async function serveStudio(options: StudioServerOptions): Promise<StudioServer> {
  const { site, headers, host, file } = options;
  const files = await siteFiles(site);
  const opened =
    file === undefined
      ? undefined
      : `files/${randomBytes(16).toString("hex")}/${encodeURIComponent(basename(file))}`;
  if (file !== undefined && opened !== undefined) files.set(`/${opened}`, file);
  // A server for this computer alone must not answer to other names.
  const names = HostNames.isLocal(host) ? new HostNames(host) : undefined;
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (names && !names.accept(request)) answerEmpty(response, 403);
    else if (request.method !== "GET" && request.method !== "HEAD") answerEmpty(response, 405);
    else void answer(request, response, files);
  });
  const listening = await listenOnOne(server, options);
  const shown = host.includes(":") ? `[${host}]` : host;
  return {
    address: `http://${shown}:${listening}/${opened === undefined ? "" : `#open=${opened}`}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Lists the files of the page by URL path. */
async function siteFiles(site: string): Promise<Map<string, string>> {
  const entries = await readdir(site, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new VouchError("file/missing", "The page of the studio is not built.", {
      hint: "In a clone of vouch, run: npm run build",
      cause,
    });
  });
  const files = new Map<string, string>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(`/${relative(site, path).split(sep).join("/")}`, path);
  }
  const index = files.get("/index.html");
  if (index !== undefined) files.set("/", index);
  return files;
}

async function answer(
  { url = "/", method, headers }: IncomingMessage,
  response: ServerResponse,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  // Not by `URL`, which throws on addresses such as //.
  const [address] = url.split(/[?#]/, 1);
  const path = files.get(address);
  const facts = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path === undefined || !facts) return answerEmpty(response, 404);
  // The service worker requests again what the page has loaded; an unchanged file is not sent twice.
  const tag = `"${facts.size}-${facts.mtimeMs}"`;
  response.setHeader("ETag", tag);
  if (headers["if-none-match"] === tag) return answerEmpty(response, 304);
  response.writeHead(200, {
    "Content-Type": TYPES[extname(path)] ?? "application/octet-stream",
    "Content-Length": facts.size,
  });
  if (method === "HEAD" || facts.size === 0) {
    response.end();
    return;
  }
  // If the file grows meanwhile, no more bytes than announced are sent. If the page goes away, the file is closed.
  await pipeline(createReadStream(path, { end: facts.size - 1 }), response).catch(() => response.destroy());
}

/** Sends a response without content. */
function answerEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

/** Listens on the requested port, on the preferred one, or on a free one. */
async function listenOnOne(
  server: Server,
  { host, port, preferredPort = 0 }: StudioServerOptions,
): Promise<number> {
  if (port !== undefined) return listen(server, host, port);
  return listen(server, host, preferredPort).catch(() => listen(server, host, 0));
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) =>
      reject(
        new VouchError("option/invalid", `Cannot listen on ${host}, port ${port}: ${cause.message}.`, {
          hint: port === 0 ? "Choose another --host." : "Choose another --port, or leave it out.",
          cause,
        }),
      );
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : port);
    });
  });
}
