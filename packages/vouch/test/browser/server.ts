import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const folders: Record<string, string> = {
  vouch: fileURLToPath(new URL("../../dist", import.meta.url)),
  test: fileURLToPath(new URL("..", import.meta.url)),
  zod: fileURLToPath(new URL(".", import.meta.resolve("zod"))),
};

const page = `<!doctype html>
<link rel="icon" href="data:,">
<script type="module" src="/test/browser/page.mjs"></script>`;

/** What allows a page to share memory with its threads. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** A server of the built library on this machine only. */
export interface LibraryServer {
  readonly address: string;
  close(): void;
}

/** Serves the built library and a page that uses it, with or without cross-origin isolation. */
export async function serveLibrary({ isolated }: { isolated: boolean }): Promise<LibraryServer> {
  const server = createServer(async ({ url = "/" }, response) => {
    const headers = isolated ? isolation : {};
    try {
      const { type, text } = await read(new URL(url, "http://localhost").pathname);
      response.writeHead(200, { ...headers, "Content-Type": type }).end(text);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

async function read(path: string): Promise<{ type: string; text: string }> {
  if (path === "/") return { type: "text/html", text: page };
  return { type: "text/javascript", text: await readModule(path) };
}

/** A module whose imports are addresses: workers do not see the import map of their page. */
async function readModule(path: string): Promise<string> {
  const [, folder, ...rest] = normalize(path).split("/");
  const source = await readFile(join(folders[folder], ...rest), "utf8");
  return source.replaceAll('"#vouch/', '"/vouch/').replaceAll('from "zod"', 'from "/zod/index.js"');
}
