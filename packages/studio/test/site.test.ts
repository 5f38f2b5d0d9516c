import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { studioHeaders, studioSite } from "../dist/index.js";

const read = (name: string) => readFileSync(new URL(name, studioSite));

/** Lists a script and all scripts that it imports at once. */
function loadedBy(...names: string[]): Set<string> {
  const loaded = new Set(names);
  for (const name of loaded) {
    const code = read(name).toString();
    for (const [, path] of code.matchAll(/(?:from|import)"(\.\.?\/[^"]+)"/g)) {
      loaded.add(new URL(path, `http://x/${name}`).pathname.slice(1));
    }
  }
  return loaded;
}

describe("the folder of the studio", () => {
  it("loads at most 600 kB at first, compressed", () => {
    const files = [
      ...loadedBy("app/page.js", "app/engine.js", "worker.js"),
      "index.html",
      "studio.css",
      "icon.svg",
    ];
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    expect(files.length).toBeGreaterThan(10);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(600_000);
  });

  it("shares the library between page, engine and threads", () => {
    const page = loadedBy("app/page.js");
    const engine = loadedBy("app/engine.js");
    expect([...page].filter((name) => engine.has(name)).length).toBeGreaterThan(10);
  });

  it("has a service worker that knows all files", () => {
    const code = read("service-worker.js").toString();
    const names = readdirSync(studioSite, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.\w+$/.test(name),
    );
    const missing = names.filter(
      (name) => name !== "service-worker.js" && !code.includes(JSON.stringify(name)),
    );
    expect(missing).toEqual([]);
  });

  it("allows requests to its own origin only, and has the headers for static hosts", () => {
    const page = read("index.html").toString();
    const [, policy] = /Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
    expect(policy).toBe(studioHeaders["Content-Security-Policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*/);
    const headers = read("_headers").toString();
    for (const [name, value] of Object.entries(studioHeaders)) expect(headers).toContain(`${name}: ${value}`);
  });
});
