import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** A page that loads a model and predicts. */
const PAGE = `
import { deserialise, Table } from "vouch/predict";
globalThis.predict = async (model, records) => {
  const response = await fetch(model);
  const classifier = await deserialise(await response.arrayBuffer());
  return classifier.predict(Table.fromRecords("rows", records));
};
`;

/** A bundled page: its files by name, and the names of those that it loads for a forest model. */
export interface PredictPage {
  readonly entry: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly loaded: readonly string[];
  /** Size of the loaded files, each compressed by gzip. */
  readonly gzipBytes: number;
}

/** Bundles the page as an application would. */
export async function bundlePredictPage(): Promise<PredictPage> {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const { metafile, outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir: folder, sourcefile: "page.js" },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    outdir: "bundle",
    absWorkingDir: folder,
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const { outputs } = metafile;
  const nameOf = (output: string) => output.replace(/^bundle\//, "");
  const files = new Map(outputFiles.map(({ path, contents }) => [path.split("/bundle/")[1], contents]));
  const outputOf = (source: string) => {
    const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(source));
    if (!found) throw new Error(`No output has the entry point ${source}.`);
    return found[0];
  };
  const loaded = new Set<string>();
  const load = (output: string) => {
    if (loaded.has(output)) return;
    loaded.add(output);
    for (const { kind, path } of outputs[output].imports) if (kind === "import-statement") load(path);
  };
  const entry = outputOf("page.js");
  load(entry);
  load(outputOf("learners/forest/forest.js"));
  const names = Array.from(loaded, nameOf);
  const sizes = names.map((name) => gzipSync(files.get(name) ?? "").length);
  return {
    entry: nameOf(entry),
    files,
    loaded: names,
    gzipBytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}
