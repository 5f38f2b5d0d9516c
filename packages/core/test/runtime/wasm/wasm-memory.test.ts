import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import {
  attachWasmMemory,
  createWasmMemory,
  type WasmMemory,
  type WasmMemoryHandle,
  wasmMemory,
} from "#core/runtime/wasm/wasm-memory.js";

const MIB = 2 ** 20;

/** Runs `body`, source code with the module `memory` and an `input`, on another thread. */
function onThread(body: string, input: unknown): Promise<unknown> {
  const module = new URL("../../../dist/runtime/wasm/wasm-memory.js", import.meta.url).href;
  const source = `
    const { parentPort, workerData: input } = require("node:worker_threads");
    import(${JSON.stringify(module)})
      .then(async (memory) => { ${body} })
      .then((output) => parentPort.postMessage({ output }),
            ({ code, message }) => parentPort.postMessage({ output: { code, message } }));`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(source, { eval: true, workerData: input });
    worker.once("message", ({ output }) => resolve(output));
    worker.once("error", reject);
  });
}

/** The handle as another thread without it would see it: of a memory that this thread does not know. */
function foreign(handle: WasmMemoryHandle): WasmMemoryHandle {
  return { ...handle, id: `${handle.id} as another thread sees it` };
}

function exhaustionOf(action: () => void): VouchError {
  try {
    action();
  } catch (error) {
    if (error instanceof VouchError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe.each([
  { kind: "own", shared: false },
  { kind: "shared", shared: true },
])("$kind memory", ({ shared }) => {
  const create = (limit = 64 * MIB): WasmMemory => createWasmMemory({ shared, limit });

  test("blocks keep their contents", () => {
    const memory = create();
    const first = memory.allocate(80);
    const second = memory.allocate(80);
    memory.f64(first.pointer, 10).fill(1.5);
    memory.f32(second.pointer, 20).fill(2.5);
    expect([...memory.f64(first.pointer, 10)]).toEqual(Array(10).fill(1.5));
    expect([...memory.f32(second.pointer, 20)]).toEqual(Array(20).fill(2.5));
    memory.i32(first.pointer, 20).fill(-3);
    memory.u8(second.pointer, 80).fill(255);
    expect([...memory.i32(first.pointer, 20)]).toEqual(Array(20).fill(-3));
  });

  test("contents survive growth, and views taken after it see them", () => {
    const memory = create();
    const block = memory.allocate(4000);
    memory.f32(block.pointer, 1000).forEach((_, i, view) => {
      view[i] = i;
    });
    const large = memory.allocate(10 * MIB);
    expect(memory.f32(block.pointer, 1000).every((value, i) => value === i)).toBe(true);
    memory.u8(large.pointer, 10 * MIB).fill(1);
    expect(memory.f32(block.pointer, 1000)[999]).toBe(999);
  });

  test("growth detaches views of own memory only", () => {
    const memory = create();
    const block = memory.allocate(4000);
    const view = memory.f32(block.pointer, 1000).fill(7);
    memory.allocate(10 * MIB);
    expect(view.length).toBe(shared ? 1000 : 0);
    if (shared) expect(view[999]).toBe(7);
  });

  test("if it is exhausted, the error names the requested size, the used size and the limit", () => {
    const memory = create(16 * MIB);
    const block = memory.allocate(10 * MIB);
    const error = exhaustionOf(() => memory.allocate(8 * MIB));
    expect(error.code).toBe("memory/exhausted");
    expect(error.message).toBe(
      "The work needs 8.0 MiB more memory, but 10.0 MiB of at most 16.0 MiB are in use.",
    );
    expect(error.hint).toContain("fewer rows");
    memory.release(block);
    expect(memory.used).toBe(0);
    expect(memory.allocate(15 * MIB).bytes).toBe(15 * MIB);
  });

  test.each([2 ** 32, 2 ** 40, Number.MAX_SAFE_INTEGER])(
    "%d bytes are too many, not a wrong answer",
    (bytes) => {
      expect(exhaustionOf(() => create().allocate(bytes)).code).toBe("memory/exhausted");
    },
  );

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("a block cannot have %d bytes", (bytes) => {
    expect(() => create().allocate(bytes)).toThrow(RangeError);
  });

  test("a block is released once", () => {
    const memory = create();
    const block = memory.allocate(10);
    memory.release(block);
    expect(() => memory.release(block)).toThrow(/released before/);
  });

  test("its own thread attaches it by its handle", () => {
    const memory = create();
    expect(attachWasmMemory(memory.handle)).toBe(memory);
    expect(memory.shared).toBe(shared);
  });
});

describe("wasmMemory", () => {
  test("is one shared memory per thread, with room for nearly 4 GiB", async () => {
    expect(wasmMemory()).toBe(wasmMemory());
    expect(wasmMemory().shared).toBe(true);
    const error = exhaustionOf(() => wasmMemory().allocate(2 ** 32));
    expect(error.message).toContain("of at most 4095.9 MiB");
    expect(await onThread("return memory.wasmMemory().handle.id", {})).not.toBe(wasmMemory().handle.id);
  });

  test("pointers above 2 GiB work", () => {
    const memory = wasmMemory();
    const low = memory.allocate(2 ** 31);
    const high = memory.allocate(64);
    expect(high.pointer).toBeGreaterThan(2 ** 31);
    memory.f64(high.pointer, 8).fill(3);
    // Kernels return such addresses as negative numbers.
    expect(memory.f64(high.pointer - 2 ** 32, 8)).toEqual(memory.f64(high.pointer, 8));
    expect(memory.exports.dot64(high.pointer, high.pointer, 8)).toBe(72);
    memory.release(high);
    memory.release(low);
  });
});

describe("attached memory", () => {
  test("another thread computes in the memory of its owner, even after it has grown", async () => {
    const owner = createWasmMemory({ shared: true, limit: 64 * MIB });
    const x = owner.allocate(8 * 100);
    owner.f64(x.pointer, 100).fill(2);
    const input = { handle: owner.handle, x: x.pointer, gate: new Int32Array(new SharedArrayBuffer(8)) };
    const done = onThread(
      `const attached = memory.attachWasmMemory(input.handle);
       attached.exports.axpy64(10, input.x, input.x, 100);
       Atomics.store(input.gate, 0, 1); Atomics.notify(input.gate, 0);
       Atomics.wait(input.gate, 1, 0);
       attached.u8(Atomics.load(input.gate, 1), 1000000).fill(5);
       return attached.exports.dot64(input.x, input.x, 100);`,
      input,
    );
    while (Atomics.load(input.gate, 0) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const later = owner.allocate(20 * MIB);
    Atomics.store(input.gate, 1, later.pointer);
    Atomics.notify(input.gate, 1);
    expect(await done).toBe(100 * 22 ** 2);
    expect(owner.f64(x.pointer, 100)[99]).toBe(22);
    expect(owner.u8(later.pointer, 1_000_000).every((value) => value === 5)).toBe(true);
  });

  test("only the owner allocates and releases", async () => {
    const { handle } = createWasmMemory({ shared: true, limit: MIB });
    const attached = attachWasmMemory(foreign(handle));
    expect(exhaustionOf(() => attached.allocate(8)).code).toBe("memory/not-owned");
    expect(exhaustionOf(() => attached.release({ pointer: 65536, bytes: 8 })).code).toBe("memory/not-owned");
    const own = await onThread(
      `memory.attachWasmMemory(input);
       const own = memory.wasmMemory();
       own.release(own.allocate(100));
       return memory.attachWasmMemory(input).allocate(8);`,
      handle,
    );
    expect(own).toMatchObject({ code: "memory/not-owned" });
  });

  test("memory that is not shared cannot be attached elsewhere", async () => {
    const { handle } = createWasmMemory({ shared: false, limit: MIB });
    expect(exhaustionOf(() => attachWasmMemory(foreign(handle))).code).toBe("memory/not-owned");
    expect(await onThread("return memory.attachWasmMemory(input)", handle)).toMatchObject({
      code: "memory/not-owned",
    });
  });
});
