/**
 * Bundles the scripts of the site. Page and workers share their chunks, so the library is loaded once. There are few
 * chunks, because small files compress badly and each costs a request.
 */
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { reached } from "../../scripts/reached.mjs";

const packages = fileURLToPath(new URL("..", import.meta.url));
const inPackages = (path) => join(packages, ...path.split("/"));

/** The library starts threads by `../worker.js`, so all scripts except the thread script are in their own folder. */
const SCRIPTS = {
  "app/page": inPackages("studio/dist/page/page.js"),
  "app/engine": inPackages("studio/dist/engine/engine.js"),
  "playground-worker": inPackages("studio/dist/playground/playground-worker.js"),
  worker: inPackages("core/dist/worker.js"),
};

/**
 * Parts of Plot and its dependencies that no chart uses: maps, colour schemes, date formats, and tips that follow the
 * pointer.
 */
const UNUSED =
  /node_modules[/\\](d3-geo|d3-scale-chromatic|d3-time-format)[/\\]|[/\\]plot[/\\]src[/\\](marks[/\\]tip|interactions[/\\]pointer)\.js$/;

/** Replaces unused modules by stubs that export the same names. */
const unusedModules = {
  name: "unused-modules",
  async load(id) {
    if (!UNUSED.test(id)) return undefined;
    const names = Object.keys(await import(pathToFileURL(id)));
    return names.map((name) => `export const ${name} = () => undefined;\n`).join("");
  },
};

const LIST_OF_LEARNERS = inPackages("core/dist/learners/index.js");

/**
 * Registers all learners in the playground's worker: Rolldown would drop the module that lists them, because it only
 * re-exports.
 */
const listedLearners = {
  name: "listed-learners",
  transform: (code, id) =>
    id === SCRIPTS["playground-worker"] ? `import ${JSON.stringify(LIST_OF_LEARNERS)};\n${code}` : undefined,
};

const OPTIONS = {
  platform: "browser",
  plugins: [unusedModules, listedLearners],
  // Entries are scripts; a chunk that they share may export more names.
  preserveEntrySignatures: "allow-extension",
  transform: { target: "es2022" },
  onLog(level, { code, message }) {
    // A module that one script loads on demand may be needed at the start of another.
    if (level === "warn" && code !== "INEFFECTIVE_DYNAMIC_IMPORT") throw new Error(message);
  },
};

const WRITTEN = {
  format: "esm",
  minify: true,
  comments: { legal: true, annotation: false, jsdoc: false },
  entryFileNames: "[name].js",
  chunkFileNames: "app/[name]-[hash].js",
};

/** Bundles page, engine and threads. */
export async function bundleScripts(folder) {
  const bundle = await rolldown({ input: SCRIPTS, ...OPTIONS });
  // With one file per module, the bundle shows what each script needs: importing one name does not load all imports of
  // its module.
  const { output: files } = await bundle.generate({ ...WRITTEN, minify: false, preserveModules: true });
  const { output } = await bundle.write({
    ...WRITTEN,
    dir: folder,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "needed together", name: chunkNames(files) }],
    },
  });
  checkChunks(output);
}

/**
 * Divides the modules into chunks by the parts of the studio that need them at the start. A module imports only from
 * its own chunk and from chunks that at least the same parts need, so chunks never import each other.
 */
function chunkNames(files) {
  const modules = new Map(files.map((file) => [file.fileName, file]));
  const onDemand = files.flatMap(({ dynamicImports }) => dynamicImports);
  const scripts = files.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
  const needed = new Map();
  for (const start of new Set([...scripts, ...onDemand])) {
    const names = reached([start], (name) => modules.get(name).imports);
    const ids = [...names].flatMap((name) => modules.get(name).moduleIds);
    const part = partOf(ids[0], ids);
    needed.set(part, new Set([...(needed.get(part) ?? []), ...ids]));
  }
  const ownParts = Object.values(SCRIPTS).map((id) => partOf(id, []));
  const names = new Map();
  return (id) => {
    const by = [...needed.keys()].filter((part) => needed.get(part).has(id));
    const key = by.join("-");
    // Modules of a single script stay in that script.
    if (by.length === 0 || ownParts.includes(key)) return null;
    if (!names.has(key)) names.set(key, by.length === 1 ? key : `shared-${names.size}`);
    return names.get(key);
  };
}

/** Names the part of the studio that a lazily loaded module belongs to. */
function partOf(id, ids) {
  const inFormats = id.startsWith(inPackages("formats/")) || id.includes("node_modules");
  if (id.endsWith(join("csv", "read-csv.js"))) return "csv";
  if (inFormats && id.includes(join("formats", "dist", "xlsx"))) return "xlsx";
  if (inFormats) return id.includes("parquet") || id.includes("fzstd") ? "parquet" : "formats";
  if (id === SCRIPTS.worker) return "thread";
  if (!id.startsWith(inPackages("core/"))) return basename(id, ".js");
  // Tasks on threads need no option schemas, unless they fit arbitrary learners.
  return ids.some((each) => each.includes(join("node_modules", "zod"))) ? "learners" : "tasks";
}

/** Checks the assumptions of the scripts. */
function checkChunks(output) {
  const scripts = Object.keys(SCRIPTS).map((name) => `${name}.js`);
  for (const { fileName, moduleIds, imports } of output) {
    const starter = moduleIds.find((id) => id.endsWith(join("runtime", "platform.js")));
    if (starter && dirname(fileName) !== "app") throw new Error(`${starter} is in ${fileName}`);
    const script = imports.find((name) => scripts.includes(name));
    if (script) throw new Error(`${fileName} imports the script ${script}`);
  }
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  // Threads load the list of learners with their first task.
  for (const script of ["app/engine.js", "playground-worker.js"]) {
    const loaded = [...reached([script], (name) => chunks.get(name).imports)];
    const isListed = loaded.some((name) => chunks.get(name).moduleIds.includes(LIST_OF_LEARNERS));
    if (!isListed) throw new Error(`${script} does not know the learners`);
  }
}

/** Bundles the service worker and defines the constants that it declares. */
export async function bundleServiceWorker(folder, define) {
  const bundle = await rolldown({
    input: { "service-worker": inPackages("studio/dist/service-worker.js") },
    ...OPTIONS,
    transform: { ...OPTIONS.transform, define },
  });
  await bundle.write({ ...WRITTEN, format: "iife", dir: folder });
}
