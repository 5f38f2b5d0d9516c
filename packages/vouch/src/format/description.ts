import type {
  CurveSection,
  DescribedImage,
  Description,
  DescriptionSection,
  Fact,
  HierarchySection,
  ImageSection,
  ImportanceSection,
  LayerSection,
  TableSection,
  TreeNode,
  TreeSplit,
} from "@vouch/core/internal/learners/description";
import {
  formatCount,
  formatNumber,
  formatPercent,
  formatValue,
} from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import {
  hierarchyOutline,
  nodeSummary,
  type OutlineItem,
  type OutlineLine,
  shortNames,
} from "@vouch/views/internal/facts/model/hierarchy-outline";
import { countSplits, largestShares, shownSplits } from "@vouch/views/internal/facts/model/tree-outline";
import { printable } from "../process/terminal.js";
import { alignedTable } from "./aligned-table.js";

/** Maximum number of table rows or features to show. */
const MOST_ROWS = 20;

/** Width of a curve or distribution, in characters. */
const CELLS = 32;
const MARGIN_CELLS = 16;
const BARS = "▁▂▃▄▅▆▇█";

/** Maximum number of hierarchy nodes to show, nearest to the root first: about five levels. */
const MOST_NODES = 31;

/** Maximum number of class names per list. */
const MOST_NAMES = 3;

/** Formats a description as blocks of text: facts first, then each section under its title. */
export function descriptionLines(
  { facts, sections }: Description,
  columns: number,
  bold: (text: string) => string,
): string[] {
  return [
    ...(facts.length > 0 ? [factLines(facts, columns)] : []),
    ...sections.map((section) => `${bold(section.title)}\n${sectionLines(section, columns)}`),
  ];
}

/** Draws a section by its kind. */
export function sectionLines(section: DescriptionSection, columns: number): string {
  switch (section.kind) {
    case "table":
      return tableLines(section, columns);
    case "tree":
      return indented(treeLines(section.root, "", shownSplits(section.root)));
    case "curve":
      return curveLines(section, columns);
    case "importance":
      return importanceLines(section, columns);
    case "layers":
      return layerLines(section, columns);
    case "hierarchy":
      return indented(hierarchyLines(section));
    case "images":
      return imageSectionLines(section);
  }
}

function factLines(facts: readonly Fact[], columns: number): string {
  const rows = facts.map(({ name, value, unit }) => [name, formatValue(value, unit)]);
  return alignedTable([{ title: "" }, { title: "" }], rows, columns);
}

function tableLines({ columns: titles, rows }: TableSection, columns: number): string {
  const shown = rows.slice(0, MOST_ROWS);
  const headings = titles.map(({ name }, c) => ({
    title: name,
    right: shown.every((row) => typeof row[c] === "number"),
  }));
  const cells = shown.map((row, i) => [i + 1, ...row.map((value, c) => formatValue(value, titles[c].unit))]);
  return alignedTable([{ title: "" }, ...headings], cells, columns) + more(rows.length - shown.length);
}

function more(hidden: number): string {
  return hidden > 0 ? `\n  … and ${formatNumber(hidden)} more (see --json)` : "";
}

/**
 * Draws a tree: at each split the condition, then where each outcome leads.
 *
 *     600 rows: distance from the boundary ≤ 0.7591 (fraction passed on 60%)
 *     ├─ stays, 240 rows: polynomial kernel of degree 2
 *     │  right 239, wrong 1, complexity cost 0.12 (cap 0.97)
 *     └─ goes on, 360 rows: polynomial kernel of degree 3
 *        right 357, wrong 3, complexity cost 0.16 (cap 0.97)
 */
function treeLines(node: TreeNode, outcome: string, shown: ReadonlySet<TreeSplit>): string[] {
  const start = [outcome, ...(node.rows === undefined ? [] : [formatCount(node.rows, "row")])]
    .filter((part) => part !== "")
    .join(", ");
  const isFolded = node.kind === "leaf" ? node.hiddenSplits !== undefined : !shown.has(node);
  if (isFolded) {
    const mostly = node.label === undefined ? "" : `, most often ${visibleSpaces(node.label)}`;
    return [titled(start, `… ${formatCount(countSplits(node), "more split")}${mostly}`)];
  }
  const facts = node.facts.map(({ name, value, unit }) => `${name} ${formatValue(value, unit)}`).join(", ");
  if (node.kind === "leaf") {
    const shares = largestShares(node).map(
      (one) => `${visibleSpaces(one.class)} ${formatPercent(one.share)}`,
    );
    const label =
      shares.length > 0 ? `${visibleSpaces(node.label)} (${shares.join(", ")})` : visibleSpaces(node.label);
    return [titled(start, label), ...(facts === "" ? [] : [facts])];
  }
  const last = node.branches.length - 1;
  return [
    titled(start, facts === "" ? node.condition : `${node.condition} (${facts})`),
    ...node.branches.flatMap((branch, i) =>
      treeLines(branch.node, branch.outcome, shown).map((line, k) =>
        k === 0 ? `${i < last ? "├─ " : "└─ "}${line}` : `${i < last ? "│  " : "   "}${line}`,
      ),
    ),
  ];
}

function titled(start: string, text: string): string {
  return printable(start === "" ? text : `${start}: ${text}`);
}

/** Draws each series of a curve as bars, with its first, smallest and last value. */
function curveLines({ step, quantity, series }: CurveSection, columns: number): string {
  const shown = series.filter(({ values }) => values.length > 0);
  const format = quantity === "error" ? formatPercent : formatNumber;
  const steps = Math.max(...shown.map(({ values }) => values.length));
  const headings = [
    { title: "" },
    { title: "first", right: true },
    { title: "smallest", right: true },
    { title: "last", right: true },
    { title: formatCount(steps, step), whole: true },
  ];
  const rows = shown.map(({ name, values }) => [
    name,
    format(values[0]),
    format(Math.min(...values.filter(Number.isFinite))),
    format(values[values.length - 1]),
    sparkline(values),
  ]);
  return alignedTable(headings, rows, columns);
}

/** Draws up to 32 evenly spaced values as bars from the smallest to the largest. */
function sparkline(values: readonly number[]): string {
  const cells = Math.min(CELLS, values.length);
  const stride = cells > 1 ? (values.length - 1) / (cells - 1) : 0;
  const drawn = Array.from({ length: cells }, (_, i) => values[Math.round(i * stride)]);
  const finite = drawn.filter(Number.isFinite);
  const low = Math.min(...finite);
  const span = Math.max(...finite) - low;
  return drawn
    .map((value) => {
      if (!Number.isFinite(value)) return " ";
      return BARS[span > 0 ? Math.round(((value - low) / span) * (BARS.length - 1)) : 0];
    })
    .join("");
}

/** Lists the largest shares, and counts the features that the model does not use. */
function importanceLines({ features }: ImportanceSection, columns: number): string {
  const used = features.filter(({ share }) => share !== 0);
  const shown = used.slice(0, MOST_ROWS);
  const rows = shown.map(({ name, share }) => [name, formatPercent(share)]);
  const unused = features.length - used.length;
  return [
    ...(rows.length > 0
      ? [alignedTable([{ title: "" }, { title: "share", right: true }], rows, columns)]
      : []),
    ...(used.length > shown.length ? [more(used.length - shown.length).slice(1)] : []),
    ...(unused > 0 ? [`  … ${formatNumber(unused)} ${rows.length > 0 ? "others have" : "have"} 0%`] : []),
  ].join("\n");
}

/**
 * Shows how the margin distribution moves from layer to layer, with the distribution from −1 to 1 as bars to one scale.
 *
 *     layer      α  accuracy    mean  variance       λ  median  −1 to 1
 *         1      1    93.5%  0.5612   0.07318   0.482    0.62  ·····▁▁▁▁▂▂▄▆█▅▂
 *         2  0.843    95.1%  0.6234   0.06101   0.396    0.71  ······▁▁▁▁▁▂▄▇█▆
 */
function layerLines({ layers }: LayerSection, columns: number): string {
  const histograms = layers.map(({ margins }) => histogram(margins.quantiles));
  const largest = Math.max(...histograms.flat());
  const rows = layers.map(({ name, alpha, outOfFoldAccuracy, margins }, i) => [
    name,
    formatNumber(alpha),
    formatPercent(outOfFoldAccuracy),
    formatNumber(margins.mean),
    formatNumber(margins.variance),
    formatNumber(margins.ratio),
    formatNumber(margins.quantiles[margins.quantiles.length >> 1]),
    histograms[i].map((count) => bar(count, largest)).join(""),
  ]);
  const numbers = ["α", "accuracy", "mean", "variance", "λ", "median"];
  const headings = [
    { title: "layer" },
    ...numbers.map((title) => ({ title, right: true })),
    { title: "−1 to 1", whole: true },
  ];
  return alignedTable(headings, rows, columns);
}

/** Counts margins in equal bins from −1 to 1. */
function histogram(margins: readonly number[]): number[] {
  const counts = new Array<number>(MARGIN_CELLS).fill(0);
  for (const margin of margins) {
    const cell = Math.floor(((margin + 1) / 2) * MARGIN_CELLS);
    counts[Math.max(0, Math.min(MARGIN_CELLS - 1, cell))]++;
  }
  return counts;
}

/** Returns a bar of one of eight heights relative to the largest count; a dot for zero. */
function bar(count: number, largest: number): string {
  return count === 0 ? "·" : BARS[Math.ceil((count / largest) * BARS.length) - 1];
}

/**
 * Draws a hierarchy of classes as a tree: at each node the classes on either side, then where the left and the right lead.
 *
 *     1  a, b and 48 more | c, d and 40 more
 *     │  100 classes, 8 ignored, margin 0.12, no training error
 *     ├─ 2  a, b | e, f
 *     │     …
 *     └─ c
 */
function hierarchyLines({ nodes }: HierarchySection): string[] {
  const lines = hierarchyOutline(nodes, MOST_NODES);
  const rest =
    nodes.length > MOST_NODES ? [`${formatCount(nodes.length, "node")} in total (see --json)`] : [];
  return [...lines.flatMap(outlineLines), ...rest];
}

function outlineLines({ item, last }: OutlineLine): string[] {
  const stem = last
    .slice(0, -1)
    .map((isLast) => (isLast ? "   " : "│  "))
    .join("");
  const own = last.at(-1);
  const [first, next] = own === undefined ? ["", ""] : own ? ["└─ ", "   "] : ["├─ ", "│  "];
  return itemLines(item).map((text, i) => stem + (i === 0 ? first : next) + text);
}

function itemLines(item: OutlineItem): string[] {
  switch (item.kind) {
    case "class":
      return [item.name];
    case "again":
      return [`→ ${item.number}`];
    case "folded":
      return [`… ${shortNames(item.classes, MOST_NAMES)}: ${formatCount(item.nodes, "more node")}`];
    case "node": {
      const { left, right, ignored } = item.node;
      const ignores = ignored.length > 0 ? `; ignores ${shortNames(ignored, MOST_NAMES)}` : "";
      return [
        `${item.number}  ${shortNames(left, MOST_NAMES)} | ${shortNames(right, MOST_NAMES)}${ignores}`,
        `│  ${nodeSummary(item.node)}`,
      ];
    }
  }
}

/** Characters with two pixels each: the upper and the lower half. */
const HALVES = [" ", "▄", "▀", "█"];

/** Minimum magnitude, out of 100, of a drawn pixel. */
const STRONG = 35;

/** Maximum number of images to show. */
const MOST_IMAGES = 4;

function imageSectionLines({ images, width, total }: ImageSection): string {
  const shown = images.slice(0, MOST_IMAGES);
  return indented(shown.flatMap((image) => imageLines(image, width))) + more(total - shown.length);
}

/** Draws the strong pixels of an image under its name, regardless of sign. */
function imageLines({ name, values }: DescribedImage, width: number): string[] {
  const isStrong = (row: number, column: number) => Math.abs(values[row * width + column] ?? 0) >= STRONG;
  const lines = Array.from({ length: Math.ceil(values.length / width / 2) }, (_, pair) =>
    Array.from(
      { length: width },
      (_, column) => HALVES[2 * Number(isStrong(2 * pair, column)) + Number(isStrong(2 * pair + 1, column))],
    ).join(""),
  );
  return [printable(name), ...lines.map((line) => line.trimEnd())];
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}
