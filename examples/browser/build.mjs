// Bundles the page for a browser. The script of the library's threads must lie beside the bundle, as worker.js. Threads share
// memory, which forests need to use several, where the server sends the headers Cross-Origin-Opener-Policy: same-origin and
// Cross-Origin-Embedder-Policy: require-corp.
//
//     node examples/browser/build.mjs [FOLDER]
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [folder = here("../build/browser")] = process.argv.slice(2);

mkdirSync(folder, { recursive: true });
await build({
  entryPoints: { main: here("main.js"), worker: "vouch/worker" },
  absWorkingDir: here("."),
  outdir: folder,
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  logLevel: "warning",
});
copyFileSync(here("index.html"), join(folder, "index.html"));
copyFileSync(here("../../packages/datasets/data/ionosphere.csv"), join(folder, "ionosphere.csv"));
