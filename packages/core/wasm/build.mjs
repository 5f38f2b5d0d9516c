/**
 * `node wasm/build.mjs [FOLDER TARGET]`: compiles the AssemblyScript of a folder, by default this one, to WebAssembly and writes it,
 * compressed and as base64, to a TypeScript module, so that bundlers and browsers need no further file. The modules for unshared and for shared
 * memory differ only in their import section: the second is stored as a patch of the first. Does nothing if the sources and the
 * compiler have not changed.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

const script = fileURLToPath(import.meta.url);
const [
  ,
  ,
  folder = fileURLToPath(new URL(".", import.meta.url)),
  target = fileURLToPath(new URL("../src/runtime/wasm/wasm.generated.ts", import.meta.url)),
] = process.argv;

const common = [
  "index.ts",
  ...["--baseDir", folder],
  ...["--outFile", "module.wasm"],
  ...["--runtime", "stub", "--noAssert", "--enable", "simd", "--enable", "threads"],
  ...["--importMemory", "--initialMemory", "1"],
];
const shared = ["--sharedMemory", "--maximumMemory", "65536"];

/** Hashes everything that the result depends on: the sources, this script and the version of the compiler. */
function fingerprint() {
  const hash = createHash("sha256");
  const compiler = createRequire(import.meta.url)("assemblyscript/package.json");
  hash.update(`assemblyscript ${compiler.version}\n`);
  const sources = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  for (const path of [script, ...sources.sort().map((name) => join(folder, name))]) {
    const content = readFileSync(path);
    hash.update(`${basename(path)} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** Tells whether the generated module has this fingerprint. */
function isFresh(sources) {
  try {
    return readFileSync(target, "utf8").includes(`\n// sources ${sources}\n`);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** Runs the compiler and returns its files by name; throws its messages if it finds errors. */
async function compile(options) {
  const { default: asc } = await import("assemblyscript/asc");
  const files = {};
  const { error, stderr } = await asc.main([...common, ...options], {
    stderr: asc.createMemoryStream(),
    writeFile: (name, content) => {
      files[name] = content;
    },
  });
  if (error || !files["module.wasm"]) throw new Error(stderr.toString() || String(error));
  return files;
}

/** How zlib makes the module smallest: shorter blocks, each with codes of its own, save 1%. */
const SMALLEST = { level: 9, memLevel: 6 };

/** Id of the import section of a WebAssembly module. */
const IMPORT_SECTION = 2;

/** Finds the import section of a module, id and size included. */
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

/** Returns the import section that turns one module into the other; throws if they differ elsewhere. */
function importPatch(own, shared) {
  const [from, to] = [importSection(own), importSection(shared)];
  const without = (bytes, { begin, end }) => Buffer.concat([bytes.subarray(0, begin), bytes.subarray(end)]);
  if (!without(own, from).equals(without(shared, to))) {
    throw new Error("The modules for unshared and shared memory differ in more than their imports.");
  }
  return { ...from, bytes: [...shared.subarray(to.begin, to.end)] };
}

/**
 * Lists the signatures of all functions, from the declarations of the compiler. WebAssembly returns a bool as 0 or 1, and takes an
 * object by its address.
 */
function signatures(declarations) {
  const functions = declarations.matchAll(/export function (\w+)\((.*)\): (\w+);/g);
  return Array.from(functions, ([, name, parameters, result]) => {
    const numbers = parameters.replaceAll(/: (?!number|bigint|boolean)[^,]+/g, ": number");
    return `  readonly ${name}: (${numbers}) => ${result === "boolean" ? "number" : result};`;
  }).join("\n");
}

/** Reads the numbers that the module exports. */
function constants(binary) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary), { env: { memory } });
  return Object.entries(exports)
    .filter(([, one]) => one instanceof WebAssembly.Global)
    .map(([name, { value }]) => `export const ${name} = ${value};`)
    .join("\n");
}

async function generate(sources) {
  const binary = Buffer.from((await compile(["-O3"]))["module.wasm"]);
  const patch = importPatch(binary, Buffer.from((await compile(["-O3", ...shared]))["module.wasm"]));
  // The compiler adds its runtime to a module with declarations of functions of objects.
  const declared = await compile(["--bindings", "raw"]);
  return `// Generated by wasm/build.mjs: change the sources in wasm/ instead.
// sources ${sources}

/** The module for unshared memory, of \`size\` bytes, compressed by DEFLATE, as base64. */
export const wasmModule: { readonly size: number; readonly deflated: string } = {
  size: ${binary.length},
  deflated: "${deflateRawSync(binary, SMALLEST).toString("base64")}",
};

/** The bytes that replace those from \`begin\` to \`end\` of the module for shared memory. */
export const sharedMemoryImport: { readonly begin: number; readonly end: number; readonly bytes: readonly number[] } =
  ${JSON.stringify(patch)};

// The numbers of wasm/constants.ts.

${constants(binary)}

/** The functions of the module. The sources in wasm/ document them; pointers are addresses in WebAssembly memory. */
export interface WasmExports {
${signatures(declared["module.d.ts"].toString())}
}
`;
}

/** Writes the file so that processes that build at the same time see the old file or the new one, never a part. */
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
    console.log("Compiling the WebAssembly module.");
    writeAtomically(await generate(sources));
  }
} catch (error) {
  console.error(`The WebAssembly module could not be compiled.\n${error.message}`);
  process.exitCode = 1;
}
