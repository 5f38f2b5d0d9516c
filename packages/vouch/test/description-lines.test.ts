import type {
  CurveSection,
  DescribedNode,
  DescriptionSection,
  LayerSection,
  TreeLeaf,
} from "@vouch/core/internal/learners/description";
import { describe, expect, it } from "vitest";
import { marginStatistics } from "vouch/theory";
import { descriptionLines, sectionLines } from "#vouch/format/description.js";

const lines = (section: DescriptionSection, columns = 120) => sectionLines(section, columns).split("\n");

const leaf: TreeLeaf = {
  kind: "leaf",
  label: "polynomial kernel of degree 2",
  rows: 12,
  facts: [
    { name: "right", value: 11 },
    { name: "complexity cost", value: "0.12 (cap 0.97)" },
  ],
};

describe("a description on the terminal", () => {
  it("has its facts first, then each section under its title", () => {
    const description = {
      facts: [
        { name: "units per layer", value: [4, 12, 3] },
        { name: "training error", value: 0.05, unit: "share" as const },
        { name: "converged", value: true },
      ],
      sections: [{ kind: "tree" as const, title: "cascade", root: leaf }],
    };
    expect(descriptionLines(description, 80, (text) => `*${text}*`)).toEqual([
      "  units per layer  4, 12, 3\n  training error   5.0%\n  converged        yes",
      "*cascade*\n  12 rows: polynomial kernel of degree 2\n  right 11, complexity cost 0.12 (cap 0.97)",
    ]);
  });

  it("draws a tree with a branch for each outcome", () => {
    const inner = {
      kind: "split" as const,
      condition: "distance ≤ 0.1",
      rows: 8,
      facts: [{ name: "fraction passed on", value: 0.5, unit: "share" as const }],
      branches: [
        { outcome: "stays", node: { ...leaf, rows: 4 } },
        { outcome: "goes on", node: { ...leaf, rows: 4, facts: [] } },
      ],
    };
    const root = {
      ...inner,
      rows: 20,
      facts: [],
      branches: [
        { outcome: "stays", node: leaf },
        { outcome: "goes on", node: inner },
      ],
    };
    expect(lines({ kind: "tree", title: "cascade", root })).toEqual([
      "  20 rows: distance ≤ 0.1",
      "  ├─ stays, 12 rows: polynomial kernel of degree 2",
      "  │  right 11, complexity cost 0.12 (cap 0.97)",
      "  └─ goes on, 8 rows: distance ≤ 0.1 (fraction passed on 50.0%)",
      "     ├─ stays, 4 rows: polynomial kernel of degree 2",
      "     │  right 11, complexity cost 0.12 (cap 0.97)",
      "     └─ goes on, 4 rows: polynomial kernel of degree 2",
    ]);
  });

  it("draws curves as bars from the smallest to the largest value", () => {
    const curve: CurveSection = {
      kind: "curve",
      title: "error",
      step: "round",
      quantity: "error",
      series: [{ role: "train", name: "training rows", values: [0.5, 0.25, 0, 0.5] }],
    };
    expect(lines(curve)).toEqual([
      "                 first  smallest   last  4 rounds",
      "  training rows  50.0%        0%  50.0%  █▅▁█",
    ]);
  });

  it("lists tables with numbers flush right, and counts what is not shown", () => {
    const rows = Array.from({ length: 25 }, (_, i) => [`machine ${i}`, i / 100]);
    const table = lines({
      kind: "table",
      title: "machines",
      columns: [{ name: "classes" }, { name: "error", unit: "share" }],
      rows,
    });
    expect(table.slice(0, 3)).toEqual([
      "      classes     error",
      "   1  machine 0      0%",
      "   2  machine 1    1.0%",
    ]);
    expect(table.at(-1)).toBe("  … and 5 more (see --json)");
  });
});

describe("the table of layers", () => {
  const section = (...margins: readonly number[][]): LayerSection => ({
    kind: "layers",
    title: "layers",
    layers: margins.map((own, l) => ({
      name: String(l + 1),
      members: ["forest"],
      alpha: 0.5,
      outOfFoldAccuracy: 0.75,
      margins: marginStatistics(own),
    })),
  });

  it("has a line for each layer, with its margins from −1 to 1 as bars to a common scale", () => {
    const spread = Array.from({ length: 101 }, (_, i) => (i < 50 ? -1 : i === 50 ? 0 : 1));
    const same = Array.from({ length: 101 }, () => 0.5);
    // 50 margins of −1, one of 0, 50 of 1 against 101 in one cell: four eighths, an eighth, and all of the height.
    expect(lines(section(spread, same))).toEqual([
      "  layer    α  accuracy  mean  variance  λ  median  −1 to 1",
      "  1      0.5     75.0%     0    0.9901  ∞       0  ▄·······▁······▄",
      "  2      0.5     75.0%   0.5         0  0     0.5  ············█···",
    ]);
  });

  it("fits on 80 columns with long numbers", () => {
    for (const line of lines(section([0.123456, 0.654321, -0.0123456]), 80)) {
      expect([...line].length).toBeLessThanOrEqual(80);
      expect(line).not.toContain("…");
    }
  });
});

describe("the outline of a hierarchy", () => {
  it("has the sides of each node, ignored classes, and margin or errors", () => {
    const node = (left: string, right: string, own: Partial<DescribedNode>): DescribedNode => ({
      left: [left],
      right: [right],
      ignored: [],
      margin: 1,
      rows: 20,
      errors: 0,
      leftChild: { class: left },
      rightChild: { class: right },
      ...own,
    });
    const nodes = [
      node("a", "c", { ignored: ["b"], margin: 0.25, leftChild: { node: 2 }, rightChild: { node: 3 } }),
      node("a", "b", {}),
      node("b", "c", { margin: -1, errors: 1 }),
    ];
    expect(lines({ kind: "hierarchy", title: "class hierarchy", nodes })).toEqual([
      "  1  a | c; ignores b",
      "  │  3 classes, 1 ignored, margin 0.25, no training error",
      "  ├─ 2  a | b",
      "  │  │  2 classes, margin 1, no training error",
      "  │  ├─ a",
      "  │  └─ b",
      "  └─ 3  b | c",
      "     │  2 classes, 1 of 20 training rows misclassified",
      "     ├─ b",
      "     └─ c",
    ]);
  });

  it("draws the strong pixels of a few images, two to a cell", () => {
    const image = { name: "unit 2", values: [100, 0, 10, -60, -70, 0] };
    const section = { kind: "images" as const, title: "filters", width: 2, height: 3, total: 6 };
    expect(lines({ ...section, images: [image] })).toEqual([
      "  unit 2",
      "  ▀▄",
      "  ▀",
      "  … and 5 more (see --json)",
    ]);
  });
});

describe("importance", () => {
  it("lists the features that the model uses, and counts the others", () => {
    const features = [
      { name: "age", share: 0.75 },
      { name: "income", share: 0.25 },
      { name: "id", share: 0 },
      { name: "region", share: 0 },
    ];
    const section = { kind: "importance" as const, title: "column importance", features };
    expect(sectionLines(section, 80).split("\n")).toEqual([
      "          share",
      "  age     75.0%",
      "  income  25.0%",
      "  … 2 others have 0%",
    ]);
  });
});
