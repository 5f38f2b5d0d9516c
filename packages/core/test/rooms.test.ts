import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { duplicatedWindows } from "../../../scripts/duplicated-windows.mjs";
import { namesDefinedTwice, unusedExports } from "../../../scripts/exported-names.mjs";
import {
  importCycles,
  type ModuleGraph,
  ROOMS,
  readGraph,
  wrongDirections,
} from "../../../scripts/module-graph.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const source = fileURLToPath(new URL("../src", import.meta.url));

describe("the sources of all packages", () => {
  const graph = readGraph(root);
  const modules = [...graph.modules.values()];
  const library = modules.filter(({ path }) => path.startsWith("packages/core/src/"));

  it("are all read, and every import of theirs is found", () => {
    expect(library.length).toBeGreaterThan(150);
    expect(modules.length).toBeGreaterThan(library.length + 100);
    const imports = modules.flatMap((one) => one.imports).filter(({ to }) => to !== undefined);
    expect(imports.length).toBeGreaterThan(2 * modules.length);
    expect(graph.unresolved).toEqual([]);
    for (const name of ["vouch", "formats", "views", "report", "datasets"])
      expect(graph.entries).toContain(`packages/${name}/src/index.ts`);
  });

  it("have no import cycle, types included", () => {
    expect(importCycles(graph)).toEqual([]);
  });

  it("are in the rooms", () => {
    const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual([...ROOMS].sort());
  });

  it("import no later room", () => {
    expect(wrongDirections(graph)).toEqual([]);
  });

  it("reach the registry of learners through its list, which fills it, outside of the learners", () => {
    const registry = "packages/core/src/learners/registry.ts";
    const past = modules.filter(
      ({ path, imports }) =>
        !path.startsWith("packages/core/src/learners/") && imports.some(({ to }) => to === registry),
    );
    expect(past.map(({ path }) => path)).toEqual([]);
  });

  it("define each exported name once in all packages", () => {
    // In bundles for browsers, drawing-document.browser.ts takes the place of drawing-document.ts.
    const own = modules.filter(({ path }) => !/\.browser\.tsx?$/.test(path));
    expect(namesDefinedTwice(own)).toEqual([]);
  });
});

describe("the module graph", () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** Reads the graph of a clone that consists of these files. */
  function graphOf(files: Record<string, string>): ModuleGraph {
    const folder = mkdtempSync(join(tmpdir(), "vouch-graph-"));
    folders.push(folder);
    const manifest = JSON.stringify({
      name: "@vouch/core",
      exports: {
        ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
        "./deep": "./dist/deep.js",
      },
      imports: { "#core/*": "./dist/*" },
    });
    const other = JSON.stringify({ name: "@vouch/other", exports: "./dist/index.js" });
    const all = { "core/package.json": manifest, "other/package.json": other, ...files };
    for (const [path, text] of Object.entries(all)) {
      const file = join(folder, "packages", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return readGraph(folder);
  }

  it("finds cycles at run time, of types, of re-exports, through import() and across packages", () => {
    const graph = graphOf({
      "core/src/a.ts": 'import { b } from "./b.js";\nexport const a = b;\n',
      "core/src/b.ts": 'import { a } from "#core/a.js";\nexport const b = a;\n',
      "core/src/c.ts": 'import type { D } from "./d.js";\nexport interface C { d: D }\n',
      "core/src/d.ts": 'export type { C } from "./c.js";\nexport interface D {}\n',
      "core/src/e.ts": 'export const e = async () => (await import("./f.js")).f;\n',
      "core/src/f.ts": 'export const f: typeof import("./e.js") | 1 = 1;\n',
      "core/src/index.ts":
        'import {\n  other, // } from "./a.js"\n} from "@vouch/other";\nexport const x = other;\n',
      "core/src/deep.ts": 'export * from "./index.js";\n',
      "other/src/index.ts": 'export { x as other } from "@vouch/core/deep";\n',
    });
    expect(graph.unresolved).toEqual([]);
    const cycle = (...paths: string[]) => paths.map((path) => `packages/${path}.ts`);
    const [ab, cd, ef] = ["ab", "cd", "ef"].map((pair) =>
      cycle(...[...pair].map((name) => `core/src/${name}`)),
    );
    const across = cycle("core/src/deep", "core/src/index", "other/src/index");
    expect(importCycles(graph)).toEqual(expect.arrayContaining([ab, cd, ef, across]));
    expect(importCycles(graph)).toHaveLength(4);
    expect(importCycles(graph, ["value"])).toEqual([across, ab]);
  });

  it("is not misled by comments, strings, templates and regular expressions", () => {
    const graph = graphOf({
      "core/src/a.ts": [
        '// import { b } from "./b.js";',
        '/* export const b = 1; */ import "./c.js";',
        'const text = `import "./b.js"; $' + "{[1].map((x) => `$" + "{x}}`)} export const b = 1;`;",
        "const pattern = /[`'\"{]/g; const half = text.length / 2 / 1;",
        "export { half, pattern as b };",
        "export async function* c() {}",
        "export const { e, of: f } = half;",
        "export const [g, h] = half;",
        "export abstract class D { export = 1; }",
      ].join("\n"),
      "core/src/c.ts": 'import data from "../data.json" with { type: "json" };\nexport default data;\n',
    });
    const a = graph.modules.get("packages/core/src/a.ts");
    expect(a?.imports.map(({ to }) => to)).toEqual(["packages/core/src/c.ts"]);
    expect([...(a?.declared ?? [])].sort()).toEqual(["D", "b", "c", "e", "f", "g", "h", "half"]);
  });

  it("tells an import that leads nowhere and an export that it does not understand", () => {
    const missing = graphOf({ "core/src/a.ts": 'import "./b.js";\n' });
    expect(missing.unresolved).toEqual([{ from: "packages/core/src/a.ts", specifier: "./b.js" }]);
    expect(() => graphOf({ "core/src/a.ts": "export const { b = 1 } = c;\n" })).toThrow(
      /core\/src\/a\.ts: .*export const/,
    );
  });

  it("finds names that two files declare, not those that a file passes on", () => {
    const graph = graphOf({
      "core/src/a.ts": "export function twice(): void;\nexport function twice() {}\nexport const once = 1;\n",
      "core/src/b.ts": "interface twice {}\nexport { type twice };\n",
      "core/src/c.ts": 'import { once } from "./a.js";\nexport { once };\n',
    });
    const paths = ["packages/core/src/a.ts", "packages/core/src/b.ts"];
    expect(namesDefinedTwice(graph.modules.values())).toEqual([{ name: "twice", paths }]);
  });

  it("finds imports of later rooms, of files beside the rooms and of other packages", () => {
    const graph = graphOf({
      "core/src/index.ts": 'export * from "./train/a.js";\n',
      "core/src/train/a.ts": 'import "../table/b.js";\nimport "./c.js";\n',
      "core/src/train/c.ts": 'import "@vouch/other";\n',
      "core/src/table/b.ts": 'import type { A } from "../train/a.js";\nimport "../index.js";\n',
      "other/src/index.ts": "",
    });
    const found = wrongDirections(graph)?.map(({ from, to }) =>
      `${from} ${to}`.replaceAll(/packages\/|\/src|\.ts/g, ""),
    );
    expect(found).toEqual([
      "core/table/b core/train/a",
      "core/table/b core/index",
      "core/train/c other/index",
    ]);
    expect(wrongDirections(graphOf({ "core/src/a.ts": "" }))).toBeUndefined();
  });

  it("finds exports that only their own file or a test uses, and re-exports that nobody uses", () => {
    const graph = graphOf({
      "core/src/index.ts": 'export { open } from "./a.js";\nexport * from "./b.js";\n',
      "core/src/a.ts":
        "export const open = 1;\nexport const own = 1;\nconst y = own;\nexport const tested = 2;\n",
      "core/src/b.ts": 'export { idle, busy } from "./c.js";\nexport const starred = 1;\n',
      "core/src/c.ts": "export const idle = 1;\nexport const busy = 1;\nexport const used = 1;\n",
      "core/src/d.ts": 'import { used } from "./c.js";\nexport { tested } from "./a.js";\n',
      "core/test/a.test.ts": 'import { tested } from "#core/a.js";\n',
    });
    const path = "packages/core/src/a.ts";
    expect(unusedExports(graph)).toEqual({
      declarations: [
        { name: "own", path, used: "in its own file" },
        { name: "tested", path, used: "in tests" },
      ],
      reexports: [{ name: "tested", path: "packages/core/src/d.ts" }],
    });
  });

  it("finds six lines of code that two files share, whatever their spaces and comments", () => {
    const lines = ["const a = 1;", "const b = 2;", "if (a) {", "f(a);", "}", "const c = 3;", "const d = 4;"];
    const graph = graphOf({
      "core/src/a.ts": `import { f } from "./b.js";\n${lines.join("\n")}\n`,
      "core/src/b.ts": `${lines.join(" // and so on\n\n  ")}\nexport const f = 1;\n`,
    });
    const places = [
      { path: "packages/core/src/a.ts", line: 2 },
      { path: "packages/core/src/b.ts", line: 1 },
    ];
    expect(duplicatedWindows(graph.modules.values())).toEqual([places]);
  });
});
