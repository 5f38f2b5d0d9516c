import {
  factsOf,
  type HierarchyChild,
  type HierarchyNode,
  hierarchyOutline,
  type OutlineItem,
  type OutlineLine,
  shortNames,
} from "@vouch/report";
import { formatCount, type Json } from "vouch";
import { isRecord } from "./structure.js";

/** So many nodes are shown, those nearest to the first one: about five levels. */
const MOST_NODES = 31;

/** Names of each list of classes. */
const MOST_NAMES = 3;

/** The nodes in a model's description; none if it has no hierarchy. */
export function hierarchyOf(description: Json): readonly HierarchyNode[] {
  if (!isRecord(description)) return [];
  const { hierarchy } = description;
  if (hierarchy === undefined || !isRecord(hierarchy) || !Array.isArray(hierarchy.nodes)) return [];
  return hierarchy.nodes.filter(isRecord).map((node) => ({
    left: names(node.left),
    right: names(node.right),
    ignored: names(node.ignored),
    margin: Number(node.margin),
    rows: Number(node.rows),
    errors: Number(node.errors),
    leftChild: childOf(node.leftChild),
    rightChild: childOf(node.rightChild),
  }));
}

/**
 * A hierarchy of classes as a tree: at each node the classes on the left and on the right, then what the left and the right
 * lead to.
 *
 *     1  a, b and 48 more | c, d and 40 more
 *     │  100 classes, 8 ignored, margin 0.12, no training row wrong
 *     ├─ 2  a, b | e, f
 *     │     …
 *     └─ c
 */
export function hierarchyLines(nodes: readonly HierarchyNode[]): string[] {
  const lines = hierarchyOutline(nodes, MOST_NODES);
  const left = nodes.length > MOST_NODES ? [`${formatCount(nodes.length, "node")} in all (see --json)`] : [];
  return [...lines.flatMap(linesOf), ...left];
}

function linesOf({ item, last }: OutlineLine): string[] {
  const stem = last
    .slice(0, -1)
    .map((isLast) => (isLast ? "   " : "│  "))
    .join("");
  const own = last.at(-1);
  const [first, next] = own === undefined ? ["", ""] : own ? ["└─ ", "   "] : ["├─ ", "│  "];
  return textOf(item).map((text, i) => stem + (i === 0 ? first : next) + text);
}

function textOf(item: OutlineItem): string[] {
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
        `│  ${factsOf(item.node)}`,
      ];
    }
  }
}

function names(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function childOf(value: Json | undefined): HierarchyChild {
  if (value !== undefined && isRecord(value)) {
    return "node" in value ? { node: Number(value.node) } : { class: String(value.class) };
  }
  return { class: "?" };
}
