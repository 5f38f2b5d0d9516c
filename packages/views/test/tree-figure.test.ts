import { describe, expect, it } from "vitest";
import type { TreeNode, TreeSection } from "vouch/train";
import { treeFigure } from "#report/tree-figure.js";
import { leaf, sections } from "./example-report.js";
import { parsed } from "./parsed.js";

const tree = (root: TreeNode): TreeSection => ({ kind: "tree", title: "tree", root });

const [cascade] = sections.filter((section) => section.kind === "tree");

const bars = (section: TreeSection) =>
  [...parsed(treeFigure(section).text).querySelectorAll(".flow")].map((bar) => bar.getAttribute("style"));

describe("the picture of a tree", () => {
  it("has a branch for each outcome and a bar for each leaf, as long as its share of the rows", () => {
    const page = parsed(treeFigure(cascade).text);
    expect(page.querySelectorAll(".tree > li > ul > li")).toHaveLength(2);
    expect(bars(cascade)).toEqual([0.4, 0.6].map((share) => `width:calc(${share}*var(--bar))`));
  });

  it("measures the bars of all depths by the same width", () => {
    const branches = [
      { outcome: "stays", node: leaf(60) },
      { outcome: "goes on", node: cascade.root },
    ];
    expect(bars(tree({ kind: "split", rows: 600, condition: "x", facts: [], branches }))).toEqual(
      [0.1, 0.4, 0.6].map((share) => `width:calc(${share}*var(--bar))`),
    );
  });

  it("writes conditions, outcomes and facts", () => {
    const text = (parsed(treeFigure(cascade).text).body.textContent ?? "").replaceAll("\u00a0", " ");
    expect(text).toContain("600 training rows: distance ≤ 0.76");
    expect(text).toContain("fraction passed on 60.0 %");
    expect(text).toContain("stays: 240 rows");
    expect(text).toContain("right 239, wrong 1");
  });

  it("divides the bar of a class distribution by class", () => {
    const shares = [
      { class: "a", share: 0.25 },
      { class: "b", share: 0.75 },
    ];
    const page = parsed(treeFigure(tree({ kind: "leaf", label: "b", rows: 4, facts: [], shares })).text);
    const parts = [...page.querySelectorAll(".flow span")].map((part) => part.getAttribute("style"));
    expect(parts).toEqual(["width:25%", "width:75%"]);
    expect(page.body.textContent).toContain("(b 75.0\u00a0%, a 25.0\u00a0%)");
    expect([...page.querySelectorAll(".legend li")].map(({ textContent }) => textContent)).toEqual([
      "a",
      "b",
    ]);
  });

  it("folds small branches of a large tree and counts what they hide", () => {
    const chain = (depth: number): TreeNode =>
      depth === 0
        ? { kind: "leaf", label: "end", rows: 1, hiddenSplits: 7, facts: [] }
        : {
            kind: "split",
            condition: `x ≤ ${depth}`,
            rows: depth + 1,
            label: "end",
            facts: [],
            branches: [
              { outcome: "yes", node: { ...leaf(1) } },
              { outcome: "no", node: chain(depth - 1) },
            ],
          };
    const page = parsed(treeFigure(tree(chain(40))).text);
    expect(page.querySelector("p")?.textContent).toContain("6 of 47 splits are shown");
    expect(page.querySelectorAll("details")).toHaveLength(34);
    expect(page.querySelector("summary")?.textContent).toContain("41 splits, most often end");
    expect(page.body.textContent).toContain("7 splits, most often end; not shown");
  });

  it("is a single bar if there is no split, also without rows", () => {
    const text = treeFigure(tree({ ...leaf(1), rows: 0 })).text;
    expect(text).not.toContain("NaN");
    expect(parsed(text).querySelectorAll(".flow")).toHaveLength(1);
  });
});
