import { type BinnedColumns, type BinnedFeature, MISSING_BIN } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { runNow } from "../../runtime/parallel/pausable.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import type { SplitDistribution, TreeLeaf, TreeNode, TreeSection } from "../description.js";
import { indexOfLargest } from "../scores.js";
import { leafClasses, nodeFacts } from "./node-facts.js";
import { allRows } from "./sample-rows.js";
import { type SplitDistributions, splitDistributions } from "./split-distributions.js";
import { CATEGORICAL, FEATURE_SHIFT, isInSet, isMissingLeft, lastLeftBin, type TreeSet } from "./tree-set.js";

/** A description shows this many splits, the largest ones. */
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

/** Splits of each tree: as many as a picture shows, and some to open. */
const MOST_PICTURED_SPLITS = 31;

/** A tree to draw: its number in a set, what it is called, and what a picture of it should say. */
export interface TreeToPicture {
  readonly tree: number;
  readonly title: string;
  readonly note: string;
  /** Whether leaves hold steps of a score instead of class shares. */
  readonly holdsSteps?: true;
}

/** Describes some trees of a set by the rows of a sample: how many of each class reach their splits and leaves. */
export function picturedTrees(
  trees: TreeSet,
  sample: Sample<BinnedColumns>,
  wanted: readonly TreeToPicture[],
): TreeSection[] {
  return wanted.map(({ tree, title, note, holdsSteps }) => {
    const root = rootOf(trees.slice(tree, tree + 1), sample, holdsSteps ?? false);
    return { kind: "tree", title, note, root };
  });
}

function rootOf(tree: TreeSet, sample: Sample<BinnedColumns>, holdsSteps: boolean) {
  const { features, labels, classes, featureNames } = sample;
  const every = allRows(features.rows);
  const facts = runNow(nodeFacts(tree, { features, labels }, every, "gini"));
  const rows = { features, labels, classes: classes.length };
  return pictureOf(
    {
      trees: tree,
      classes,
      featureNames,
      nodeRows: facts.rows,
      nodeClasses: facts.classes,
      thresholds: splitThresholds(tree, features.features),
      splitColumns: splitColumns(tree, features.features, (j) => features.column(j)),
      distributions: runNow(splitDistributions(tree, rows, facts.rows)),
    },
    { mostSplits: MOST_PICTURED_SPLITS, ...(holdsSteps && { leaf: stepLeaves(tree, sample) }) },
  );
}

/** Describes leaves by the step that they add to a score, and by the classes of their rows. */
function stepLeaves(tree: TreeSet, { features, labels, classes }: Sample<BinnedColumns>) {
  const every = allRows(features.rows);
  const counts = { rows: new Int32Array(tree.nodes), weights: new Float64Array(tree.nodes) };
  const counted = runNow(leafClasses(tree, { features, labels }, every, counts));
  return (node: number): Pick<TreeLeaf, "label" | "shares"> => {
    const steps = new Float64Array(tree.classes);
    tree.addLeaf(0, node, steps, 0);
    const step = steps.reduce((sum, value) => sum + value, 0);
    const rows = Math.max(1, counts.rows[node]);
    return {
      label: `${step > 0 ? "+" : ""}${formatNumber(Number(step.toPrecision(3)))}`,
      shares: classes.map((name, k) => ({ class: name, share: (counted[node]?.get(k) ?? 0) / rows })),
    };
  };
}

/** The meaning of the bins of a column that a tree splits on. */
export interface SplitColumn {
  readonly feature: number;
  /** Whether cells of the training rows are missing. */
  readonly missing: boolean;
  /** The level of each bin; absent for numbers. */
  readonly levels?: readonly string[] | undefined;
}

/** A split in words: a row goes to the branch `yes` if the condition holds. */
interface SplitWords {
  readonly condition: string;
  readonly yes: "left" | "right";
  /** The branch of rows whose cell is missing, if there were any in training and the condition does not mention them. */
  readonly missing?: "yes" | "no";
}

/** Lists the columns that a set of one tree splits on, ascending. */
export function splitColumns(
  { arrays: { nodes } }: TreeSet,
  features: readonly BinnedFeature[],
  column: (j: number) => Uint8Array,
): SplitColumn[] {
  const used = new Set<number>();
  for (let at = 1; at < nodes.length; at += NODE_WORDS) {
    if (nodes[at] >= 0) used.add(nodes[at] >> FEATURE_SHIFT);
  }
  return [...used]
    .sort((a, b) => a - b)
    .map((feature) => {
      const meaning = features[feature];
      return {
        feature,
        missing: column(feature).includes(MISSING_BIN),
        ...(meaning.kind === "categorical" && { levels: meaning.levels }),
      };
    });
}

/** Returns the threshold of each split of a number in a set of one tree; 0 for other nodes. */
export function splitThresholds(
  { arrays: { nodes } }: TreeSet,
  features: readonly BinnedFeature[],
): Float64Array {
  return Float64Array.from({ length: nodes.length / NODE_WORDS }, (_, node) => {
    const split = nodes[node * NODE_WORDS + 1];
    if (split < 0 || split & CATEGORICAL) return 0;
    const meaning = features[split >> FEATURE_SHIFT];
    return (meaning.kind === "numeric" ? meaning.cuts[lastLeftBin(split)] : undefined) ?? 0;
  });
}

/** Says in words which rows go to which side of a split. */
function splitInWords(
  { arrays: { nodes, sets } }: TreeSet,
  node: number,
  name: string,
  { levels, missing }: Omit<SplitColumn, "feature">,
  threshold: number,
): SplitWords {
  const split = nodes[node * NODE_WORDS + 1];
  if (split & CATEGORICAL) return setInWords(name, levels ?? [], sets, nodes[node * NODE_WORDS] * SET_WORDS);
  if (lastLeftBin(split) === MISSING_BIN - 1) return { condition: `${name} is missing`, yes: "right" };
  return {
    condition: `${name} ≤ ${thresholdText(threshold)}`,
    yes: "left",
    ...(missing && { missing: isMissingLeft(split) ? "yes" : "no" }),
  };
}

/** Category names that a condition lists. */
const MOST_NAMES = 8;

/**
 * Names the categories of one side. Those that the node has not seen are all on the other side, together with the bins that no
 * category has.
 */
function setInWords(name: string, levels: readonly string[], sets: Int32Array, at: number): SplitWords {
  const isUnseenLeft = levels.length < MISSING_BIN && isInSet(sets, at, levels.length);
  const isNamed = (bin: number) => isInSet(sets, at, bin) !== isUnseenLeft;
  const named = [...levels.filter((_, bin) => isNamed(bin)), ...(isNamed(MISSING_BIN) ? ["missing"] : [])];
  return { condition: `${name} is ${alternatives(named)}`, yes: isUnseenLeft ? "right" : "left" };
}

/** Joins names: a, b or c. */
function alternatives(names: readonly string[]): string {
  const shown = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES - 1) : names;
  const hidden = names.length - shown.length;
  if (hidden > 0) return `${shown.join(", ")} or one of ${hidden} more`;
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} or ${shown[shown.length - 1]}` : shown.join("");
}

/** Thresholds lie halfway between values: half of a whole number is written in full, other numbers with six digits. */
function thresholdText(threshold: number): string {
  const isHalf = Number.isInteger(2 * threshold) && Math.abs(threshold) < 1e12;
  const digits = isHalf ? threshold : Number(threshold.toPrecision(6));
  return String(digits).replace("-", "−");
}
