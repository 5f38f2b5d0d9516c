import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addPacked, divideTrees, packIntegers } from "#core/learners/forest/cluster-ranges.js";

const sizesOf = (...given: Parameters<typeof divideTrees>) =>
  divideTrees(...given).map((parts) => parts.reduce((sum, { trees }) => sum + trees, 0));

describe("ranges of trees", () => {
  it("get smaller, so that machines end at about the same time", () => {
    const sizes = sizesOf([{ trees: 600 }], { count: 8, threads: 16 }, 600 * 100);
    expect(sizes.slice(0, 8)).toEqual(new Array(8).fill(36));
    expect(sizes.toSorted((a, b) => b - a)).toEqual(sizes);
    expect(Math.max(...sizes.slice(-8))).toBeLessThanOrEqual(2);
    expect(sizes.length).toBeLessThanOrEqual(64);
  });

  it("are few if trees are quickly grown, but every machine gets one", () => {
    expect(sizesOf([{ trees: 90 }], { count: 3, threads: 6 }, 27)).toEqual([30, 30, 30]);
    expect(sizesOf([{ trees: 2 }], { count: 3, threads: 6 }, 1e6)).toEqual([1, 1]);
  });

  it("have every tree of every plan once, in order", () => {
    const plans = fc.array(fc.record({ trees: fc.integer({ min: 1, max: 200 }) }), {
      minLength: 1,
      maxLength: 5,
    });
    const machines = fc
      .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 8 }))
      .map(([count, each]) => ({ count, threads: count * each }));
    fc.assert(
      fc.property(plans, machines, fc.double({ min: 1e-3, max: 1e7, noNaN: true }), (own, cluster, time) => {
        const listed = divideTrees(own, cluster, time)
          .flat()
          .flatMap(({ plan, first, trees, number }) =>
            Array.from({ length: trees }, (_, t) => [plan, first + t, number + t]),
          );
        let number = 0;
        const expected = own.flatMap(({ trees }, plan) =>
          Array.from({ length: trees }, (_, t) => [plan, t, number++]),
        );
        expect(listed).toEqual(expected);
      }),
    );
  });
});

describe("packed integers", () => {
  it("add up to the same sums", () => {
    const integers = fc.array(fc.oneof(fc.integer(), fc.nat(255), fc.nat(70_000)), { minLength: 1 });
    fc.assert(
      fc.property(integers, fc.nat(20), (values, shift) => {
        const own = Int32Array.from(values, (value) => value << shift);
        const sums = new Int32Array(own.length).fill(3);
        addPacked(sums, packIntegers(own));
        expect(sums).toEqual(own.map((value) => value + 3));
      }),
    );
  });

  it("take a byte each for votes of trees with pure leaves", () => {
    const packed = packIntegers(Int32Array.of(0, 5 * 2 ** 21, 130 * 2 ** 21));
    expect(packed).toEqual({ shift: 21, values: Uint8Array.of(0, 5, 130) });
  });
});
