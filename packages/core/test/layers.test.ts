/**
 * Which sources may import which, and that each name is defined once, over all packages. Biome finds import cycles, and knip finds
 * exports, files and dependencies that nothing uses. These rules are left: dependency-cruiser cannot read TypeScript 7, which has no
 * public compiler API yet; Biome's `noRestrictedImports` would need an override for each folder; no tool finds names defined twice.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The layers of the library (docs/architecture.md). Each may import from itself and from the layers before it. */
const LAYERS = "runtime table encode theory learners metrics validation explain checks select train".split(
  " ",
);

/**
 * The packages, each with the packages that it may import, and what it may import from their `internal/`: layers of the library, or
 * modules and folders. A package imports only from packages above it.
 */
const PACKAGES: Record<string, Record<string, string>> = {
  core: {},
  formats: { core: "runtime table" },
  datasets: { core: "runtime table", formats: "" },
  onnx: { core: "runtime table encode learners metrics train" },
  views: { core: "runtime table encode theory learners metrics explain select train" },
  report: { core: "runtime table metrics select train", views: "page" },
  studio: {
    core: "runtime table encode theory learners metrics checks select train",
    formats: "",
    views: "page panels text",
    report: "client-script training-report",
  },
  cluster: { core: "library-folder portable-tasks runtime" },
  serve: { core: "runtime table theory explain checks train", views: "panels" },
  vouch: {
    core: `${LAYERS.join(" ")} portable-tasks worker`,
    formats: "",
    datasets: "",
    onnx: "",
    views: "facts",
    report: "",
    studio: "",
    cluster: "",
    serve: "",
  },
  bench: { core: "runtime table encode learners select train", datasets: "", formats: "" },
  experiments: {
    core: "runtime table encode theory learners metrics validation select train portable-tasks",
    datasets: "",
    cluster: "serve-jobs",
    views: "",
    vouch: "options process",
  },
};

interface Source {
  /** The path below packages/, without "src/" and extension, such as "core/table/table". */
  readonly path: string;
  readonly imports: readonly string[];
  readonly names: readonly string[];
}

/** Reads a source whose statements are on lines of their own, as Biome writes them. */
function readSource(path: string, text: string): Source {
  const imports = text.matchAll(
    /^(?:import|export|\}).*? from "([^"]+)";$|^import "([^"]+)";$|\bimport\("([^"]+)"\)/gm,
  );
  const names = text.matchAll(
    /^export (?:default |declare |abstract |async )*(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm,
  );
  return {
    path,
    imports: Array.from(imports, ([, a, b, c]) => resolve(path, a ?? b ?? c)),
    names: [...new Set(Array.from(names, ([, name]) => name))],
  };
}

/** Resolves what a source imports: "core/table/table" for a module, "views" or "views/facts" for a door, other names as they are. */
function resolve(from: string, specifier: string): string {
  const path = specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : specifier;
  return path
    .replace(/\.js$/, "")
    .replace(/^@vouch\//, "")
    .replace(/^(\w+)\/internal\//, "$1/");
}

function isAllowed(from: string, to: string): boolean {
  const [own, ownLayer, isInLayer] = from.split("/");
  const [other, layer] = to.split("/");
  if (!Object.hasOwn(PACKAGES, other)) return true;
  if (own !== other) return isOpen(own, to);
  if (own !== "core" || isInLayer === undefined) return true;
  return LAYERS.includes(layer) && LAYERS.indexOf(layer) <= LAYERS.indexOf(ownLayer);
}

/** Whether a package may import a door or an internal module of another one. */
function isOpen(own: string, to: string): boolean {
  const [other, name] = to.split("/");
  const internals = PACKAGES[own][other]?.split(" ");
  if (internals === undefined) return false;
  return internals.includes(name) || to === other || to === "views/facts";
}

/** Lists imports against the two tables. */
function wrongImports(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, imports }) =>
    imports.filter((to) => !isAllowed(path, to)).map((to) => `${path} imports ${to}`),
  );
}

/** Lists the modules outside the learners that import the registry, which only the list of learners fills. */
function registryUsers(sources: readonly Source[]): string[] {
  return sources
    .filter(
      ({ path, imports }) => !path.startsWith("core/learners/") && imports.includes("core/learners/registry"),
    )
    .map(({ path }) => path);
}

/** Lists the pairs of folders within a layer of the library that import each other, be it through different files. */
function folderCycles(sources: readonly Source[]): string[] {
  const folderOf = (path: string) => path.match(/^core\/(\w+\/[^/]+)\//)?.[1];
  const edges = new Set(
    sources.flatMap(({ path, imports }) => imports.map((to) => `${folderOf(path)} ${folderOf(to)}`)),
  );
  return [...edges].filter((edge) => {
    const [from, to] = edge.split(" ");
    return from < to && to !== "undefined" && edges.has(`${to} ${from}`);
  });
}

/** Lists exported names that several sources declare. */
function repeatedNames(sources: readonly Source[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, names } of sources)
    for (const name of names) places.set(name, [...(places.get(name) ?? []), path]);
  return [...places]
    .filter(([, { length }]) => length > 1)
    .map(([name, paths]) => `${name}: ${paths.join(", ")}`);
}

describe("the sources of all packages", () => {
  const sources = readdirSync(`${root}/packages`, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => /^\w+\/src\/.*\.tsx?$/.test(file) && !file.endsWith(".generated.ts"))
    .map((file) => {
      const text = readFileSync(`${root}/packages/${file}`, "utf8");
      return readSource(file.replace("/src/", "/").replace(/\.tsx?$/, ""), text);
    });

  it("are read", () => {
    expect(new Set(sources.map(({ path }) => path.split("/")[0]))).toEqual(new Set(Object.keys(PACKAGES)));
    const paths = new Set(sources.map(({ path }) => path));
    const imports = sources.flatMap(({ imports }) => imports.filter((to) => paths.has(to)));
    expect(imports.length).toBeGreaterThan(4 * sources.length);
    expect(sources.flatMap(({ names }) => names).length).toBeGreaterThan(2 * sources.length);
  });

  it("of the library are in the layers", () => {
    const folders = readdirSync(`${root}/packages/core/src`, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.map(({ name }) => name).sort()).toEqual([...LAYERS].sort());
  });

  it("import no later layer, no package below, and only the internals that the table lists", () => {
    const order = Object.keys(PACKAGES);
    for (const [name, others] of Object.entries(PACKAGES))
      for (const other of Object.keys(others))
        expect(order.indexOf(other), name).toBeLessThan(order.indexOf(name));
    expect(wrongImports(sources)).toEqual([]);
  });

  it("import no folder of their layer that imports theirs", () => {
    expect(folderCycles(sources)).toEqual([]);
  });

  it("reach the registry of learners through the list that fills it", () => {
    expect(registryUsers(sources)).toEqual([]);
  });

  it("define each exported name once", () => {
    // In bundles for browsers, x.browser.ts takes the place of x.ts.
    expect(repeatedNames(sources.filter(({ path }) => !path.endsWith(".browser")))).toEqual([]);
  });
});

describe("the rules", () => {
  it("find imports of later layers, of files beside the layers, of unlisted packages and of unlisted internals", () => {
    const sources = [
      readSource("core/worker", 'import "./train/a.js";\n'),
      readSource(
        "core/table/a",
        'import {\n  type A,\n} from "../train/a.js";\nimport "./b.js";\nimport "../runtime/a.js";\nexport * from "../worker.js";\n',
      ),
      readSource(
        "core/train/a",
        'import { b } from "@vouch/views";\nconst a = await import("../table/a.js");\n',
      ),
      readSource("report/page", 'import "@vouch/views";\nimport "@vouch/views/facts";\nimport "preact";\n'),
      readSource(
        "report/card",
        'import "@vouch/views/internal/page/static";\nimport "@vouch/views/internal/panels/term";\n',
      ),
      readSource("serve/line", 'type A = import("@vouch/core/internal/learners/a").A;\nimport "vouch";\n'),
    ];
    expect(wrongImports(sources)).toEqual([
      "core/table/a imports core/train/a",
      "core/table/a imports core/worker",
      "core/train/a imports views",
      "report/card imports views/panels/term",
      "serve/line imports core/learners/a",
      "serve/line imports vouch",
    ]);
  });

  it("find folders of a layer that import each other", () => {
    const sources = [
      readSource("core/learners/list", 'import "./b/two.js";\n'),
      readSource("core/learners/a/one", 'import "../b/one.js";\nimport "../c/one.js";\n'),
      readSource("core/learners/b/two", 'import type { C } from "../c/one.js";\n'),
      readSource("core/learners/c/two", 'import "../b/one.js";\nimport "../list.js";\n'),
    ];
    expect(folderCycles(sources)).toEqual(["learners/b learners/c"]);
  });

  it("find users of the registry and names that two sources declare, not names that one passes on", () => {
    const sources = [
      readSource("core/learners/list", 'import { find } from "./registry.js";\n'),
      readSource(
        "core/train/a",
        'import { find } from "../learners/registry.js";\nexport async function twice() {}\nexport const once = 1;\n',
      ),
      readSource(
        "views/b",
        'import { find } from "@vouch/core/internal/learners/registry";\nexport interface twice {}\nexport { once } from "./a.js";\n',
      ),
    ];
    expect(registryUsers(sources)).toEqual(["core/train/a", "views/b"]);
    expect(repeatedNames(sources)).toEqual(["twice: core/train/a, views/b"]);
  });
});
