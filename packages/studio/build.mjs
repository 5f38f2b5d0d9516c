/**
 * Builds the studio as a static folder, `dist/site`: the page, its engine, the thread script and the service worker.
 * Does nothing unless a package was rebuilt.
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
import { bundleScripts, bundleServiceWorker } from "./bundle-scripts.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const packages = dirname(folder.replace(/\/$/, ""));
const site = join(folder, "dist", "site");
const unfinished = `${site}.unfinished`;

/** Data sets shipped with the site. */
const DATA = ["penguins", "iris", "breastcancer", "ionosphere"];

/** Bundles unless the site is newer than all its inputs. */
async function buildSite() {
  const made = timeOf(join(site, "service-worker.js"));
  if (made > 0 && sources().every((path) => timeOf(path) <= made)) return;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, "data"), { recursive: true });
  const scripts = await writeScripts();
  const html = readFileSync(join(folder, "static", "index.html"), "utf8");
  writeFileSync(join(unfinished, "index.html"), html.replace('src="app/', `src="${scripts}/app/`));
  cpSync(join(folder, "static", "icon.svg"), join(unfinished, "icon.svg"));
  await build({
    entryPoints: [join(folder, "styles", "index.css")],
    outfile: join(unfinished, "studio.css"),
    bundle: true,
    minify: true,
    logLevel: "warning",
  });
  for (const name of DATA) {
    cpSync(join(packages, "datasets", "data", `${name}.csv`), join(unfinished, "data", `${name}.csv`));
  }
  cpSync(join(packages, "datasets", "data", "SOURCES.md"), join(unfinished, "data", "SOURCES.md"));
  const { studioHeaders } = await import("./dist/index.js");
  const headers = Object.entries(studioHeaders).map(([name, value]) => `  ${name}: ${value}\n`);
  writeFileSync(join(unfinished, "_headers"), `/*\n${headers.join("")}`);
  await writeServiceWorker();
  rmSync(site, { recursive: true, force: true });
  renameSync(unfinished, site);
}

/**
 * Bundles the scripts into a folder named by their digest, and returns that name. While a page is open, the host may
 * get a newer build. The page then still asks for the workers of its own build, which the service worker has cached;
 * workers of another build would not understand it.
 */
async function writeScripts() {
  const written = join(unfinished, "scripts");
  await bundleScripts(written);
  cpSync(join(packages, "report", "dist", "client.json"), join(written, "report-client.json"));
  const digest = createHash("sha256");
  for (const name of filesIn(written)) digest.update(name).update(readFileSync(join(written, name)));
  const name = `scripts-${digest.digest("hex").slice(0, 12)}`;
  renameSync(written, join(unfinished, name));
  return name;
}

/** Lists the files of a folder recursively, in the same order on every machine. */
function filesIn(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
}

function sources() {
  const built = ["core", "formats", "views", "report", "studio"].map((name) =>
    join(packages, name, "dist", ".tsbuildinfo"),
  );
  const own = ["static", "styles"].flatMap((each) =>
    filesIn(join(folder, each)).map((name) => join(folder, each, name)),
  );
  const scripts = ["build.mjs", "bundle-scripts.mjs"].map((name) => join(folder, name));
  return [...built, ...own, ...scripts];
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Files that are cached on first use: readers of formats other than CSV, the larger data sets, and the report writer,
 * which the page loads with the first model.
 */
const LATER =
  /^(scripts-\w+\/(report-client\.json|app\/(training-report|formats|parquet|xlsx)-.+\.js)|data\/(breastcancer|ionosphere)\.csv)$/;

/** Files for hosts and people. */
const NOT_LOADED = ["_headers", "data/SOURCES.md"];

/** Writes the service worker with its lists of files to cache. */
async function writeServiceWorker() {
  const files = filesIn(unfinished).filter((name) => !NOT_LOADED.includes(name));
  const digest = createHash("sha256");
  for (const name of files) digest.update(name).update(readFileSync(join(unfinished, name)));
  await bundleServiceWorker(unfinished, {
    SITE_FILES: JSON.stringify(["./", ...files.filter((name) => !LATER.test(name))]),
    LATER_FILES: JSON.stringify(files.filter((name) => LATER.test(name))),
    SITE_VERSION: JSON.stringify(digest.digest("hex").slice(0, 16)),
  });
}

await buildSite();
