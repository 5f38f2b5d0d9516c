import { expect, it } from "vitest";
import { TreeSet } from "#vouch/learners/tree/tree-set.js";
import { readTrees, treeTensorNames, treeTensors } from "#vouch/learners/tree/tree-state.js";
import { Random } from "#vouch/runtime/random.js";
import { StateReader, type Tensor } from "#vouch/runtime/state.js";
import { NODE_WORDS } from "#vouch/runtime/tree-kernels.js";
import { fault } from "../../fault.js";
import { grow, randomData } from "./grow.js";

const data = randomData(new Random(1), { rows: 300, columns: 4, bins: 20, classes: 3, missing: 0.1 });
const categories = randomData(new Random(2), {
  rows: 300,
  columns: 4,
  bins: 20,
  classes: 3,
  categorical: true,
});
const trees = TreeSet.concat([
  grow(data, { growth: { minLeafRows: 8 } }).tree,
  grow(categories, { growth: { minLeafRows: 8 } }).tree,
  grow(data, { growth: { maxDepth: 0 } }).tree,
]);
const shape = { classes: 3, columns: 4 };

function read(tensors: Record<string, Tensor>): TreeSet {
  return readTrees(new StateReader("forest", { json: null, tensors }), shape, "trees.");
}

/** The tensors with one number changed, or with one tensor replaced. */
function changed(name: string, index: number, value: number): Record<string, Tensor> {
  const tensors = structuredClone(treeTensors(trees, "trees."));
  tensors[`trees.${name}`].data[index] = value;
  return tensors;
}

/** The place of the first node for which a condition on its words holds. */
function findNode(condition: (word: number, question: number) => boolean, from = 0): number {
  const { nodes } = trees.arrays;
  for (let at = from; at < nodes.length; at += NODE_WORDS) if (condition(nodes[at], nodes[at + 1])) return at;
  return expect.fail("There is no such node.");
}

it("trees are the same after a round trip", () => {
  const tensors = treeTensors(trees, "trees.");
  expect(Object.keys(tensors)).toEqual(treeTensorNames("trees."));
  expect(read(tensors).arrays).toEqual(trees.arrays);
});

it("tensors that would lead a walk astray are refused", () => {
  const { nodeStarts } = trees.arrays;
  const split = findNode((_, question) => question >= 0 && (question & 512) === 0);
  const set = findNode((_, question) => question >= 0 && (question & 512) !== 0);
  const pure = findNode((_, question) => question === -1);
  const mixed = findNode((_, question) => question < -1);
  const wrong: [string, number, number][] = [
    ["nodes", split, 0],
    ["nodes", split, nodeStarts[1] - 1],
    ["nodes", split, 2],
    ["nodes", split, -5],
    ["nodes", split + 1, 4 << 10],
    ["nodes", set, -1],
    ["nodes", set, 1000],
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
    const error = fault(() => read(changed(name, index, value)));
    expect([name, index, value, error.code]).toEqual([name, index, value, "model/corrupt"]);
  }
});

it("tensors of the wrong kind or length are refused", () => {
  const tensors = treeTensors(trees, "trees.");
  const { nodes } = trees.arrays;
  const broken: Record<string, Tensor>[] = [
    { ...tensors, "trees.nodes": { shape: [nodes.length - 1], data: nodes.slice(1) } },
    { ...tensors, "trees.nodes": { shape: [nodes.length], data: Float64Array.from(nodes) } },
    { ...tensors, "trees.nodeStarts": { shape: [1], data: Int32Array.of(0) } },
    { ...tensors, "trees.nodeStarts": { shape: [0], data: new Int32Array(0) } },
    { ...tensors, "trees.leafShares": { shape: [0], data: new Float32Array(0) } },
    Object.fromEntries(Object.entries(tensors).filter(([name]) => name !== "trees.sets")),
  ];
  for (const tensors of broken) expect(fault(() => read(tensors)).code).toBe("model/corrupt");
});
