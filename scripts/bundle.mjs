/**
 * Bundles the built vouch command into few files, because Node takes longer to load hundreds of small modules than to run them.
 * `bin/vouch.js` runs the bundle unless a package has been built since.
 */
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { PARTS } from "../packages/vouch/bin/parts.js";
import { reached } from "./reached.mjs";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const inPackages = (path) => join(packages, ...path.split("/"));

/** Packages of others that are bundled, with their licences. */
const BUNDLED = ["zod", "commander", "fzstd", "hyparquet", "preact", "preact-render-to-string"];

/** Packages of others that are not: large ones that few commands load. They are dependencies of the command, DuckDB an optional one. */
const EXTERNAL = [
  "@duckdb/node-api",
  "@grpc/grpc-js",
  "@grpc/proto-loader",
  "@observablehq/plot",
  "aws4fetch",
  "bullmq",
  "fastify",
  "ioredis",
  "linkedom",
  "prom-client",
];

/** Scripts of threads, and the module that starts the command. The paths between them are as in the packages. */
const THREAD = inPackages("core/dist/worker.js");
const SCRIPTS = {
  worker: THREAD,
  "chunks/supervise": inPackages("vouch/dist/process/supervise.js"),
  "chunks/command-thread": inPackages("vouch/dist/process/command-thread.js"),
  "chunks/job-thread": inPackages("cluster/dist/job-thread.js"),
};
const STARTED = ["../worker.js", "./command-thread.js", "./job-thread.js"];

const folder = inPackages("vouch/dist/bundle");
const unfinished = `${folder}.unfinished`;

/** Bundles the command unless its bundle is newer than all packages. */
async function bundleCommand() {
  const made = timeOf(join(folder, "worker.js"));
  const changed = [
    fileURLToPath(import.meta.url),
    ...PARTS.map((name) => inPackages(`${name}/dist/.tsbuildinfo`)),
  ];
  if (made > 0 && changed.every((path) => timeOf(path) <= made)) return;
  for (const each of [folder, unfinished]) rmSync(each, { recursive: true, force: true });
  const tasks = modulesOfTasks();
  const bundle = await rolldown({
    input: {
      ...SCRIPTS,
      ...Object.fromEntries(tasks.map((path) => [`chunks/${basename(path, ".js")}`, path])),
    },
    platform: "node",
    external: EXTERNAL,
    // Entries are scripts: a chunk that they share may export more than they do.
    preserveEntrySignatures: "allow-extension",
    plugins: [buildConstant, placesOfFiles],
    onLog(level, { code, message }) {
      // What one command loads on demand, another may need at the start.
      if (level === "warn" && code !== "INEFFECTIVE_DYNAMIC_IMPORT") throw new Error(message);
    },
  });
  let chunkOf;
  const { output } = await bundle.write({
    dir: unfinished,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    comments: false,
    minify: true,
    banner: licences,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: "shared by the commands",
          name(id, graph) {
            chunkOf ??= sharedChunks((each) => graph.getModuleInfo(each), tasks);
            return chunkOf(id);
          },
        },
      ],
    },
  });
  checkChunks(output, tasks);
  renameSync(unfinished, folder);
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Finds the modules that threads load by URL to run the tasks that they define. */
function modulesOfTasks() {
  return PARTS.filter((name) => name !== "core")
    .flatMap((name) =>
      readdirSync(inPackages(`${name}/dist`), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".js") && !path.startsWith("bundle"))
        .map((path) => join(inPackages(`${name}/dist`), path)),
    )
    .filter((path) => /\bdefine(Portable)?Task\(/.test(readFileSync(path, "utf8")))
    .sort();
}

/**
 * Divides what `vouch train` loads at the start into a few chunks by who else needs it, so that a thread loads little that it does not
 * need, and `vouch predict` neither. A module imports only modules of its own chunk and of those that serve at least the same others,
 * so no two chunks import each other. The remaining modules are divided by the bundler.
 */
function sharedChunks(moduleInfo, tasks) {
  const importsOf = (id) => moduleInfo(id)?.importedIds ?? [];
  const loadsOf = (id) => [...importsOf(id), ...(moduleInfo(id)?.dynamicallyImportedIds ?? [])];
  const needsSchemas = (id) => [...reached([id], importsOf)].some((each) => each.includes(modules("zod")));
  const start = (...paths) => reached(paths.map(inPackages), importsOf);
  const ofLibrary = moduleInfo(inPackages("core/dist/task-modules.js")).dynamicallyImportedIds;
  const others = {
    threads: reached([THREAD], importsOf),
    tasks: reached(
      [...ofLibrary, ...tasks].filter((id) => !needsSchemas(id)),
      importsOf,
    ),
    // Tasks that fit any learner.
    learners: reached([THREAD], loadsOf),
    predict: start("vouch/dist/commands/predict.js", "core/dist/checks/shift-detector.js"),
    help: start("vouch/dist/process/main.js"),
  };
  const train = start("vouch/dist/process/main.js", "vouch/dist/commands/train.js");
  return (id) => {
    // Commands load this package as a whole: divided, it would drag in the experiments that share its parts.
    if (id.startsWith(inPackages("datasets/"))) return "datasets";
    if (!train.has(id)) return null;
    return ["train", ...Object.keys(others).filter((name) => others[name].has(id))].join("-");
  };
}

/** Writes the fingerprint of the build into the bundle, which otherwise would read hundreds of files to compute it. */
const buildConstant = {
  name: "build-constant",
  async transform(code, id) {
    if (id !== inPackages("cluster/dist/build-fingerprint.js")) return undefined;
    const { BUILD } = await import(pathToFileURL(id).href);
    const found = /(?<=export const BUILD = )fingerprintOf\(.*\)(?=;)/;
    if (!found.test(code)) throw new Error(`${id} has no fingerprint to replace`);
    return code.replace(found, JSON.stringify(BUILD));
  },
};

/** Finds files of a package, such as its data, from the package and not from the bundle. */
const placesOfFiles = {
  name: "places-of-files",
  transform(code, id) {
    if (!id.startsWith(packages)) return undefined;
    return code.replaceAll(/new URL\(([^()]*)"([^"]*)", import\.meta\.url\)/g, (whole, comments, file) => {
      if (STARTED.includes(file)) return whole;
      const home = inPackages(relative(packages, id).split(sep)[0]);
      const folder = relative(join(home, "dist"), dirname(id)).split(sep).join("/");
      const fromBuild = posix.join(folder, file);
      // Chunks are two folders below.
      if (home === inPackages("vouch")) return `new URL(${comments}"../../${fromBuild}", import.meta.url)`;
      const { name } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
      // A module of each package that is in the folder dist itself.
      const beside = name === "@vouch/core" ? "@vouch/core/internal/library-folder" : name;
      return `new URL(${comments}"${fromBuild}", import.meta.resolve("${beside}"))`;
    });
  },
};

/** Licences of bundled packages, as these ask for. */
function licences({ moduleIds }) {
  return BUNDLED.filter((name) => moduleIds.some((id) => id.includes(modules(name))))
    .map(
      (name) =>
        `/*! ${name}\n${readFileSync(join(packages, "..", modules(name), "LICENSE"), "utf8").trim()}\n*/`,
    )
    .join("\n");
}

/** The place of the modules of another's package. */
function modules(name) {
  return join("node_modules", name, sep);
}

/** Checks what holds in the packages: where the scripts of threads are, and that these load nothing of the command. */
function checkChunks(output, tasks) {
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const scripts = Object.keys(SCRIPTS).map((name) => `${name}.js`);
  for (const { fileName, moduleIds, imports } of output) {
    const starter = moduleIds.find((id) => id.endsWith(join("runtime", "platform.js")));
    if (starter && dirname(fileName) !== "chunks") throw new Error(`${starter} is in ${fileName}`);
    const script = imports.find((name) => scripts.includes(name));
    if (script) throw new Error(`${fileName} imports the script ${script}`);
    const foreign = moduleIds.find(
      (id) => id.includes("node_modules") && !BUNDLED.some((name) => id.includes(modules(name))),
    );
    if (foreign) throw new Error(`${foreign} is bundled without its licence`);
  }
  const onThreads = output.filter(({ moduleIds }) => [THREAD, ...tasks].some((id) => moduleIds.includes(id)));
  const loadsOf = (name) => {
    const { imports = [], dynamicImports = [] } = chunks.get(name) ?? {};
    return [...imports, ...dynamicImports];
  };
  for (const name of reached(
    onThreads.map(({ fileName }) => fileName),
    loadsOf,
  )) {
    const ofCommand = chunks.get(name)?.moduleIds.find((id) => id.startsWith(inPackages("vouch/")));
    if (ofCommand) throw new Error(`A thread would load ${ofCommand}`);
  }
}

await bundleCommand();
