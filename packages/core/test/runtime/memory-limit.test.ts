import { afterEach, describe, expect, test } from "vitest";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { limitMemory, memoryLimit, readableBytes, reserveMemory } from "#core/runtime/memory-limit.js";
import { sharedBuffer } from "#core/runtime/parallel/shared-array.js";
import { createWasmMemory } from "#core/runtime/wasm/wasm-memory.js";

const GIB = 2 ** 30;

afterEach(() => limitMemory(undefined));

describe("the memory limit", () => {
  test("is a share of the machine unless it is set", () => {
    const usual = memoryLimit();
    expect(usual).toBeGreaterThan(2 ** 28);
    limitMemory(GIB);
    expect(memoryLimit()).toBe(GIB);
    limitMemory(undefined);
    expect(memoryLimit()).toBe(usual);
    expect(() => limitMemory(0)).toThrow("must be positive");
    expect(() => limitMemory(Number.NaN)).toThrow("must be positive");
  });

  test("counts the memory in use, and the error says what needs how much", () => {
    limitMemory(process.memoryUsage.rss() + GIB);
    reserveMemory("the table", GIB / 2);
    expect(() => reserveMemory("the table", 3 * GIB)).toThrow(
      /^The table needs 3\.0 GB, .* are in use, and the limit is .* [GM]B\.$/,
    );
    expect(() => reserveMemory("the table", 3 * GIB)).toThrow(
      expect.objectContaining({ code: "memory/limit", hint: expect.stringContaining("--memory") }),
    );
  });

  test("holds for matrices, shared arrays and the memory of kernels", () => {
    limitMemory(process.memoryUsage.rss() + GIB / 4);
    expect(() => new Matrix(2 ** 14, 2 ** 13)).toThrow("matrix of 16384 × 8192 numbers needs 1.0 GB");
    expect(() => sharedBuffer(GIB)).toThrow("needs 1.0 GB");
    expect(() => createWasmMemory().allocate(GIB)).toThrow("needs 1.0 GB");
  });
});

test.each([
  [500, "500 bytes"],
  [1536, "1.5 kB"],
  [20 * 2 ** 20, "20 MB"],
  [9.6 * GIB, "9.6 GB"],
])("%d bytes read %s", (bytes, text) => expect(readableBytes(bytes)).toBe(text));
