/**
 * Bundles the script of live reports into `dist/client.json`, as modules. A report includes only the modules of its own
 * learner.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const home = dirname(fileURLToPath(import.meta.url));
const entry = resolve(home, "dist/client.js");
const learnerList = fileURLToPath(import.meta.resolve("@vouch/core/internal/learners/index"));
const result = resolve(home, "dist/client.json");
const target = "es2022";

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const changed = ["core", "views", "report"].map((name) => resolve(home, `../${name}/dist/.tsbuildinfo`));
if ([...changed, fileURLToPath(import.meta.url)].every((path) => timeOf(path) <= timeOf(result)))
  process.exit();

const { outputFiles, metafile } = await build({
  entryPoints: [entry],
  absWorkingDir: home,
  outdir: "out",
  write: false,
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  platform: "browser",
  target,
  metafile: true,
  legalComments: "none",
  logOverride: { "empty-import-meta": "silent" },
});

const outputs = new Map(
  Object.entries(metafile.outputs).map(([path, output]) => [basename(path), { ...output }]),
);

/** Wraps a module as a function that the page calls; `require` gives other modules, including lazily loaded ones. */
async function moduleCode(text) {
  const { code } = await transform(text, {
    format: "cjs",
    minify: true,
    target,
    supported: { "dynamic-import": false },
    legalComments: "none",
    logOverride: { "empty-import-meta": "silent", "commonjs-variable-in-esm": "silent" },
  });
  if (/<\/script|<!--/i.test(code)) throw new Error("The code would end the script of the page");
  return code.trim();
}

const modules = {};
for (const { path, text } of outputFiles) {
  const name = basename(path);
  const { imports } = outputs.get(name);
  const of = (kind) => imports.filter((one) => one.kind === kind).map((one) => basename(one.path));
  modules[name] = {
    code: await moduleCode(text),
    needs: of("import-statement"),
    loads: of("dynamic-import"),
  };
}

/** Finds the chunk that defines each learner. */
function learnerChunks() {
  const list = readFileSync(learnerList, "utf8");
  const chunkOf = new Map(
    [...outputs].flatMap(([name, { entryPoint }]) =>
      entryPoint === undefined ? [] : [[resolve(home, entryPoint), name]],
    ),
  );
  const lines = [...list.matchAll(/"?([\w-]+)"?: async \(\) => \(await import\("([^"]+)"\)\)/g)];
  return Object.fromEntries(
    lines.map(([, name, path]) => {
      const chunk = chunkOf.get(resolve(dirname(learnerList), path));
      if (chunk === undefined) throw new Error(`The bundle has no module of the learner ${name}`);
      return [name, chunk];
    }),
  );
}

const learners = learnerChunks();
if (Object.keys(learners).length === 0) throw new Error(`No learners in ${relative(home, learnerList)}`);
writeFileSync(result, JSON.stringify({ entry: basename(entry), modules, learners }));
