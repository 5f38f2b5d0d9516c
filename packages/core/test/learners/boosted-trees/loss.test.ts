import { expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { Arena } from "#core/runtime/wasm/arena.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

const { exports } = wasmMemory();
const ROWS = 64;
const UNIT = 2 ** 30;
const LOSS_UNIT = 2 ** 31;

/** Reads a sum of losses, an integer of 64 bits. */
function lossAt({ view }: { readonly view: Int32Array }): number {
  return (view[1] * 2 ** 32 + (view[0] >>> 0)) / LOSS_UNIT;
}

/** Margins of all sizes, some of which no exponential can take. */
function randomMargins(random: Random, count: number): Float64Array {
  const sizes = [1e-9, 1, 10, 100, 1e4];
  return Float64Array.from({ length: count }, () => sizes[random.integer(5)] * random.normal());
}

/** Room for arrays of rows. */
function place(arena: Arena, random: Random, classes: number) {
  const margins = arena.f64(ROWS * classes);
  const labels = arena.i32(ROWS);
  const weights = arena.f64(ROWS);
  const gradients = arena.i32(2 * ROWS);
  const loss = arena.i32(2);
  margins.view.set(randomMargins(random, ROWS * classes));
  labels.view.set(Int32Array.from({ length: ROWS }, () => random.integer(Math.max(2, classes))));
  weights.view.set(Float64Array.from({ length: ROWS }, () => random.uniform()));
  return { margins, labels, weights, gradients, loss };
}

it("logistic loss and its derivatives", () => {
  const arena = Arena.allocate(1 << 16);
  for (let seed = 0; seed < 20; seed++) {
    arena.reset();
    const { margins, labels, weights, gradients, loss } = place(arena, new Random(seed), 1);
    exports.boostedLogistic(
      margins.pointer,
      labels.pointer,
      weights.pointer,
      0,
      ROWS,
      gradients.pointer,
      UNIT,
      LOSS_UNIT,
      loss.pointer,
    );
    let expected = 0;
    margins.view.forEach((margin, i) => {
      const [label, weight] = [labels.view[i], weights.view[i]];
      const signed = label === 1 ? margin : -margin;
      expected += weight * (Math.max(0, -signed) + Math.log1p(Math.exp(-Math.abs(signed))));
      const p = 1 / (1 + Math.exp(-margin));
      // Rounded to units, which may be half a unit off.
      expect(Math.abs(gradients.view[2 * i] - UNIT * weight * (p - label))).toBeLessThan(0.51);
      expect(Math.abs(gradients.view[2 * i + 1] - UNIT * weight * p * (1 - p))).toBeLessThan(0.51);
    });
    // Each loss is rounded to units.
    expect(Math.abs(lossAt(loss) - expected)).toBeLessThan(ROWS / LOSS_UNIT + 1e-13 * expected);
  }
  arena.release();
});

it.each([3, 26])("softmax loss of %i classes and its derivatives", (classes) => {
  const arena = Arena.allocate(1 << 16);
  for (let seed = 0; seed < 10; seed++) {
    arena.reset();
    const { margins, labels, weights, gradients, loss } = place(arena, new Random(seed), classes);
    const normalisers = arena.f64(ROWS);
    const rows = [labels.pointer, weights.pointer, 0, ROWS] as const;
    const sums = [normalisers.pointer, LOSS_UNIT, loss.pointer] as const;
    exports.boostedNormalise(margins.pointer, ROWS, classes, ...rows, ...sums);
    const logSums = Array.from({ length: ROWS }, (_, i) => {
      const own = Array.from({ length: classes }, (_, k) => margins.view[k * ROWS + i]);
      const most = Math.max(...own);
      return most + Math.log(own.reduce((sum, margin) => sum + Math.exp(margin - most), 0));
    });
    let expected = 0;
    logSums.forEach((logSum, i) => {
      expect(normalisers.view[i] - logSum).toBeCloseTo(0, 10);
      expected += weights.view[i] * (logSum - margins.view[labels.view[i] * ROWS + i]);
    });
    expect(Math.abs(lossAt(loss) - expected)).toBeLessThan(ROWS / LOSS_UNIT + 1e-12 * expected);
    const label = seed % classes;
    const own = margins.pointer + 8 * ROWS * label;
    exports.boostedSoftmax(own, normalisers.pointer, ...rows, label, gradients.pointer, UNIT);
    logSums.forEach((logSum, i) => {
      const p = Math.exp(margins.view[label * ROWS + i] - logSum);
      const weight = UNIT * weights.view[i];
      const gradient = weight * (p - Number(labels.view[i] === label));
      expect(Math.abs(gradients.view[2 * i] - gradient)).toBeLessThan(0.6);
      expect(Math.abs(gradients.view[2 * i + 1] - 2 * weight * p * (1 - p))).toBeLessThan(0.6);
    });
  }
  arena.release();
});
