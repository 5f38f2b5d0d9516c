import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { IndexSorter } from "#core/runtime/maths/sort.js";
import { createWasmMemory } from "#core/runtime/wasm/wasm-memory.js";

const CAPACITY = 200_000;
const memories = {
  own: createWasmMemory({ shared: false, limit: 2 ** 25 }),
  shared: createWasmMemory({ shared: true, limit: 2 ** 25 }),
};

/** Array.prototype.sort is stable, and to it minus zero and zero are equal. */
const expectedOrder = (values: ArrayLike<number>) =>
  Array.from(values, (_, i) => i).sort((a, b) => values[a] - values[b] || 0);

describe.each(["own", "shared"] as const)("an index sort in %s memory", (kind) => {
  const sorter = new IndexSorter(CAPACITY, memories[kind]);
  afterAll(() => sorter.release());

  const check = (values: Float64Array) => {
    const order = sorter.sort(values);
    const expected = expectedOrder(values);
    expect(order.length).toBe(expected.length);
    expect(order.findIndex((index, k) => index !== expected[k])).toBe(-1);
  };

  test("sorts all doubles stably", () => {
    const edges = fc.constantFrom(
      ...[0, -0, 1, -1, 5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308],
      ...[Number.MAX_VALUE, -Number.MAX_VALUE, Infinity, -Infinity, 1 + Number.EPSILON],
    );
    const doubles = fc.oneof(edges, fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(fc.array(doubles, { maxLength: 80 }), (values) => check(Float64Array.from(values))),
      { numRuns: 300 },
    );
  });

  test("sorts long arrays of every kind", () => {
    const random = new Random(7);
    const kinds: Record<string, (i: number) => number> = {
      uniform: () => random.uniform(),
      "both signs": () => random.normal(),
      "all magnitudes": () => random.normal() * 10 ** (600 * random.uniform() - 300),
      "few values": () => random.integer(5) - 2,
      subnormal: () => (random.integer(1e6) - 5e5) * 5e-324,
      "a hair's breadth apart": () => 1 + random.integer(1e6) * Number.EPSILON,
      equal: () => 4.2,
      zeros: () => (random.integer(2) === 0 ? -0 : 0),
      sorted: (i) => i / 3,
      reversed: (i) => -i / 3,
    };
    // More than one call of each kernel takes, and no multiple of it.
    for (const kindOf of Object.values(kinds)) {
      check(Float64Array.from({ length: 65_536 + 4321 }, (_, i) => kindOf(i)));
    }
  });

  test("sorts as many values as its capacity, with checkpoints on the way", async () => {
    const random = new Random(8);
    const values = Float64Array.from({ length: CAPACITY }, () => random.uniform());
    let checkpoints = 0;
    const order = await sorter.sortWithCheckpoints(values, () => {
      checkpoints++;
      return undefined;
    });
    expect(order.length).toBe(CAPACITY);
    expect(order.every((index, k) => k === 0 || values[order[k - 1]] <= values[index])).toBe(true);
    expect(checkpoints).toBeGreaterThan(20);
  });

  test("can be abandoned at a checkpoint and used again", async () => {
    const values = Float64Array.of(3, 1, 2);
    const stop = new Error("stop");
    const sorting = sorter.sortWithCheckpoints(values, () => Promise.reject(stop));
    await expect(sorting).rejects.toBe(stop);
    check(values);
  });
});

test("a sorter frees its memory", () => {
  const memory = memories.own;
  const before = memory.used;
  new IndexSorter(1000, memory).release();
  expect(memory.used).toBe(before);
});
