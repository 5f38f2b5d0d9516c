import type {
  SplitDistribution,
  TreeLeaf,
  TreeNode,
  TreeSection,
} from "@vouch/core/internal/learners/description";
import { TreeFigure } from "@vouch/views";
import { describe, expect, it } from "vitest";
import { numbers, rendered, textOf, texts } from "./rendered.js";

const leaf = (rows: number, changes: Partial<TreeLeaf> = {}): TreeLeaf => ({
  kind: "leaf",
  label: "end",
  rows,
  facts: [],
  ...changes,
});

const tree = (root: TreeNode): TreeSection => ({ kind: "tree", title: "tree", root });

const figure = (root: TreeNode) => <TreeFigure section={tree(root)} />;

const distribution: SplitDistribution = {
  feature: "x",
  cells: { edges: [0, 1, 2, 4] },
  first: 2,
  classes: [
    { class: "a", counts: [3, 1, 0] },
    { class: "b", counts: [0, 0, 4] },
  ],
};

const pure = (name: string) => [
  { class: "a", share: Number(name === "a") },
  { class: "b", share: Number(name === "b") },
];

const split: TreeNode = {
  kind: "split",
  condition: "x ≤ 2",
  rows: 8,
  label: "a",
  facts: [],
  distribution,
  branches: [
    { outcome: "yes", node: leaf(4, { label: "a", shares: pure("a") }) },
    { outcome: "no", node: leaf(4, { label: "b", shares: pure("b") }) },
  ],
};

describe("the picture of a tree", () => {
  const page = rendered(figure(split));

  it("draws the rows of each class along the feature: heights to scale, the threshold at its place", () => {
    const bars =
      [...page.querySelectorAll(".tree-picture .cut")][0].parentElement?.querySelectorAll("rect") ?? [];
    const heights = [...bars].map((bar) => Number(bar.getAttribute("height")));
    expect(heights).toHaveLength(3);
    expect(heights[1] / heights[0]).toBeCloseTo(1 / 3, 1);
    expect(heights[2] / heights[0]).toBeCloseTo(4 / 3, 1);
    expect([...bars].map((bar) => bar.getAttribute("class"))).toEqual(["class0", "class0", "class1"]);
    // Half of the axis from 0 to 4.
    const [cut] = numbers(page, ".tree-picture .cut", "x1");
    const [end] = numbers(page, ".tree-picture .axis", "x2");
    expect(cut / end).toBeCloseTo(0.5, 5);
    expect(texts(page, ".tree-picture .numbers text")).toEqual(["2", "0", "4"]);
  });

  it("says the same in words: ranges of the classes, conditions, outcomes and leaves", () => {
    expect(page.querySelector(".split-picture")?.getAttribute("aria-label")).toBe("x: a 0 to 2, b 2 to 4");
    const text = textOf(figure(split));
    expect(text).toContain("8 training rows: x ≤ 2");
    expect(text).toContain("yes: 4 rows: a");
    expect(texts(page, ".legend li")).toEqual(["a", "b"]);
  });

  it("draws categories with a gap between the sides", () => {
    const cells = { names: ["red", "blue", "green"] };
    const categories = { ...split, condition: "x is red or blue", distribution: { ...distribution, cells } };
    const drawn = rendered(figure(categories));
    const bars = numbers(drawn, ".split-picture rect", "x");
    expect(bars[2] - bars[1]).toBeGreaterThan(bars[1] - bars[0] + 5);
    expect(drawn.querySelector(".split-picture")?.getAttribute("aria-label")).toBe(
      "x: a most often red, b most often green",
    );
    expect(drawn.querySelectorAll(".split-picture .numbers")).toHaveLength(0);
  });

  it("draws at most eight ends of a large tree, and counts what is below them", () => {
    const balanced = (depth: number): TreeNode =>
      depth === 0
        ? leaf(1, { shares: pure("a") })
        : {
            ...split,
            rows: 2 ** depth,
            branches: [
              { outcome: "yes", node: balanced(depth - 1) },
              { outcome: "no", node: balanced(depth - 1) },
            ],
          };
    const drawn = rendered(figure(balanced(5)));
    expect(texts(drawn, ".tree-picture .folded")).toHaveLength(8);
    expect(texts(drawn, ".tree-picture .muted").filter((text) => text === "3 more splits")).toHaveLength(8);
  });
});

describe("the outline of a tree", () => {
  const bars = (root: TreeNode) =>
    [...rendered(figure(root)).querySelectorAll(".flow")].map((bar) => bar.getAttribute("style"));

  it("measures the bars of all depths by the same width", () => {
    const inner: TreeNode = {
      ...split,
      rows: 600,
      branches: [
        { outcome: "yes", node: leaf(60) },
        {
          outcome: "no",
          node: {
            ...split,
            rows: 540,
            branches: [
              { outcome: "yes", node: leaf(240) },
              { outcome: "no", node: leaf(300) },
            ],
          },
        },
      ],
    };
    expect(bars(inner)).toEqual([0.1, 0.4, 0.5].map((share) => `width:calc(${share}*var(--flow-width))`));
  });

  it("divides the bar of a class distribution by class", () => {
    const shares = [
      { class: "a", share: 0.25 },
      { class: "b", share: 0.75 },
    ];
    const root = leaf(4, { label: "b", shares });
    const parts = [...rendered(figure(root)).querySelectorAll(".flow rect")];
    expect(parts.map((part) => part.getAttribute("width"))).toEqual(["25%", "75%"]);
    expect(textOf(figure(root))).toContain("(b 75.0%, a 25.0%)");
  });

  it("folds small branches of a large tree and counts what they hide", () => {
    const chain = (depth: number): TreeNode =>
      depth === 0
        ? leaf(1, { hiddenSplits: 7 })
        : {
            kind: "split",
            condition: `x ≤ ${depth}`,
            rows: depth + 1,
            label: "end",
            facts: [],
            branches: [
              { outcome: "yes", node: leaf(1) },
              { outcome: "no", node: chain(depth - 1) },
            ],
          };
    const page = rendered(figure(chain(40)));
    expect(texts(page, "p")[0]).toContain("6 of 47 splits are listed");
    expect(page.querySelectorAll(".tree details")).toHaveLength(34);
    expect(texts(page, ".tree summary")[0]).toContain("41 splits, most often end");
    expect(textOf(figure(chain(40)))).toContain("7 splits, most often end; not shown");
  });

  it("is a single bar if there is no split, also without rows", () => {
    expect(textOf(figure(leaf(0)))).not.toContain("NaN");
    expect(bars(leaf(0))).toHaveLength(1);
  });
});

describe("the flow through a cascade", () => {
  const cascade: TreeSection = {
    ...tree({
      kind: "split",
      condition: "distance ≤ 0.76",
      rows: 600,
      facts: [{ name: "fraction passed on", value: 0.6, unit: "share" }],
      branches: [
        { outcome: "stays", node: leaf(240, { label: "linear", wrong: 24 }) },
        { outcome: "goes on", node: leaf(360, { label: "cubic", wrong: 0 }) },
      ],
    }),
    gates: true,
  };
  const page = rendered(<TreeFigure section={cascade} />);

  it("is as wide as the rows: gates, what stays and what goes on, and errors", () => {
    const widths = (name: string) => numbers(page, `.wide .cascade .${name}`, "width");
    expect(widths("gate")).toEqual([374]);
    expect(widths("right")).toEqual([149.6, 224.4]);
    expect(widths("kept")).toEqual([149.6, 224.4]);
    expect(widths("wrong")).toEqual([15]);
    expect(numbers(page, ".wide .cascade .right", "x")).toEqual([330, 479.6]);
  });

  it("is told in words, for the ear and as an outline", () => {
    expect(page.querySelector(".wide .cascade")?.getAttribute("aria-label")?.replaceAll("\u00a0", " ")).toBe(
      "Cascade. Gate: distance ≤ 0.76: 600 rows: 240 stay, 360 go on (60.0%). linear: 240 rows stay, 24 wrong. cubic: 360 rows arrive, 0 wrong.",
    );
    expect(textOf(<TreeFigure section={cascade} />)).toContain("fraction passed on 60.0%");
  });

  it("says so if there is no gate", () => {
    const single = { ...cascade, root: leaf(10, { label: "linear", wrong: 1 }) };
    expect(textOf(<TreeFigure section={single} />)).toContain("one classifier answers all rows");
  });
});
