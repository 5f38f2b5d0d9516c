import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const folders: Record<string, string> = {
  vouch: fileURLToPath(new URL("../../dist", import.meta.url)),
  test: fileURLToPath(new URL("..", import.meta.url)),
  zod: fileURLToPath(new URL(".", import.meta.resolve("zod"))),
};

/** Headers that let a page share memory with its threads. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** A server on this machine only. */
export interface PageServer {
  readonly address: string;
  /** Paths of the files that were requested. */
  readonly requested: readonly string[];
  close(): void;
}

/** Serves the built library and a page that uses it, with or without cross-origin isolation. */
export function serveLibrary({ isolated }: { isolated: boolean }): Promise<PageServer> {
  return serve("/test/browser/page.mjs", readModule, isolated ? isolation : {});
}

/** Serves files from memory, and a page that loads one of them. */
export function serveFiles(script: string, files: ReadonlyMap<string, Uint8Array>): Promise<PageServer> {
  return serve(`/${script}`, async (path) => {
    const file = files.get(path.slice(1));
    if (!file) throw new Error(`There is no file ${path}.`);
    return file;
  });
}

async function serve(
  script: string,
  read: (path: string) => Promise<string | Uint8Array>,
  headers: Record<string, string> = {},
): Promise<PageServer> {
  const page = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
  const requested: string[] = [];
  const server = createServer(async ({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const type = pathname === "/" ? "text/html" : "text/javascript";
    if (pathname !== "/") requested.push(pathname);
    try {
      const content = pathname === "/" ? page : await read(pathname);
      response.writeHead(200, { ...headers, "Content-Type": type }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return { address: `http://127.0.0.1:${port}/`, requested, close: () => server.close() };
}

/** Reads a module and turns its imports into paths: workers do not see the import map of their page. */
async function readModule(path: string): Promise<string> {
  const [, folder, ...rest] = normalize(path).split("/");
  const source = await readFile(join(folders[folder], ...rest), "utf8");
  return source.replaceAll('"#core/', '"/vouch/').replaceAll('from "zod"', 'from "/zod/index.js"');
}
