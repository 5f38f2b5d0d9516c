import { afterAll, describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { STRIPE_COLUMNS, updateScratch } from "#core/runtime/wasm/wasm-exports.js";
import { createWasmMemory } from "#core/runtime/wasm/wasm-memory.js";

const memory = createWasmMemory({ shared: false, limit: 2 ** 26 });
const { exports } = memory;
const random = new Random(1);
const blocks: ReturnType<typeof memory.allocate>[] = [];
afterAll(() => {
  for (const block of blocks) memory.release(block);
  expect(memory.used).toBe(0);
});

/** Allocates numbers, by default 0; some of the others are 0, too. */
function numbers(length: number, zeros = 1): number {
  const block = memory.allocate(4 * length);
  blocks.push(block);
  memory
    .f32(block.pointer, length)
    .set(Float32Array.from({ length }, () => (random.uniform() < zeros ? 0 : random.normal())));
  return block.pointer;
}

/** Returns the place of an element of a matrix in stripes. */
function inStripes(depth: number, columns: number, k: number, c: number): number {
  const first = c - (c % STRIPE_COLUMNS);
  return first * depth + k * Math.min(STRIPE_COLUMNS, columns - first) + (c - first);
}

/** Sums products in single precision in the order of the kernels. */
function sumOf(first: number, count: number, product: (k: number) => [number, number]): number {
  let sum = first;
  for (let k = 0; k < count; k++) {
    const [x, y] = product(k);
    if (x !== 0) sum = Math.fround(sum + Math.fround(x * y));
  }
  return sum;
}

/** Counts the places of a matrix where one of the results differs from the definition. */
function differences(rows: number, columns: number, differs: (i: number, j: number) => boolean): number {
  let count = 0;
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) if (differs(i, j)) count++;
  return count;
}

const sizes = [
  { rows: 1, depth: 8, columns: 8 },
  { rows: 7, depth: 24, columns: 40 },
  { rows: 13, depth: 264, columns: 16 },
  { rows: 5, depth: 520, columns: 88 },
];

describe.each(sizes)(
  "products of $rows rows, $depth inputs, $columns outputs",
  ({ rows, depth, columns }) => {
    const [stride, outStride] = [depth + 8, columns + 16];
    const padded = Math.ceil(rows / 4) * 4;
    const x = numbers(padded * stride, 0.4);
    const w = numbers(depth * columns, 0.1);
    const bias = numbers(columns, 0);
    const lists = numbers(2 * rows * depth);
    const parts = numbers(2 * rows * Math.ceil(depth / 256));

    it("equal plain loops bit by bit, dense or from lists, for any division of the rows", () => {
      const scratch = numbers(8 * depth);
      const [dense, divided, listed] = [0, 0, 0].map(() => numbers(padded * outStride));
      exports.netProduct(x, stride, w, depth, columns, bias, dense, outStride, 0, rows, scratch);
      exports.netListRows(x, stride, depth, 0, rows, lists, parts);
      for (let begin = 0; begin < rows; begin += 4) {
        const end = Math.min(rows, begin + 4);
        exports.netProduct(x, stride, w, depth, columns, bias, divided, outStride, begin, end, scratch);
        exports.netProductOfLists(parts, w, depth, columns, bias, listed, outStride, begin, end);
      }
      const xs = memory.f32(x, padded * stride);
      const ws = memory.f32(w, depth * columns);
      const biases = memory.f32(bias, columns);
      const outs = [dense, divided, listed].map((out) => memory.f32(out, padded * outStride));
      const wrong = differences(rows, columns, (r, c) => {
        const product = (k: number): [number, number] => [
          xs[r * stride + k],
          ws[inStripes(depth, columns, k, c)],
        ];
        const expected = sumOf(biases[c], depth, product);
        return outs.some((out) => out[r * outStride + c] !== expected);
      });
      expect(wrong).toBe(0);
    });

    it("equal plain loops bit by bit in the gradients of an update, for any division of the inputs", () => {
      const delta = numbers(padded * outStride, 0.2);
      const rule = numbers(6);
      // One step of plain gradient descent with a rate of 1.
      memory.f32(rule, 6).set([0, 1, 1, 0, 0, 0]);
      const scratch = numbers(updateScratch(rows) / 4);
      const columnLists = numbers(2 * rows * depth);
      const columnCounts = numbers(depth);
      const [dense, listed, twice] = [0, 0, 0].map(() => numbers(depth * columns));
      exports.netListRows(x, stride, depth, 0, rows, lists, parts);
      const further = numbers(padded * outStride, 0.2);
      for (let begin = 0; begin < depth; begin += 16) {
        const end = Math.min(depth, begin + 16);
        exports.netUpdate(
          x,
          stride,
          rows,
          delta,
          outStride,
          dense,
          depth,
          columns,
          begin,
          end,
          rule,
          0,
          scratch,
        );
        exports.netListColumns(parts, depth, rows, begin, end, columnLists, rows, columnCounts);
        const own = [delta, outStride, listed, depth, columns, begin, end, rule, 0, scratch] as const;
        exports.netUpdateOfLists(columnLists, rows, columnCounts, ...own);
        // The same inputs twice, with other derivatives: once from lists, then from the rows.
        const rest = [further, outStride, twice, depth, columns, begin, end, rule, 0, scratch] as const;
        exports.netUpdateSparseThenDense(columnLists, rows, columnCounts, delta, x, stride, rows, ...rest);
      }
      const xs = memory.f32(x, padded * stride);
      const ds = memory.f32(delta, padded * outStride);
      const others = memory.f32(further, padded * outStride);
      const stacked = memory.f32(twice, depth * columns);
      const updated = [dense, listed].map((weights) => memory.f32(weights, depth * columns));
      const wrong = differences(depth, columns, (k, c) => {
        const gradient = sumOf(0, rows, (r) => [xs[r * stride + k], ds[r * outStride + c]]);
        const ofBoth = sumOf(gradient, rows, (r) => [xs[r * stride + k], others[r * outStride + c]]);
        const at = inStripes(depth, columns, k, c);
        return updated.some((weights) => weights[at] !== -gradient) || stacked[at] !== -ofBoth;
      });
      expect(wrong).toBe(0);
    });

    it("have the same weights transposed", () => {
      const transposed = numbers(depth * columns);
      for (let begin = 0; begin < depth; begin += 8) {
        exports.netTranspose(w, depth, columns, begin, begin + 8, transposed);
      }
      const ws = memory.f32(w, depth * columns);
      const ts = memory.f32(transposed, depth * columns);
      const wrong = differences(
        depth,
        columns,
        (k, c) => ts[inStripes(columns, depth, c, k)] !== ws[inStripes(depth, columns, k, c)],
      );
      expect(wrong).toBe(0);
    });
  },
);
