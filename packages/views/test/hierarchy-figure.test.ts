import { hierarchyOutline, nodeFacts, shortNames } from "@vouch/report/outline";
import { describe, expect, it } from "vitest";
import type { DescribedNode } from "vouch/train";
import { hierarchyFigure } from "#report/hierarchy-figure.js";
import { parsed } from "./parsed.js";

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

describe("the figure of a hierarchy", () => {
  it("tells of each node its sides, what it ignores, its margin or its errors", () => {
    expect(nodes.slice(0, 2).map(nodeFacts)).toEqual([
      "4 classes, 2 ignored, margin 0.25, no training error",
      "3 classes, 2 of 30 training rows misclassified",
    ]);
    const figure = parsed(hierarchyFigure(nodes)?.text ?? "");
    const entries = [...figure.querySelectorAll(".wide g")];
    expect(entries).toHaveLength(9);
    expect(entries[0].querySelector("title")?.textContent).toBe(
      "Node 1: 4 classes, 2 ignored, margin 0.25, no training error\nLeft: a\nRight: d\nIgnored: b, c",
    );
    expect(entries[3].textContent).toContain("<c>");
  });

  it("is readable for a hundred classes: few lines, whose text fits their width", () => {
    const figure = parsed(hierarchyFigure(hundredClasses())?.text ?? "");
    for (const width of ["wide", "narrow"]) {
      const texts = [...figure.querySelectorAll(`.${width} text`)];
      expect(texts.length).toBeLessThan(120);
      const room = width === "wide" ? 704 : 340;
      for (const text of texts) {
        const length = (text.textContent ?? "").length;
        expect(Number(text.getAttribute("x")) + 6 * length).toBeLessThanOrEqual(room + 12);
      }
    }
    // However little room there is, the counts are there: 1 of 50 classes is written, 49 are not.
    const [first] = figure.querySelectorAll(".narrow text");
    expect(first.textContent).toMatch(/^1 Class_number_0 \+49 \| Class_number_50 \+49$/);
    const all = [...figure.querySelectorAll(".wide title")].map((title) => title.textContent ?? "").join();
    for (let k = 0; k < 100; k++) expect(all).toContain(`Class_number_${k}`);
  });

  it("does not cut names within a character", () => {
    const [first] = nodes;
    const ends = { leftChild: { class: "x" }, rightChild: { class: "y" } };
    const long = { ...first, ...ends, left: ["👩‍👩‍👧‍👦".repeat(60)], right: ["é́".repeat(60)], ignored: [] };
    const figure = parsed(hierarchyFigure([long])?.text ?? "");
    const [left, right] = [...figure.querySelectorAll(".narrow tspan")].flatMap(({ textContent }) =>
      /[👩é]/u.test(textContent ?? "") ? [textContent ?? ""] : [],
    );
    expect(left).toMatch(/^(👩‍👩‍👧‍👦){5,40}…$/u);
    expect(right).toMatch(/^(é́){5,40}…$/u);
  });

  it("is absent without nodes", () => {
    expect(hierarchyFigure([])).toBeUndefined();
  });
});
