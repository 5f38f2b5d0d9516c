/**
 * `npm test`: installs and builds what is missing or stale, provides a browser, LIBSVM's tools, Redis, shells and ONNX runtimes where it
 * can, checks style, unused code and types, and runs every test. `npm test -- FILTER` runs the tests whose path contains FILTER.
 * `npm run test:quick` installs no programs, leaves out `*.slow.test.ts` and stops at the first failure.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findBrowser } from "./browser.mjs";
import { provideOnnxEngines } from "./onnx-engines.mjs";
import { findProgram, providePrograms } from "./programs.mjs";
import { checkNode, install, root } from "./setup.mjs";

/** Data sets beside the clone are used by the tests on real data; without them those tests use shipped sets. */
const dataBeside = join(root, "..", "shared", "data");

/** The folder of a module of Debian's Python. */
const pythonModule = (name) => [join("/usr/lib/python3/dist-packages", name)].find(existsSync);

const { values, positionals: filter } = parseArgs({
  options: { quick: { type: "boolean" } },
  allowPositionals: true,
});
checkNode();
install();
if (values.quick) console.log("Style, types and the fast tests take about a minute on two cores.");
else {
  if (filter.length === 0)
    console.log("All tests take about 12 minutes on two cores; npm run test:quick takes about one.");
  providePrograms([
    { title: "Chromium", find: findBrowser, debian: "chromium" },
    { title: "LIBSVM", find: () => findProgram(["svm-train"]), debian: "libsvm-tools" },
    { title: "Redis", find: () => findProgram(["redis-server"]), debian: "redis-server" },
    { title: "OpenSSL", find: () => findProgram(["openssl"]), debian: "openssl" },
    { title: "zsh", find: () => findProgram(["zsh"]), debian: "zsh" },
    { title: "fish", find: () => findProgram(["fish"]), debian: "fish" },
    { title: "protoc", find: () => findProgram(["protoc"]), debian: "protobuf-compiler" },
    { title: "grpcio for Python", find: () => pythonModule("grpc"), debian: "python3-grpcio" },
    { title: "protobuf for Python", find: () => pythonModule("google/protobuf"), debian: "python3-protobuf" },
  ]);
  if (filter.length === 0 || filter.some((part) => part.includes("onnx"))) provideOnnxEngines();
}
if (!process.env.VOUCH_DATA && existsSync(dataBeside)) process.env.VOUCH_DATA = dataBeside;

const options = values.quick ? ["--project", "fast", "--bail", "1"] : [];
const steps = [
  ["node_modules/@biomejs/biome/bin/biome", "check", "."],
  ["scripts/lint-text.mjs"],
  ["scripts/build.mjs"],
  ["node_modules/knip/bin/knip.js", "--no-config-hints"],
  ["node_modules/vitest/vitest.mjs", "run", ...options, ...filter],
];
for (const args of filter.length > 0 ? steps.slice(-1) : steps) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
