/**
 * `npm run docs`: builds, and writes the pages that are generated from the code; docs/api, which git ignores, and other
 * pages in place.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { install, root } from "./setup.mjs";

/** Writes all generated pages; the packages must be built. */
export async function writePages() {
  const { apiPages } = await import("./api-pages.mjs");
  const { generatedPages } = await import("./generated-pages.mjs");
  const { publicApi } = await import("./public-api.mjs");
  const folder = join(root, "docs", "api");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const pages = [...apiPages(publicApi()), ...(await generatedPages())];
  for (const [path, text] of pages) writeFileSync(join(root, path), text);
  return pages.length;
}

if (process.argv[1] === import.meta.filename) {
  install();
  build();
  console.error(`${await writePages()} pages are written.`);
}
