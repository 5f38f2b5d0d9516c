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

/** The folder of the scripts, which has their digest in its name. */
const [scripts] = readdirSync(studioSite).filter((name) => name.startsWith("scripts-"));

/** Lists the files of the folder that pages load. */
function siteFiles(): string[] {
  return readdirSync(studioSite, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /\.\w+$/.test(name));
}

/** Files that are not part of the first visit: those of reports, readers of formats other than CSV, and the larger data sets. */
const LATER =
  /^(scripts-\w+\/(report-client\.json|app\/(training-report|formats|parquet|xlsx)-.*)|data\/(breastcancer|ionosphere)\.csv)$/;

/** Lists the files that the service worker caches when it is installed. */
function cachedFiles(): string[] {
  const code = read("service-worker.js").toString();
  const [installed] = code.split("activate");
  return siteFiles().filter((name) => name !== "service-worker.js" && installed.includes(name));
}

/** The limits that the guide names, in kB: scripts until the page can be used, and the whole first visit. */
function documentedLimits(): [scripts: number, visit: number] {
  const guide = readFileSync(new URL("../../../docs/studio.md", import.meta.url), "utf8");
  const [, scripts, visit] = /Tests keep the first two below (\d+) kB and (\d+) kB\./.exec(guide) ?? [];
  return [Number(scripts), Number(visit)];
}

describe("the folder of the studio", () => {
  const [mostScripts, mostOfVisit] = documentedLimits();

  it("loads at most what the guide says at the first visit, with all that the service worker caches", () => {
    const files = [...cachedFiles(), "service-worker.js"];
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    expect(files.length).toBeGreaterThan(10);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(1000 * mostOfVisit);
  });

  it("shows its first page after the scripts that the guide says", () => {
    const files = [...loadedBy(`${scripts}/app/page.js`)];
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(1000 * mostScripts);
    expect(files.length).toBeLessThanOrEqual(13);
  });

  it("shares the library between engine and threads", () => {
    const engine = loadedBy(`${scripts}/app/engine.js`);
    const thread = loadedBy(`${scripts}/worker.js`);
    expect([...thread].filter((name) => engine.has(name)).length).toBeGreaterThan(1);
  });

  it("has a service worker that knows all files: those of reports, readers of formats other than CSV and the larger data sets are cached when they are first used", () => {
    const code = read("service-worker.js").toString();
    const names = siteFiles().filter((name) => !["service-worker.js", "data/SOURCES.md"].includes(name));
    expect(names.filter((name) => !code.includes(name))).toEqual([]);
    const later = siteFiles().filter((name) => LATER.test(name));
    expect(later.length).toBeGreaterThanOrEqual(6);
    expect(cachedFiles().filter((name) => later.includes(name))).toEqual([]);
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
