/**
 * Compiles the kernels in this folder to WebAssembly and writes them, as base64, to a TypeScript module: bundlers
 * and browsers then need no file to load. There are two modules from the same sources, one for memory of its
 * own and one for memory shared among threads. Does nothing when the sources and the compiler have not changed.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const target = fileURLToPath(new URL("../src/runtime/kernels.generated.ts", import.meta.url));

const common = [
  "index.ts",
  ...["--baseDir", folder],
  ...["--outFile", "kernels.wasm"],
  ...["-O3", "--runtime", "stub", "--noAssert", "--enable", "simd"],
  ...["--importMemory", "--initialMemory", "1"],
];
const shared = ["--enable", "threads", "--sharedMemory", "--maximumMemory", "65536"];

/** A hash of all that the result depends on: the sources, this script and the version of the compiler. */
function fingerprint() {
  const hash = createHash("sha256");
  const compiler = createRequire(import.meta.url)("assemblyscript/package.json");
  hash.update(`assemblyscript ${compiler.version}\n`);
  for (const name of readdirSync(folder).sort()) {
    if (!/\.(ts|mjs)$/.test(name)) continue;
    const content = readFileSync(`${folder}${name}`);
    hash.update(`${name} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** Whether the generated module was made from what has this fingerprint. */
function isFresh(sources) {
  try {
    return readFileSync(target, "utf8").includes(`\n// sources ${sources}\n`);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** Runs the compiler; throws its messages when it finds errors. */
async function compile(options) {
  const { default: asc } = await import("assemblyscript/asc");
  let binary;
  const { error, stderr } = await asc.main([...common, ...options], {
    stderr: asc.createMemoryStream(),
    writeFile: (_name, content) => {
      binary = content;
    },
  });
  if (error || !binary) throw new Error(stderr.toString() || String(error));
  return Buffer.from(binary).toString("base64");
}

async function generate(sources) {
  const ownMemory = await compile([]);
  const sharedMemory = await compile(shared);
  return `// Made by kernels/build.mjs: change the sources in kernels/ instead.
// sources ${sources}

/** The kernels for memory that belongs to one thread: a WebAssembly module as base64. */
export const ownMemoryModule: string =
  "${ownMemory}";

/** The same kernels for memory that threads share. */
export const sharedMemoryModule: string =
  "${sharedMemory}";
`;
}

/** Other processes may build at the same time: each sees the old file or the new one, never a part. */
function writeAtomically(text) {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

try {
  const sources = fingerprint();
  if (!isFresh(sources)) {
    console.log("Compiling the kernels.");
    writeAtomically(await generate(sources));
  }
} catch (error) {
  console.error(`The kernels could not be compiled.\n${error.message}`);
  process.exitCode = 1;
}
