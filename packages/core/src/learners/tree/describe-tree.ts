import { NODE_WORDS } from "../../runtime/wasm/wasm-exports.js";
import type { SplitDistribution, TreeLeaf, TreeNode } from "../description.js";
import { indexOfLargest } from "../scores.js";
import type { SplitDistributions } from "./split-distributions.js";
import { type SplitColumn, splitInWords } from "./split-words.js";
import { FEATURE_SHIFT, type TreeSet } from "./tree-set.js";

/** Splits of a description, those with the most rows; more would help nobody and take long to write. */
const MOST_SPLITS = 500;

/** A tree with everything that its picture shows. */
export interface PicturedTree {
  /** A set of this one tree. */
  readonly trees: TreeSet;
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly nodeRows: Int32Array;
  readonly nodeClasses: Int32Array;
  readonly thresholds: Float64Array;
  readonly splitColumns: readonly SplitColumn[];
  readonly distributions: SplitDistributions;
}

/** What a picture shows. */
interface PictureOptions {
  /** Splits, those with the most rows. */
  readonly mostSplits?: number;
  /** Describes a leaf, if it does not hold class shares. */
  readonly leaf?: (node: number) => Pick<TreeLeaf, "label" | "shares">;
}

/** Describes a tree by its splits in words, and its leaves by their class shares. */
export function pictureOf(
  model: PicturedTree,
  { mostSplits = MOST_SPLITS, leaf = (node) => sharesOf(model, node) }: PictureOptions = {},
): TreeNode {
  const lefts = model.trees.leftChildren(0);
  const columns = new Map(model.splitColumns.map((column) => [column.feature, column]));
  const splitsBelow = countSplits(lefts);
  const shown = largestSplits(lefts, model.nodeRows, mostSplits);
  const distributions = new Map(model.distributions.splits.map((split) => [split.node, split]));
  const describe = (node: number): TreeNode => {
    const rows = model.nodeRows[node];
    const label = model.classes[model.nodeClasses[node]];
    if (lefts[node] === 0) return { kind: "leaf", rows, facts: [], ...leaf(node) };
    if (!shown.has(node)) return { kind: "leaf", label, rows, hiddenSplits: splitsBelow[node], facts: [] };
    const feature = model.trees.arrays.nodes[node * NODE_WORDS + 1] >> FEATURE_SHIFT;
    const name = model.featureNames[feature];
    const column = columns.get(feature) ?? { missing: false };
    const words = splitInWords(model.trees, node, name, column, model.thresholds[node]);
    const outcome = (answer: "yes" | "no") => (words.missing === answer ? `${answer} or missing` : answer);
    const [yes, no] = words.yes === "left" ? [0, 1] : [1, 0];
    const stored = distributions.get(node);
    return {
      kind: "split",
      condition: words.condition,
      rows,
      label,
      facts: [],
      branches: [
        { outcome: outcome("yes"), node: describe(lefts[node] + yes) },
        { outcome: outcome("no"), node: describe(lefts[node] + no) },
      ],
      ...(stored && { distribution: describedDistribution(model, name, stored, words.yes) }),
    };
  };
  return describe(0);
}

/** Describes the rows of a split, those of the branch `yes` first. */
function describedDistribution(
  { classes, distributions }: PicturedTree,
  feature: string,
  { edges, beyond, names = [], left, counts }: SplitDistributions["splits"][number],
  yes: "left" | "right",
): SplitDistribution {
  const ordered = <T>(cells: readonly T[]) =>
    yes === "left" ? cells : [...cells.slice(left), ...cells.slice(0, left)];
  const shown = distributions.classes;
  return {
    feature,
    cells: edges ? { edges, ...(beyond && { beyond }) } : { names: ordered(names) },
    first: yes === "left" ? left : names.length - left,
    classes: counts.map((own, k) => ({
      class: k < shown.length ? classes[shown[k]] : `${classes.length - shown.length} other classes`,
      counts: ordered(own),
    })),
  };
}

/** Describes the leaf of a tree that holds class shares. */
function sharesOf({ trees, classes }: PicturedTree, node: number): Pick<TreeLeaf, "label" | "shares"> {
  const shares = new Float64Array(classes.length);
  trees.addLeaf(0, node, shares, 0);
  return {
    label: classes[indexOfLargest(shares)],
    shares: classes.map((name, k) => ({ class: name, share: shares[k] })),
  };
}

/** Counts the splits of the branch of each node. */
function countSplits(lefts: Int32Array): Int32Array {
  const counts = new Int32Array(lefts.length);
  for (let node = lefts.length - 1; node >= 0; node--) {
    const left = lefts[node];
    if (left > 0) counts[node] = 1 + counts[left] + counts[left + 1];
  }
  return counts;
}

/** Chooses the splits with the most rows. A node has more rows than those below it, so no split is shown without those above. */
function largestSplits(lefts: Int32Array, rows: Int32Array, most: number): ReadonlySet<number> {
  const splits = Array.from(lefts.keys()).filter((node) => lefts[node] > 0);
  return new Set(splits.sort((a, b) => rows[b] - rows[a] || a - b).slice(0, most));
}
