import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** An entry of the lock file. */
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8"),
);
const entries = Object.entries(lock.packages);
const installed = entries.filter(([path, { link }]) => path.includes("node_modules/") && !link);

/** The versions of Node that vouch must run on: the oldest, and one of each line that is maintained. */
const NODES = ["20.19.0", "22.12.0", "24.0.0", "26.0.0"];

/** Whether a range such as `^20.19.0 || >=22.12` contains a version. */
function contains(range: string, version: string): boolean {
  const given = version.split(".").map(Number);
  return range.split("||").some((alternative) =>
    Array.from(alternative.matchAll(/(>=|\^|)\s*v?([\d.x*]+)/g)).every(([, operator, text]) => {
      const bound = text.split(".").flatMap((part) => (/^\d+$/.test(part) ? [Number(part)] : []));
      if (operator === ">=" || operator === "^") {
        const differs = bound.findIndex((part, i) => part !== given[i]);
        const isNewer = differs < 0 || given[differs] > bound[differs];
        return isNewer && (operator === ">=" || given[0] === bound[0]);
      }
      return bound.every((part, i) => part === given[i]);
    }),
  );
}

/** Finds a dependency as Node does: in the folder of the package, then in those above it. */
function resolved(from: string, name: string): LockedPackage | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const found = lock.packages[folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`];
    if (found !== undefined || folder === "") return found;
  }
}

describe("the lock file", () => {
  it("names every dependency, those for other platforms too, or `npm ci` refuses to install", () => {
    const missing = entries.flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => resolved(path, name) === undefined)
        .map((name) => `${name}, needed by ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it("has no dependency that refuses a Node on which vouch runs", () => {
    expect(contains("^20.19.0 || >=22.12.0", "22.0.0")).toBe(false);
    expect(contains(">= 0.4", "20.19.0") && contains("10.* || >= 12.*", "20.19.0")).toBe(true);
    const refusals = installed.flatMap(([path, { engines }]) =>
      NODES.filter((version) => engines?.node !== undefined && !contains(engines.node, version)).map(
        (version) => `${path} on Node ${version}: ${engines?.node}`,
      ),
    );
    expect(refusals).toEqual([]);
  });

  it("has DuckDB, the compilers and the test runner for the common platforms", () => {
    const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64"];
    const families = [
      "@duckdb/node-bindings-",
      "@biomejs/cli-",
      "@esbuild/",
      "@rolldown/binding-",
      "@typescript/typescript-",
    ];
    for (const family of families) {
      for (const platform of platforms) {
        const found = installed.some(([path]) => path.startsWith(`node_modules/${family}${platform}`));
        expect(found, `${family} for ${platform}`).toBe(true);
      }
    }
  });

  it("has a SHA-512 hash of every package, and no registry's address", () => {
    for (const [path, { integrity, resolved: address }] of installed) {
      expect(integrity, path).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
      expect(address, path).toBeUndefined();
    }
    expect(installed.length).toBeGreaterThan(100);
  });
});
