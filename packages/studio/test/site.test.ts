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

/** Lists the files of the folder that pages load. */
function siteFiles(): string[] {
  return readdirSync(studioSite, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /\.\w+$/.test(name));
}

/** Tells whether a file belongs to reports, which are not part of the first visit. */
function isLater(name: string): boolean {
  return name === "report-client.json" || name.startsWith("app/live-");
}

/** Lists the files that the service worker caches when it is installed. */
function cachedFiles(): string[] {
  const code = read("service-worker.js").toString();
  const [installed] = code.split("skipWaiting");
  return siteFiles().filter((name) => name !== "service-worker.js" && installed.includes(name));
}

describe("the folder of the studio", () => {
  it("loads at most 600 kB at the first visit, compressed, with all that the service worker caches", () => {
    const files = [...cachedFiles(), "service-worker.js"];
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    expect(files.length).toBeGreaterThan(10);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(600_000);
  });

  it("shows its first page after 40 kB of scripts", () => {
    const files = [...loadedBy("app/page.js")];
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(40_000);
    expect(files.length).toBeLessThanOrEqual(12);
  });

  it("shares the library between engine and threads", () => {
    const engine = loadedBy("app/engine.js");
    const thread = loadedBy("worker.js");
    expect([...thread].filter((name) => engine.has(name)).length).toBeGreaterThan(1);
  });

  it("has a service worker that knows all files: those of reports are cached when they are first used", () => {
    const code = read("service-worker.js").toString();
    const names = siteFiles().filter((name) => !["service-worker.js", "data/SOURCES.md"].includes(name));
    expect(names.filter((name) => !code.includes(name))).toEqual([]);
    const later = siteFiles().filter((name) => isLater(name));
    expect(later.length).toBe(2);
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
