import { expect, test } from "vitest";
import type { Json } from "vouch";
import { hierarchyLines, hierarchyOf } from "#cli/hierarchy-drawing.js";

/** A node without ignored classes, all of whose 20 rows are right. */
function node(left: string, right: string, own: { readonly [name: string]: Json }): Json {
  return { left: [left], right: [right], ignored: [], rows: 20, errors: 0, ...own };
}

const description: Json = {
  kernel: "rbf",
  hierarchy: {
    nodes: [
      node("a", "c", { ignored: ["b"], margin: 0.25, leftChild: { node: 2 }, rightChild: { node: 3 } }),
      node("a", "b", { margin: 1, leftChild: { class: "a" }, rightChild: { class: "b" } }),
      node("b", "c", { margin: -1, errors: 1, leftChild: { class: "b" }, rightChild: { class: "c" } }),
    ],
  },
};

test("a hierarchy is a tree of its nodes: sides, ignored classes, margin or errors", () => {
  expect(hierarchyLines(hierarchyOf(description))).toEqual([
    "1  a | c; ignores b",
    "│  3 classes, 1 ignored, margin 0.25, no training row wrong",
    "├─ 2  a | b",
    "│  │  2 classes, margin 1, no training row wrong",
    "│  ├─ a",
    "│  └─ b",
    "└─ 3  b | c",
    "   │  2 classes, 1 of 20 training rows wrong",
    "   ├─ b",
    "   └─ c",
  ]);
});

test("other models have no hierarchy", () => {
  expect(hierarchyOf({ kernel: "rbf" })).toEqual([]);
  expect(hierarchyOf({ hierarchy: 3 })).toEqual([]);
  expect(hierarchyOf(null)).toEqual([]);
});
