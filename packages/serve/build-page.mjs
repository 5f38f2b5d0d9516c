/**
 * Bundles the script and the style sheet of the pages into `dist/page.js` and `dist/page.css`, so that the server
 * depends on no other package for them.
 */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: { page: pathOf("dist/page/client.js") },
  outdir: pathOf("dist"),
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
});
await build({
  entryPoints: { page: pathOf("src/page/page.css") },
  outdir: pathOf("dist"),
  bundle: true,
  minify: true,
  logLevel: "warning",
});
