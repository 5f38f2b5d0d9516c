import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ALIGNMENT, Heap } from "#core/runtime/wasm/heap.js";

const START = 1024;

/** A heap in a space that grows in steps of 4096 bytes up to a limit. */
function heapOf(limit: number): { heap: Heap; length: () => number } {
  let length = 0;
  const heap = new Heap(START, (bytes) => {
    const grown = Math.ceil(bytes / 4096) * 4096;
    if (length + grown > limit) return 0;
    length += grown;
    return grown;
  });
  return { heap, length: () => length };
}

type Step = { readonly allocate: number } | { readonly release: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(fc.record({ allocate: fc.integer({ min: 0, max: 5000 }) }), fc.record({ release: fc.nat(1000) })),
  { maxLength: 200 },
);

describe("Heap", () => {
  test("blocks are aligned, inside the space and never overlap, for any order of releases", () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const { heap, length } = heapOf(100_000);
        const live: { begin: number; end: number }[] = [];
        for (const step of sequence) {
          if ("release" in step) {
            const [block] = live.splice(step.release % Math.max(live.length, 1), 1);
            if (block) expect(heap.release(block.begin)).toBe(true);
            continue;
          }
          const begin = heap.allocate(step.allocate);
          if (begin === undefined) continue;
          const block = { begin, end: begin + step.allocate };
          expect(begin % ALIGNMENT).toBe(0);
          expect(begin).toBeGreaterThanOrEqual(START);
          expect(block.end).toBeLessThanOrEqual(START + length());
          for (const other of live) {
            expect(block.begin !== other.begin).toBe(true);
            expect(block.end <= other.begin || other.end <= block.begin).toBe(true);
          }
          live.push(block);
        }
        const bytes = live.reduce((sum, { begin, end }) => sum + roundedUp(end - begin), 0);
        expect(heap.used).toBe(bytes);
      }),
    );
  });

  test("after all blocks are released, the space is one block again", () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const { heap, length } = heapOf(100_000);
        const live: number[] = [];
        for (const step of sequence) {
          const begin =
            "allocate" in step
              ? heap.allocate(step.allocate)
              : live.splice(step.release % (live.length + 1), 1)[0];
          if (begin === undefined) continue;
          if ("allocate" in step) live.push(begin);
          else heap.release(begin);
        }
        for (const begin of live) heap.release(begin);
        const before = length();
        expect(heap.used).toBe(0);
        if (before > 0) expect(heap.allocate(before)).toBe(START);
        expect(length()).toBe(before);
      }),
    );
  });

  test("a released block is used again before the space grows", () => {
    const { heap, length } = heapOf(100_000);
    const first = heap.allocate(3000);
    heap.allocate(1000);
    const grown = length();
    if (first !== undefined) heap.release(first);
    expect(heap.allocate(2900)).toBe(first);
    expect(length()).toBe(grown);
  });

  test("growing uses the free bytes at the end", () => {
    const { heap, length } = heapOf(8192);
    heap.allocate(64);
    expect(heap.allocate(8192 - 64)).toBe(START + 64);
    expect(length()).toBe(8192);
  });

  test("a full space allocates nothing and stays usable", () => {
    const { heap } = heapOf(8192);
    expect(heap.allocate(8193)).toBeUndefined();
    expect(heap.used).toBe(0);
    expect(heap.allocate(8192)).toBe(START);
    expect(heap.allocate(1)).toBeUndefined();
  });

  test("releasing twice, or an unknown block, is rejected", () => {
    const { heap } = heapOf(8192);
    const begin = heap.allocate(10) ?? 0;
    expect(heap.release(begin + 64)).toBe(false);
    expect(heap.release(begin)).toBe(true);
    expect(heap.release(begin)).toBe(false);
  });
});

function roundedUp(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / ALIGNMENT)) * ALIGNMENT;
}
