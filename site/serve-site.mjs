/** A static host for the built site, below the path that it was built for. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the built site. */
export const site = fileURLToPath(new URL("../build/site/", import.meta.url));

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".wasm": "application/wasm",
};

/** The path below which the site expects to be, from the address of its icon. */
export function basePath() {
  const [, base] = readFileSync(join(site, "index.html"), "utf8").match(/href="([^"]*)icon\.svg"/);
  return base;
}

/** The file that a host sends for a path of the site; undefined if there is none. */
export function fileFor(path) {
  const base = basePath();
  if (!path.startsWith(base)) return undefined;
  const file = join(site, decodeURIComponent(path.slice(base.length)));
  const candidates = [file, join(file, "index.html"), `${file}.html`];
  return candidates.find((one) => existsSync(one) && statSync(one).isFile());
}

/** Serves the site on a free port, with the headers of the studio or without; returns its address and a function that ends it. */
export async function serveSite({ isolated = false } = {}) {
  const headers = isolated
    ? readFileSync(join(site, "_headers"), "utf8")
        .split("\n")
        .flatMap((line) => (line.startsWith("  ") ? [line.trim().split(/: (.*)/)] : []))
    : [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = fileFor(pathname);
    if (file === undefined) return response.writeHead(404).end();
    if (pathname.startsWith(`${basePath()}studio/`))
      for (const [name, value] of headers) response.setHeader(name, value);
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "text/plain");
    response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}${basePath()}`,
    close: () => server.close(),
  };
}
