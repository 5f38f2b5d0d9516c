/**
 * Bundles the studio into a static folder, `dist/site`: the page, its engine, the script of threads and the service worker. Page and
 * workers share their chunks, so the library is loaded once. Does nothing unless a package has been built since.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
const packages = dirname(folder.replace(/\/$/, ""));
const site = join(folder, "dist", "site");
const unfinished = `${site}.unfinished`;

/** Data sets that are shipped with the site. */
const DATA = ["iris", "breastcancer", "ionosphere"];

/** Bundles unless the site is newer than everything it is made of. */
async function buildSite() {
  const made = timeOf(join(site, "service-worker.js"));
  if (made > 0 && sources().every((path) => timeOf(path) <= made)) return;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, "data"), { recursive: true });
  await bundleScripts();
  cpSync(join(folder, "static", "index.html"), join(unfinished, "index.html"));
  cpSync(join(folder, "static", "icon.svg"), join(unfinished, "icon.svg"));
  writeFileSync(join(unfinished, "studio.css"), await styles());
  for (const name of DATA) {
    cpSync(join(packages, "datasets", "data", `${name}.csv`), join(unfinished, "data", `${name}.csv`));
  }
  cpSync(join(packages, "datasets", "data", "SOURCES.md"), join(unfinished, "data", "SOURCES.md"));
  cpSync(join(packages, "report", "dist", "client.json"), join(unfinished, "report-client.json"));
  const { studioHeaders } = await import("./dist/index.js");
  const headers = Object.entries(studioHeaders).map(([name, value]) => `  ${name}: ${value}\n`);
  writeFileSync(join(unfinished, "_headers"), `/*\n${headers.join("")}`);
  await bundleServiceWorker();
  rmSync(site, { recursive: true, force: true });
  renameSync(unfinished, site);
}

function sources() {
  const built = ["vouch", "formats", "views", "report", "studio"].map((name) =>
    join(packages, name, "dist", ".tsbuildinfo"),
  );
  const own = readdirSync(join(folder, "static")).map((name) => join(folder, "static", name));
  return [...built, ...own, fileURLToPath(import.meta.url)];
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const COMMON = {
  bundle: true,
  minify: true,
  platform: "browser",
  target: "es2022",
  legalComments: "eof",
  logLevel: "warning",
  absWorkingDir: folder,
};

/**
 * Bundles page, engine and threads with shared chunks. The library starts threads by `../worker.js`, so all scripts but that one
 * are in a folder of their own.
 */
async function bundleScripts() {
  await build({
    ...COMMON,
    entryPoints: [
      { in: "dist/page/page.js", out: "app/page" },
      { in: "dist/engine/engine.js", out: "app/engine" },
      { in: "dist/playground/playground-worker.js", out: "playground-worker" },
      { in: "vouch/worker", out: "worker" },
    ],
    format: "esm",
    splitting: true,
    chunkNames: "app/[name]-[hash]",
    outdir: unfinished,
  });
}

/** Joins the style sheet of the views and that of the studio. */
async function styles() {
  const { styleSheet } = await import("../views/dist/style-sheet.js");
  return `${styleSheet}${readFileSync(join(folder, "static", "studio.css"), "utf8")}`;
}

/** Bundles the service worker with the list of all files, which it loads at the first visit. */
async function bundleServiceWorker() {
  const files = readdirSync(unfinished, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "_headers")
    .map((entry) => join(entry.parentPath, entry.name).slice(unfinished.length + 1))
    .sort();
  const digest = createHash("sha256");
  for (const name of files) digest.update(name).update(readFileSync(join(unfinished, name)));
  await build({
    ...COMMON,
    entryPoints: [{ in: "dist/service-worker.js", out: "service-worker" }],
    format: "iife",
    outdir: unfinished,
    define: {
      SITE_FILES: JSON.stringify(["./", ...files]),
      SITE_VERSION: JSON.stringify(digest.digest("hex").slice(0, 16)),
    },
  });
}

await buildSite();
