import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FloatArray } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { ELEMENT_BYTES, PANEL_STEP, PANEL_WIDTH, type Precision } from "#core/runtime/wasm/wasm-exports.js";
import { createWasmMemory, type WasmMemory } from "#core/runtime/wasm/wasm-memory.js";

/** Every kernel in both modules and both precisions; the modules differ only in the import of their memory. */
const memories = {
  own: createWasmMemory({ shared: false, limit: 2 ** 27 }),
  shared: createWasmMemory({ shared: true, limit: 2 ** 27 }),
};
const cases = (["own", "shared"] as const).flatMap((kind) =>
  (["f32", "f64"] as const).map((precision) => ({
    kind,
    precision,
    memory: memories[kind],
    runs: { numRuns: kind === "own" ? 40 : 10 },
  })),
);

/** Unit roundoff. */
const EPSILON = { f32: 2 ** -24, f64: 2 ** -53 } as const;

const edgeSizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31];
const size = fc.oneof(fc.constantFrom(...edgeSizes), fc.integer({ min: 0, max: 40 }));
const depth = fc.oneof(fc.constantFrom(...edgeSizes), fc.constantFrom(100, 1023, 1024, 1025, 2049, 2999));
const seed = fc.integer({ min: 0, max: 2 ** 31 });

/** Runs `body` with a way to place numbers in WebAssembly memory; frees them afterwards. */
function withMemory(memory: WasmMemory, precision: Precision, body: (space: Space) => void): void {
  const space = new Space(memory, precision);
  try {
    body(space);
  } finally {
    space.free();
  }
}

class Space {
  readonly #memory: WasmMemory;
  readonly #precision: Precision;
  readonly #blocks: { pointer: number; bytes: number }[] = [];

  constructor(memory: WasmMemory, precision: Precision) {
    this.#memory = memory;
    this.#precision = precision;
  }

  /** Room for n elements, each set to `fill`. */
  room(n: number, fill: number): number {
    const block = this.#memory.allocate(n * ELEMENT_BYTES[this.#precision]);
    this.#blocks.push(block);
    this.read(block.pointer, n).fill(fill);
    return block.pointer;
  }

  place(values: ArrayLike<number>): number {
    const pointer = this.room(values.length, 0);
    this.read(pointer, values.length).set(values);
    return pointer;
  }

  read(pointer: number, n: number): FloatArray {
    return this.#memory[this.#precision](pointer, n);
  }

  free(): void {
    for (const block of this.#blocks) this.#memory.release(block);
  }
}

/** Random numbers that are exact in both precisions. */
function randomValues(n: number, random: Random): Float64Array {
  return Float64Array.from({ length: n }, () => Math.fround(random.normal()));
}

/**
 * The bound of Higham (Accuracy and Stability of Numerical Algorithms, §3.1) on the error of a sum of n products in any
 * order, n·u/(1 − n·u) · Σ|x·y|; for f64 twice that, since the reference is computed in f64, too.
 */
function errorBound(precision: Precision, terms: number, magnitude: number): number {
  const nu = (terms + 1) * EPSILON[precision];
  return (precision === "f64" ? 2 : 1.001) * (nu / (1 - nu)) * magnitude;
}

/** x · y over `length` elements from the given places on; and Σ|x·y|. */
function reference(
  x: Float64Array,
  xAt: number,
  y: Float64Array,
  yAt: number,
  length: number,
): { sum: number; magnitude: number } {
  let sum = 0;
  let magnitude = 0;
  for (let k = 0; k < length; k++) {
    const product = x[xAt + k] * y[yAt + k];
    sum += product;
    magnitude += Math.abs(product);
  }
  return { sum, magnitude };
}

describe.each(cases)("kernels in $kind memory, $precision", ({ precision, memory, runs }) => {
  const { exports } = memory;
  const width = PANEL_WIDTH[precision];
  const single = precision === "f32";
  const packRows = single ? exports.packRows32 : exports.packRows64;
  const packColumns = single ? exports.packColumns32 : exports.packColumns64;
  const product = single ? exports.product32 : exports.product64;
  const gram = single ? exports.gram32 : exports.gram64;
  const dot = single ? exports.dot32 : exports.dot64;
  const axpy = single ? exports.axpy32 : exports.axpy64;
  const panelCount = (vectors: number) => Math.ceil(vectors / width);
  const panelElements = (vectors: number, length: number) => panelCount(vectors) * width * length;

  test("packRows puts element k of row r at step k, place r of its panel, and pads with zeros", () => {
    fc.assert(
      fc.property(size, size, fc.integer({ min: 0, max: 5 }), seed, (rows, length, gap, s) => {
        withMemory(memory, precision, (space) => {
          const stride = length + gap;
          const values = randomValues(rows * stride, new Random(s));
          const panels = space.room(panelElements(rows, length) + 1, -7);
          packRows(space.place(values), stride, rows, length, panels);
          const packed = space.read(panels, panelElements(rows, length) + 1);
          const wrong: [row: number, step: number][] = [];
          for (let r = 0; r < panelCount(rows) * width; r++) {
            for (let k = 0; k < length; k++) {
              const panel = Math.floor(r / width);
              const expected = r < rows ? values[r * stride + k] : 0;
              if (packed[(panel * length + k) * width + (r % width)] !== expected) wrong.push([r, k]);
            }
          }
          expect(wrong).toEqual([]);
          expect(packed[panelElements(rows, length)]).toBe(-7);
        });
      }),
      runs,
    );
  });

  test("packColumns in parts equals packRows of the transpose", () => {
    fc.assert(
      fc.property(
        size,
        size,
        fc.integer({ min: 0, max: 5 }),
        fc.nat(40),
        seed,
        (columns, length, gap, cut, s) => {
          withMemory(memory, precision, (space) => {
            const stride = columns + gap;
            const values = randomValues(length * stride, new Random(s));
            const transposed = Float64Array.from(
              { length: columns * length },
              (_, i) => values[(i % length) * stride + Math.floor(i / length)],
            );
            const count = panelElements(columns, length);
            const expected = space.room(count, -7);
            packRows(space.place(transposed), length, columns, length, expected);

            const matrix = space.place(values);
            const panels = space.room(count, -7);
            const part = Math.min(cut, length);
            const offset = part * stride * ELEMENT_BYTES[precision];
            packColumns(matrix, stride, columns, part, panels, length);
            packColumns(matrix + offset, stride, columns, length - part, panels + part * PANEL_STEP, length);
            expect(space.read(panels, count)).toEqual(space.read(expected, count));
          });
        },
      ),
      runs,
    );
  });

  test("product is A · Bᵀ within the rounding error, and writes nothing else", () => {
    fc.assert(
      fc.property(
        size,
        size,
        depth,
        fc.integer({ min: 0, max: 5 }),
        fc.boolean(),
        seed,
        (rows, columns, length, gap, accumulate, s) => {
          withMemory(memory, precision, (space) => {
            const random = new Random(s);
            const stride = columns + gap;
            const a = randomValues(rows * length, random);
            const b = randomValues(columns * length, random);
            const packedA = space.room(panelElements(rows, length), 0);
            const packedB = space.room(panelElements(columns, length), 0);
            packRows(space.place(a), length, rows, length, packedA);
            packRows(space.place(b), length, columns, length, packedB);
            const before = 3;
            const c = space.room(rows * stride + 1, before);
            product(packedA, packedB, length, c, stride, rows, columns, 0, panelCount(rows), accumulate);

            const computed = space.read(c, rows * stride + 1);
            const wrong: [row: number, column: number][] = [];
            for (let i = 0; i < rows; i++) {
              for (let j = 0; j < columns; j++) {
                const { sum, magnitude } = reference(a, i * length, b, j * length, length);
                const start = accumulate ? before : 0;
                const bound = errorBound(precision, length + 1, magnitude + start);
                if (!(Math.abs(computed[i * stride + j] - (start + sum)) <= bound)) wrong.push([i, j]);
              }
              for (let j = columns; j < stride; j++)
                if (computed[i * stride + j] !== before) wrong.push([i, j]);
            }
            expect(wrong).toEqual([]);
            expect(computed[rows * stride]).toBe(before);
          });
        },
      ),
      runs,
    );
  });

  test("product and gram give the same bits for any split of the panels", () => {
    fc.assert(
      fc.property(size, depth, fc.nat(10), seed, (rows, length, cut, s) => {
        withMemory(memory, precision, (space) => {
          const packed = space.room(panelElements(rows, length), 0);
          packRows(space.place(randomValues(rows * length, new Random(s))), length, rows, length, packed);
          const panels = panelCount(rows);
          const middle = Math.min(cut, panels);
          const whole = space.room(rows * rows, -1);
          const split = space.room(rows * rows, -2);
          gram(packed, length, whole, rows, rows, 0, panels);
          gram(packed, length, split, rows, rows, middle, panels);
          gram(packed, length, split, rows, rows, 0, middle);
          expect(space.read(split, rows * rows)).toEqual(space.read(whole, rows * rows));
          product(packed, packed, length, split, rows, rows, rows, middle, panels, false);
          product(packed, packed, length, split, rows, rows, rows, 0, middle, false);
          expect(space.read(split, rows * rows)).toEqual(space.read(whole, rows * rows));
        });
      }),
      runs,
    );
  });

  test("gram is symmetric bit for bit, exact within the rounding error, and writes nothing else", () => {
    fc.assert(
      fc.property(size, depth, fc.integer({ min: 0, max: 5 }), seed, (rows, length, gap, s) => {
        withMemory(memory, precision, (space) => {
          const stride = rows + gap;
          const x = randomValues(rows * length, new Random(s));
          const packed = space.room(panelElements(rows, length), 0);
          packRows(space.place(x), length, rows, length, packed);
          const g = space.room(rows * stride + 1, -7);
          gram(packed, length, g, stride, rows, 0, panelCount(rows));
          const computed = space.read(g, rows * stride + 1);
          const wrong: [row: number, column: number][] = [];
          for (let i = 0; i < rows; i++) {
            for (let j = 0; j < rows; j++) {
              const { sum, magnitude } = reference(x, i * length, x, j * length, length);
              const error = Math.abs(computed[i * stride + j] - sum);
              const symmetric = Object.is(computed[i * stride + j], computed[j * stride + i]);
              if (!(symmetric && error <= errorBound(precision, length, magnitude))) wrong.push([i, j]);
            }
            for (let j = rows; j < stride; j++) if (computed[i * stride + j] !== -7) wrong.push([i, j]);
          }
          expect(wrong).toEqual([]);
          expect(computed[rows * stride]).toBe(-7);
        });
      }),
      runs,
    );
  });

  test("dot is the scalar product within the rounding error", () => {
    fc.assert(
      fc.property(fc.oneof(size, fc.integer({ min: 41, max: 1000 })), seed, (length, s) => {
        withMemory(memory, precision, (space) => {
          const random = new Random(s);
          const x = randomValues(length, random);
          const y = randomValues(length, random);
          const { sum, magnitude } = reference(x, 0, y, 0, length);
          const error = Math.abs(dot(space.place(x), space.place(y), length) - sum);
          expect(error).toBeLessThanOrEqual(errorBound(precision, length, magnitude));
        });
      }),
      runs,
    );
  });

  test("axpy rounds y + (alpha · x) element by element, and writes nothing else", () => {
    const round = single ? Math.fround : (value: number) => value;
    fc.assert(
      fc.property(fc.oneof(size, fc.integer({ min: 41, max: 1000 })), seed, (length, s) => {
        withMemory(memory, precision, (space) => {
          const random = new Random(s);
          const alpha = Math.fround(random.normal());
          const x = randomValues(length, random);
          const y = randomValues(length + 1, random);
          const target = space.place(y);
          axpy(alpha, space.place(x), target, length);
          const expected = y.map((value, i) => (i < length ? round(value + round(alpha * x[i])) : value));
          expect([...space.read(target, length + 1)]).toEqual([...expected]);
        });
      }),
      runs,
    );
  });

  test("nothing stays allocated", () => {
    expect(memory.used).toBe(0);
  });
});
