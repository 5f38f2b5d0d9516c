import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build, type Metafile, type Platform } from "esbuild";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** Bundles the package, with a file for each module that is loaded later. */
async function bundled(platform: Platform): Promise<Metafile> {
  const { metafile } = await build({
    stdin: { contents: 'export * from "@vouch/formats";', resolveDir: import.meta.dirname },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    outdir: "out",
    format: "esm",
    logLevel: "silent",
    platform,
    external: [...builtinModules, "node:*", "@duckdb/*"],
  });
  return metafile;
}

/** Lists what is imported, statically or not, but not bundled. */
function leftOut({ inputs }: Metafile): string[] {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))];
}

/** Lists the modules that are loaded together with the output in which a module is. */
function loadedWith({ outputs }: Metafile, module: string): string[] {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind === "import-statement") visit(next);
  };
  for (const path of Object.keys(outputs)) if (module in outputs[path].inputs) visit(path);
  return [...seen].flatMap((path) => Object.keys(outputs[path].inputs));
}

test("the entry for browsers reaches nothing of Node and no DuckDB", async () => {
  const metafile = await bundled("browser");
  const modules = Object.keys(metafile.inputs);
  const own = modules.filter((path) => path.startsWith("packages/formats/dist/"));
  for (const part of ["csv/read-csv.js", "parquet/read-parquet.js", "idx.js", "xlsx/sheet-input.js"]) {
    expect(own).toContain(`packages/formats/dist/${part}`);
  }
  expect(leftOut(metafile)).toEqual([]);
  const usesGlobals = (path: string) =>
    /\b(?:Buffer|process|setImmediate)\b[.(]/.test(readFileSync(join(root, path), "utf8"));
  expect(own.filter(usesGlobals)).toEqual([]);
  // The same build finds Node's modules in programs for Node.
  expect(leftOut(await bundled("node"))).toEqual(expect.arrayContaining(["node:fs", "@duckdb/node-api"]));
});

test("Parquet is loaded by pages that read it, and Zstandard by files that have it", async () => {
  const metafile = await bundled("browser");
  const first = loadedWith(metafile, "packages/formats/dist/read-table.browser.js");
  expect(first.length).toBeGreaterThan(5);
  expect(first.filter((path) => /parquet|xlsx|csv\/read-csv/.test(path))).toEqual([]);
  const parquet = loadedWith(metafile, "packages/formats/dist/parquet/read-parquet.js");
  expect(parquet).toContain("node_modules/hyparquet/src/snappy.js");
  expect(parquet.filter((path) => path.includes("fzstd"))).toEqual([]);
  expect(Object.keys(metafile.inputs).filter((path) => path.includes("fzstd"))).toHaveLength(1);
});
