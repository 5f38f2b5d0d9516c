import { expect, it } from "vitest";
import { CATEGORICAL, TreeSet } from "#core/learners/tree/tree-set.js";
import { treeSet } from "#core/learners/tree/tree-set-part.js";
import { list, readParts, writeParts } from "#core/runtime/codec/parts.js";
import type { State, Tensor } from "#core/runtime/codec/state.js";
import { Random } from "#core/runtime/maths/random.js";
import { NODE_WORDS } from "#core/runtime/wasm/wasm-exports.js";
import { fault } from "../../fault.js";
import { grow, randomData } from "./grow.js";

const shape = { rows: 300, columns: 4, bins: 20, classes: 3 };
const data = randomData(new Random(1), { ...shape, missing: 0.1 });
const categories = randomData(new Random(2), { ...shape, categorical: true });
const trees = TreeSet.concat([
  grow(data, { growth: { minLeafRows: 8 } }).tree,
  grow(categories, { growth: { minLeafRows: 8 } }).tree,
  grow(data, { growth: { maxDepth: 0 } }).tree,
]);
const part = treeSet({ classes: "classes", columns: "features", leaves: "shares" });
const sizes = { classes: 3, features: 4 };
const state = writeParts({ trees: part }, { trees }, sizes);

function read({ json, tensors }: State): TreeSet {
  return readParts("forest", { trees: part }, { json, tensors }, sizes).trees;
}

/** The state with one number changed. */
function changed(name: string, index: number, value: number): State {
  const tensors = structuredClone(state.tensors);
  tensors[`trees.${name}`].data[index] = value;
  return { ...state, tensors };
}

/** The place of the first node whose second word meets a condition. */
function findNode(condition: (split: number) => boolean): number {
  const { nodes } = trees.arrays;
  for (let at = 0; at < nodes.length; at += NODE_WORDS) if (condition(nodes[at + 1])) return at;
  return expect.fail("There is no such node.");
}

it("trees are the same after a round trip, also many sets in a list", () => {
  expect(read(state).arrays).toEqual(trees.arrays);
  const sets = { forests: list(part) };
  const forests = [trees, trees.slice(0, 1)];
  const read2 = readParts("forests", sets, writeParts(sets, { forests }, sizes), sizes).forests;
  expect(read2.map(({ arrays }) => arrays)).toEqual(forests.map(({ arrays }) => arrays));
});

it("numbers that would lead a walk astray are refused", () => {
  const { nodeStarts } = trees.arrays;
  const numeric = findNode((split) => split >= 0 && (split & CATEGORICAL) === 0);
  const categorical = findNode((split) => split >= 0 && (split & CATEGORICAL) !== 0);
  const pure = findNode((split) => split === -1);
  const mixed = findNode((split) => split < -1);
  const wrong: [string, number, number][] = [
    ["nodes", numeric, 0],
    ["nodes", numeric, nodeStarts[1] - 1],
    ["nodes", numeric, 2],
    ["nodes", numeric, -5],
    ["nodes", numeric + 1, 4 << 10],
    ["nodes", categorical, -1],
    ["nodes", categorical, 1000],
    ["nodes", pure, 3],
    ["nodes", pure, -1],
    ["nodes", mixed, -1],
    ["nodes", mixed, 1 << 30],
    ["nodes", mixed + 1, -1000],
    ["sets", 0, 0],
    ["sets", 0, 1 << 30],
    ["nodeStarts", 0, 1],
    ["nodeStarts", 1, 0],
    ["nodeStarts", 3, 5],
    ["setStarts", 1, 5000],
    ["leafStarts", 2, -1],
    ["leafClasses", 0, 3],
    ["leafClasses", 0, -1],
    ["leafShares", 0, -0.5],
    ["leafShares", 0, Number.NaN],
    ["leafShares", 0, 0.9999],
  ];
  for (const [name, index, value] of wrong) {
    const { code } = fault(() => read(changed(name, index, value)));
    expect([name, index, value, code]).toEqual([name, index, value, "model/corrupt"]);
  }
});

it("tensors of the wrong type or length are refused", () => {
  const { nodes } = trees.arrays;
  const broken: Record<string, Tensor>[] = [
    { "trees.nodes": { shape: [nodes.length], data: nodes } },
    { "trees.nodes": { shape: [nodes.length / 2, 2], data: Float64Array.from(nodes) } },
    { "trees.nodeStarts": { shape: [1], data: Int32Array.of(0) } },
    { "trees.nodeStarts": { shape: [0], data: new Int32Array(0) } },
    { "trees.leafShares": { shape: [0], data: new Float32Array(0) } },
    { "trees.more": { shape: [1], data: Int32Array.of(0) } },
  ];
  for (const tensors of broken) {
    expect(fault(() => read({ ...state, tensors: { ...state.tensors, ...tensors } })).code).toBe(
      "model/corrupt",
    );
  }
  const { "trees.sets": _, ...withoutSets } = state.tensors;
  expect(fault(() => read({ ...state, tensors: withoutSets })).code).toBe("model/corrupt");
});

it("trees need features", () => {
  const leaf = { trees: grow(data, { growth: { maxDepth: 0 } }).tree };
  const written = writeParts({ trees: part }, leaf, sizes);
  expect(fault(() => readParts("forest", { trees: part }, written, { ...sizes, features: 0 })).code).toBe(
    "model/corrupt",
  );
});
