import { describe, expect, it } from "vitest";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { TreeSet } from "#core/learners/tree/tree-set.js";
import { TreeWalker, type Walk, walkerLayout } from "#core/learners/tree/tree-walker.js";
import { WasmTrees } from "#core/learners/tree/wasm-trees.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { Arena, bytesOf } from "#core/runtime/wasm/arena.js";
import { type WasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import type { Data } from "./brute-force-tree.js";
import { columnsOf, grow, randomData, range } from "./grow.js";

/** Some trees on the data, of both kinds. */
function forestOn(data: Data, trees: number): TreeSet {
  return TreeSet.concat(
    Array.from({ length: trees }, (_, seed) => {
      const growth = {
        splits: seed % 2 === 0 ? "best" : "random",
        featuresPerSplit: 2,
        maxDepth: 6,
      } as const;
      return grow(data, { growth, bootstrap: true, seed }).tree;
    }),
  );
}

/** Walks, and checks that all memory is released. */
function walk<Result>(
  { features }: Data,
  trees: TreeSet,
  work: (walker: TreeWalker, memory: WasmMemory) => Result,
): Result {
  const memory = wasmMemory();
  const before = memory.used;
  try {
    using columns = TreeColumns.of(features);
    using resident = WasmTrees.of(trees, columns);
    using arena = Arena.allocate(bytesOf(walkerLayout(columns)));
    return work(new TreeWalker(columns, resident, arena), memory);
  } finally {
    expect(memory.used).toBe(before);
  }
}

/** The scores of a walk as numbers. */
function scoresOf(data: Data, trees: TreeSet, request: Omit<Walk, "scores">, places: number): Float32Array {
  return walk(data, trees, (walker, memory) => {
    const block = memory.allocate(4 * places * data.classes);
    memory.f32(block.pointer, places * data.classes).fill(0);
    runNow(walker.addScores({ ...request, scores: block.pointer }));
    const scores = memory.f32(block.pointer, places * data.classes).slice();
    memory.release(block);
    return scores;
  });
}

describe.each([
  { name: "numbers", columns: 5, categorical: false, bins: 255 },
  { name: "categories", columns: 5, categorical: true, bins: 255 },
  { name: "few categories", columns: 5, categorical: true, bins: 63 },
  { name: "many features", columns: 70, categorical: false, bins: 255 },
])("walks through trees on $name", ({ columns, categorical, bins }) => {
  const random = new Random(1);
  const data = randomData(random, { rows: 601, columns, bins: 60, classes: 3, missing: 0.1, categorical });
  const trees = forestOn(data, 5);
  // Rows that the trees have not seen, with bins that they have not seen.
  const unseen = randomData(random, { rows: 301, columns, bins, classes: 3, missing: 0.2, categorical });

  it("end in the same leaves as a plain walk", () => {
    for (let tree = 0; tree < 5; tree++) {
      const rows = range(301).reverse();
      const leaves = walk(unseen, trees, (walker) => walker.leaves(tree, rows));
      expect(leaves).toEqual(rows.map((row) => trees.leafOf(tree, unseen.features, row)));
    }
  });

  it("add the same shares as a plain walk", () => {
    const expected = new Float32Array(301 * 3);
    for (let row = 0; row < 301; row++) trees.addRow(unseen.features, row, expected, 3 * row);
    expect(scoresOf(unseen, trees, { rows: range(301) }, 301)).toEqual(expected);
    for (let row = 0; row < 301; row++) {
      expect(expected[3 * row] + expected[3 * row + 1] + expected[3 * row + 2]).toBeCloseTo(5, 5);
    }
  });

  it("of some rows through some trees add to scores in the order of the rows", () => {
    const rows = Int32Array.of(7, 300, 0);
    const expected = new Float32Array(9);
    rows.forEach((row, i) => {
      for (const tree of [1, 2]) {
        const leaf = trees.leafOf(tree, unseen.features, row);
        trees.addLeaf(tree, leaf, expected, 3 * i);
      }
    });
    expect(scoresOf(unseen, trees, { rows, begin: 1, end: 3 }, 3)).toEqual(expected);
  });
});

it("appended columns are the same as all columns together", () => {
  const data = randomData(new Random(2), { rows: 200, columns: 6, bins: 30, classes: 2 });
  const column = (j: number) => data.features.column(j);
  using base = TreeColumns.of(columnsOf([0, 1, 2, 3].map(column)));
  using extended = runNow(base.with(columnsOf([4, 5].map(column))));
  const trees = forestOn(data, 1);
  using resident = WasmTrees.of(trees, extended);
  using arena = Arena.allocate(bytesOf(walkerLayout(extended)));
  const leaves = new TreeWalker(extended, resident, arena).leaves(0, range(200));
  expect(leaves).toEqual(range(200).map((row) => trees.leafOf(0, data.features, row)));
  expect(() => new TreeWalker(base, resident, arena)).toThrow("grown on 6 features, but the rows have 4");
  expect(() => base.with(columnsOf([[1, 2]]))).toThrow("2 rows cannot be appended");
});

it("trees that were laid out for few categories refuse others", () => {
  const shape = { rows: 200, columns: 3, classes: 2, missing: 0.1, categorical: true };
  const few = randomData(new Random(3), { ...shape, bins: 63 });
  const many = randomData(new Random(3), { ...shape, bins: 64 });
  using columns = TreeColumns.of(few.features);
  using others = TreeColumns.of(many.features);
  using resident = WasmTrees.of(forestOn(few, 2), columns);
  using arena = Arena.allocate(bytesOf(walkerLayout(others)));
  expect(columns.fewCategories).toBe(true);
  expect(others.fewCategories).toBe(false);
  expect(() => new TreeWalker(others, resident, arena)).toThrow("laid out for fewer categories");
});

it("unknown rows are refused", () => {
  const data = randomData(new Random(2), { rows: 20, columns: 2, bins: 30, classes: 2 });
  expect(() => walk(data, forestOn(data, 1), (walker) => walker.leaves(0, Int32Array.of(20)))).toThrow(
    "no row 20",
  );
});

it("sets are joined in their order", () => {
  const data = randomData(new Random(2), { rows: 300, columns: 3, bins: 30, classes: 3, categorical: true });
  const [first, second] = [forestOn(data, 2), forestOn({ ...data, labels: data.labels.toReversed() }, 3)];
  const joined = TreeSet.concat([first, second]);
  expect(joined.trees).toBe(5);
  expect(joined.nodes).toBe(first.nodes + second.nodes);
  for (let row = 0; row < 300; row++) {
    const [expected, scores] = [new Float32Array(3), new Float32Array(3)];
    first.addRow(data.features, row, expected, 0);
    second.addRow(data.features, row, expected, 0);
    joined.addRow(data.features, row, scores, 0);
    expect(scores).toEqual(expected);
  }
});
