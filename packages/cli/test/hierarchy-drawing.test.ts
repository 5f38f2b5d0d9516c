import { expect, test } from "vitest";
import type { Json } from "vouch";
import { hierarchyLines, hierarchyOf } from "#cli/hierarchy-drawing.js";

const description: Json = {
  kernel: "rbf",
  hierarchy: {
    nodes: [
      {
        left: ["a"],
        right: ["c"],
        ignored: ["b"],
        margin: 0.25,
        rows: 20,
        errors: 0,
        leftChild: { node: 2 },
        rightChild: { node: 3 },
      },
      {
        left: ["a"],
        right: ["b"],
        ignored: [],
        margin: 1,
        rows: 20,
        errors: 0,
        leftChild: { class: "a" },
        rightChild: { class: "b" },
      },
      {
        left: ["b"],
        right: ["c"],
        ignored: [],
        margin: -1,
        rows: 20,
        errors: 1,
        leftChild: { class: "b" },
        rightChild: { class: "c" },
      },
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
