import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { bundlePredictPage } from "./predict-page.js";

const bundle = (...entryPoints: string[]) =>
  build({
    entryPoints,
    bundle: true,
    format: "esm",
    platform: "browser",
    splitting: true,
    outdir: "unwritten",
    write: false,
    metafile: true,
    logLevel: "silent",
    absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  });

const entries = ["vouch", "vouch/predict", "vouch/theory", "vouch/extend"];

describe("a bundle for browsers", () => {
  it("has the library and the script of its threads, and no other imports", async () => {
    const { metafile, warnings } = await bundle(...entries, "vouch/worker");
    expect(warnings).toEqual([]);
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports.filter(({ external }) => external)).toEqual([]);
    const modules = Object.keys(metafile.inputs);
    expect(modules.filter((path) => path.includes("node:") || path.endsWith("train/file.js"))).toEqual([]);
    expect(modules.length).toBeGreaterThan(200);
  });

  it("cannot have vouch/node", async () => {
    await expect(bundle("vouch/node")).rejects.toThrow('Could not resolve "node:');
  });

  it("is less than 166 kB, compressed, for a page that loads a forest model and predicts", async () => {
    const { gzipBytes } = await bundlePredictPage();
    expect(gzipBytes).toBeGreaterThan(50_000);
    expect(gzipBytes).toBeLessThan(166_000);
  });
});
