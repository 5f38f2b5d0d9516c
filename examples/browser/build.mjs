// Bundles the page for a browser. The library's worker script must be next to the bundle, as worker.js. Forests need shared
// memory to use several threads, so the server must send the headers Cross-Origin-Opener-Policy: same-origin and
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
