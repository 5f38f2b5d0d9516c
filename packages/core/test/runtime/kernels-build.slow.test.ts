import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";

const SOURCE = `
/** Sums n numbers. */
export function sum(numbers: usize, n: i32): f64 {
  let total: f64 = 0;
  for (let i: i32 = 0; i < n; i++) total += load<f64>(numbers + (<usize>i << 3));
  return total;
}

@unmanaged class Pair {
  first: f64;
  second: f64;
}

/** Sums a pair, which TypeScript knows by its address. */
export function sumOfPair(pair: Pair): f64 {
  return pair.first + pair.second;
}

export const PAIR_BYTES: i32 = <i32>offsetof<Pair>();
`;

let folder: string;
let sources: string;
let target: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vouch-wasm-"));
  sources = join(folder, "wasm");
  target = join(folder, "output/wasm.generated.ts");
  mkdirSync(sources);
  mkdirSync(join(folder, "output"));
  writeFileSync(join(sources, "index.ts"), SOURCE);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function build() {
  const script = fileURLToPath(new URL("../../wasm/build.mjs", import.meta.url));
  return spawnSync(process.execPath, [script, sources, target], { encoding: "utf8" });
}

/** Instantiates the built kernel in memory that holds 1, 2 and 3.5, and sums these. */
async function sumInMemory(shared: boolean): Promise<unknown> {
  const text = readFileSync(target, "utf8");
  const module = inflateRawSync(Buffer.from(/deflated: "(.*?)"/.exec(text)?.[1] ?? "", "base64"));
  const { begin, end, bytes } = JSON.parse(/sharedMemoryImport[^=]*=\s*(\{.*?\});/.exec(text)?.[1] ?? "{}");
  const patched = Buffer.concat([module.subarray(0, begin), Buffer.from(bytes), module.subarray(end)]);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared });
  new Float64Array(memory.buffer, 4096, 3).set([1, 2, 3.5]);
  const { instance } = await WebAssembly.instantiate(shared ? patched : module, { env: { memory } });
  const { sum } = instance.exports;
  return typeof sum === "function" ? sum(4096, 3) : undefined;
}

test("a build works in both kinds of memory, is skipped if nothing changed, and keeps the old result if it fails", async () => {
  expect(build()).toMatchObject({ status: 0, stdout: "Compiling the WebAssembly module.\n", stderr: "" });
  const built = readFileSync(target, "utf8");
  expect(built).toContain("readonly sum: (numbers: number, n: number) => number;");
  expect(built).toContain("readonly sumOfPair: (pair: number) => number;");
  expect(built).toContain("export const PAIR_BYTES = 16;");
  expect(await sumInMemory(false)).toBe(6.5);
  expect(await sumInMemory(true)).toBe(6.5);

  expect(build()).toMatchObject({ status: 0, stdout: "", stderr: "" });

  appendFileSync(join(sources, "index.ts"), 'const wrong: i32 = "text";\n');
  const failure = build();
  expect(failure.status).toBe(1);
  expect(failure.stderr).toContain("The WebAssembly module could not be compiled.");
  expect(failure.stderr).toMatch(/index\.ts\(\d+,\d+\)/);
  expect(readFileSync(target, "utf8")).toBe(built);
  expect(readdirSync(join(folder, "output"))).toEqual(["wasm.generated.ts"]);
});
