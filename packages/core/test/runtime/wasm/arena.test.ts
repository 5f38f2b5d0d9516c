import fc from "fast-check";
import { expect, test } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import { Arena, f64, Scope } from "#core/runtime/wasm/arena.js";
import { createWasmMemory } from "#core/runtime/wasm/wasm-memory.js";

const own = createWasmMemory({ shared: false, limit: 2 ** 26 });

const requests = fc.array(
  fc.record({ type: fc.constantFrom("f32", "f64", "i32", "u8"), length: fc.integer({ min: 0, max: 50 }) }),
  { maxLength: 20 },
);

test("slices are aligned, inside the arena and do not overlap", () => {
  fc.assert(
    fc.property(requests, (list) => {
      const arena = Arena.allocate(20 * 448, own);
      const { pointer, bytes } = arena;
      let end = pointer;
      for (const { type, length } of list) {
        const slice = arena[type](length);
        expect(slice.pointer % 64).toBe(0);
        expect(slice.pointer).toBeGreaterThanOrEqual(end);
        expect(slice.view.byteOffset).toBe(slice.pointer);
        expect(slice.view.length).toBe(length);
        end = slice.pointer + slice.view.byteLength;
      }
      expect(end).toBeLessThanOrEqual(pointer + bytes);
      arena.release();
      expect(own.used).toBe(0);
    }),
  );
});

test("views of slices survive growth of the memory", () => {
  const memory = createWasmMemory({ shared: false, limit: 2 ** 26 });
  const slice = Arena.allocate(800, memory).f64(100);
  slice.view.fill(4);
  const stale = slice.view;
  memory.allocate(2 ** 24);
  expect(stale.length).toBe(0);
  expect([...slice.view]).toEqual(Array(100).fill(4));
});

test("a full arena says how much is left, and reset frees it", () => {
  const arena = Arena.allocate(256, own);
  const first = arena.f64(20);
  expect(() => arena.f64(20)).toThrow(VouchError);
  expect(() => arena.f64(20)).toThrow("Cannot take 160 bytes from an arena of 256 bytes with 64 left.");
  expect(arena.f64(8).pointer).toBe(first.pointer + 192);
  expect(() => arena.u8(1)).toThrow(/with 0 left/);
  arena.reset();
  expect(arena.f64(20).pointer).toBe(first.pointer);
  arena.release();
});

test("slices need a whole number of elements", () => {
  const arena = Arena.allocate(256, own);
  for (const length of [-1, 0.5, Number.NaN]) expect(() => arena.f32(length)).toThrow(RangeError);
  arena.release();
});

test("a view of an arena is the same memory, which the owner releases", () => {
  const arena = Arena.allocate(640, own);
  arena.f32(10).view.fill(6);
  const attached = new Arena(arena);
  expect([...attached.f32(10).view]).toEqual(Array(10).fill(6));
  attached[Symbol.dispose]();
  expect(own.used).toBe(640);
  arena[Symbol.dispose]();
  expect(own.used).toBe(0);
});

test("a scope releases what it holds, even after an error, but neither what has left nor what has moved", () => {
  const [left, moved] = (() => {
    using scope = new Scope();
    scope.allocate(64, own);
    scope.take({ values: f64(8) }, own);
    const leaving = scope.leave(scope.hold(Arena.allocate(128, own)));
    expect(own.used).toBe(64 + 64 + 128);
    const other = scope.move();
    scope.allocate(640, own);
    return [leaving, other];
  })();
  expect(own.used).toBe(64 + 64 + 128);
  moved.release();
  expect(own.used).toBe(128);
  left.release();
  expect(() => {
    using scope = new Scope();
    scope.allocate(64, own);
    throw new RangeError("in the scope");
  }).toThrow("in the scope");
  expect(own.used).toBe(0);
});
