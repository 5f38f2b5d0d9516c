import type { DescribedNode } from "@vouch/core/internal/learners/description";
import { HierarchyFigure } from "@vouch/views";
import {
  hierarchyOutline,
  nodeSummary,
  shortNames,
} from "@vouch/views/internal/facts/model/hierarchy-outline";
import { describe, expect, it } from "vitest";
import { numbers, rendered, textOf, texts } from "./rendered.js";

/** Four classes: b is ignored at the first node, so that two nodes lead to the one of b and c. */
const nodes: readonly DescribedNode[] = [
  {
    left: ["a"],
    right: ["d"],
    ignored: ["b", "c"],
    margin: 0.25,
    rows: 20,
    errors: 0,
    leftChild: { node: 2 },
    rightChild: { node: 3 },
  },
  {
    left: ["a"],
    right: ["b", "c"],
    ignored: [],
    margin: -0.5,
    rows: 30,
    errors: 2,
    leftChild: { class: "a" },
    rightChild: { node: 4 },
  },
  {
    left: ["b", "c"],
    right: ["d"],
    ignored: [],
    margin: 1,
    rows: 30,
    errors: 0,
    leftChild: { node: 4 },
    rightChild: { class: "d" },
  },
  {
    left: ["b"],
    right: ["<c>"],
    ignored: [],
    margin: 1,
    rows: 20,
    errors: 0,
    leftChild: { class: "b" },
    rightChild: { class: "<c>" },
  },
];

/** A balanced tree of a hundred classes. */
function hundredClasses(): DescribedNode[] {
  const found: DescribedNode[] = [];
  const grow = (from: number, to: number): DescribedNode["leftChild"] => {
    const names = Array.from({ length: to - from }, (_, i) => `Class_number_${from + i}`);
    if (names.length === 1) return { class: names[0] };
    const half = names.length >> 1;
    const number = found.length + 1;
    const node = {
      left: names.slice(0, half),
      right: names.slice(half),
      ignored: [],
      margin: 1,
      rows: 9,
      errors: 0,
    };
    found.push({ ...node, leftChild: { class: "" }, rightChild: { class: "" } });
    const leftChild = grow(from, from + half);
    found[number - 1] = { ...node, leftChild, rightChild: grow(from + half, to) };
    return { node: number };
  };
  grow(0, 100);
  return found;
}

describe("the outline of a hierarchy", () => {
  it("has each node once, left before right, and says where a node is reached again", () => {
    const lines = hierarchyOutline(nodes, 10).map(({ item, last }) => {
      const depth = last.length;
      if (item.kind === "class") return `${depth} ${item.name}`;
      return item.kind === "folded" ? `${depth} folded` : `${depth} ${item.kind} ${item.number}`;
    });
    expect(lines).toEqual([
      "0 node 1",
      "1 node 2",
      "2 a",
      "2 node 4",
      "3 b",
      "3 <c>",
      "1 node 3",
      "2 again 4",
      "2 d",
    ]);
  });

  it("folds what there is no room for, nearest nodes first", () => {
    const items = hierarchyOutline(nodes, 3).map(({ item }) => item);
    expect(items.filter(({ kind }) => kind === "node")).toHaveLength(3);
    const folded = items.filter((item) => item.kind === "folded");
    expect(folded).toEqual([
      { kind: "folded", classes: ["b", "<c>"], nodes: 1 },
      { kind: "folded", classes: ["b", "<c>"], nodes: 1 },
    ]);
    const hundred = hierarchyOutline(hundredClasses(), 31).flatMap(({ item }) =>
      item.kind === "folded" ? [item.classes.length] : [],
    );
    expect(hundred.reduce((sum, classes) => sum + classes, 0)).toBe(100);
  });

  it("shortens lists of names", () => {
    expect(shortNames(["a", "b", "c"], 2)).toBe("a, b, c");
    expect(shortNames(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
  });
});

describe("the graph of a hierarchy", () => {
  const page = rendered(<HierarchyFigure nodes={nodes} />);

  it("draws each node once, however many lead to it, and an edge for each side", () => {
    expect(texts(page, ".hierarchy circle + text")).toEqual(["1", "2", "4", "3"]);
    expect(page.querySelectorAll(".hierarchy .edge.left")).toHaveLength(4);
    expect(page.querySelectorAll(".hierarchy .edge.right")).toHaveLength(4);
    expect(texts(page, ".hierarchy > g > text:not(.classes)").filter((text) => /\D/.test(text))).toEqual([
      "a",
      "b",
      "<c>",
      "d",
    ]);
  });

  it("leads from left to right: no edge goes back", () => {
    const edges = [...page.querySelectorAll(".hierarchy .edge")].map((edge) => edge.getAttribute("d") ?? "");
    for (const d of edges) {
      const [start, , , end] = [...d.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x]) => Number(x));
      expect(start).toBeLessThan(end);
    }
  });

  it("marks nodes with training errors, and tells of each node its sides, what it ignores, its margin or its errors", () => {
    expect(nodes.slice(0, 2).map(nodeSummary)).toEqual([
      "4 classes, 2 ignored, margin 0.25, no training error",
      "3 classes, 2 of 30 training rows misclassified",
    ]);
    expect(page.querySelectorAll(".hierarchy .erring")).toHaveLength(1);
    expect(page.querySelector(".hierarchy circle")?.parentElement?.querySelector("title")?.textContent).toBe(
      "Node 1: 4 classes, 2 ignored, margin 0.25, no training error\nLeft: a\nRight: d\nIgnored: b, c",
    );
  });

  it("has an outline that says the same", () => {
    expect(texts(page, ".hierarchy-list li > p").map((text) => text.replace(/ ?\d classes.*/, ""))).toEqual([
      "1: a or d",
      "2: a or b, c",
      "a",
      "4: b or <c>",
      "b",
      "<c>",
      "3: b, c or d",
      "to node 4, listed elsewhere",
      "d",
    ]);
  });

  it("is readable for a hundred classes: fifteen nodes, texts within the picture, all rows apart", () => {
    const large = rendered(<HierarchyFigure nodes={hundredClasses()} />);
    expect(large.querySelectorAll(".hierarchy circle")).toHaveLength(15);
    const ends = [...large.querySelectorAll(".hierarchy text:not([text-anchor])")];
    expect(ends).toHaveLength(16);
    for (const end of ends) {
      expect(Number(end.getAttribute("x")) + 6 * (end.textContent ?? "").length).toBeLessThanOrEqual(704);
    }
    expect(new Set(numbers(large, ".hierarchy text:not([text-anchor])", "y")).size).toBe(16);
    expect(textOf(<HierarchyFigure nodes={hundredClasses()} />)).toContain(
      "99 nodes; the 15 nearest to the root are shown.",
    );
    const all = [...large.querySelectorAll(".hierarchy title")]
      .map((title) => title.textContent ?? "")
      .join();
    for (let k = 0; k < 100; k++) expect(all).toContain(`Class_number_${k}`);
  });

  it("does not cut names within a character", () => {
    const [first] = nodes;
    const family = "👩‍👩‍👧‍👦".repeat(200);
    const ends = { leftChild: { class: family }, rightChild: { class: "y" } };
    const long = rendered(<HierarchyFigure nodes={[{ ...first, ...ends, ignored: [] }]} />);
    expect(texts(long, ".hierarchy text:not(.classes)").find((text) => text.includes("👩"))).toMatch(
      /^(👩‍👩‍👧‍👦){5,90}…$/u,
    );
  });

  it("is absent without nodes", () => {
    expect(textOf(<HierarchyFigure nodes={[]} />)).toBe("");
  });
});
