/**
 * Compiles the kernels in this folder to WebAssembly and writes them, as base64, to a TypeScript module: bundlers
 * and browsers then need no file to load. Compiled for memory of one thread and for memory that threads share, the modules differ
 * in their import section alone, so that the second is kept as a patch of the first. Does nothing when the sources and the
 * compiler have not changed.
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

/** Runs the compiler and returns the files that it writes, by name; throws its messages when it finds errors. */
async function compile(options) {
  const { default: asc } = await import("assemblyscript/asc");
  const files = {};
  const { error, stderr } = await asc.main([...common, ...options], {
    stderr: asc.createMemoryStream(),
    writeFile: (name, content) => {
      files[name] = content;
    },
  });
  if (error || !files["kernels.wasm"]) throw new Error(stderr.toString() || String(error));
  return files;
}

/** Id of the section of a WebAssembly module that declares its imports. */
const IMPORT_SECTION = 2;

/** Where the import section lies in a module, id and size included. */
function importSection(bytes) {
  let at = 8;
  while (at < bytes.length) {
    const begin = at;
    const id = bytes[at++];
    let size = 0;
    let shift = 0;
    do {
      size |= (bytes[at] & 0x7f) << shift;
      shift += 7;
    } while (bytes[at++] & 0x80);
    at += size;
    if (id === IMPORT_SECTION) return { begin, end: at };
  }
  throw new Error("The module imports nothing.");
}

/** The import section that makes one module of the other; an error if they differ elsewhere. */
function importPatch(own, shared) {
  const [from, to] = [importSection(own), importSection(shared)];
  const without = (bytes, { begin, end }) => Buffer.concat([bytes.subarray(0, begin), bytes.subarray(end)]);
  if (!without(own, from).equals(without(shared, to))) {
    throw new Error("The modules for own and for shared memory differ beyond their imports.");
  }
  return { ...from, bytes: [...shared.subarray(to.begin, to.end)] };
}

/** The signatures of all kernels, from the compiler's own declarations. WebAssembly returns a bool as 0 or 1. */
function signatures(declarations) {
  const functions = declarations.matchAll(/export function (\w+)\((.*)\): (\w+);/g);
  return Array.from(
    functions,
    ([, name, parameters, result]) =>
      `  readonly ${name}: (${parameters}) => ${result === "boolean" ? "number" : result};`,
  ).join("\n");
}

async function generate(sources) {
  const own = await compile(["--bindings", "raw"]);
  const binary = Buffer.from(own["kernels.wasm"]);
  const patch = importPatch(binary, Buffer.from((await compile(shared))["kernels.wasm"]));
  return `// Made by kernels/build.mjs: change the sources in kernels/ instead.
// sources ${sources}

/** The kernels for memory that belongs to one thread: a WebAssembly module as base64. */
export const kernelModule: string =
  "${binary.toString("base64")}";

/** The bytes from \`begin\` to \`end\` of the module, and those to put there for memory that threads share. */
export const sharedMemoryImport: { readonly begin: number; readonly end: number; readonly bytes: readonly number[] } =
  ${JSON.stringify(patch)};

/** The functions of the module. The sources in kernels/ document them; pointers are addresses in kernel memory. */
export interface Kernels {
${signatures(own["kernels.d.ts"].toString())}
}
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
