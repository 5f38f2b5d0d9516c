import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { runNow } from "../../runtime/parallel/pausable.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import type { TreeLeaf, TreeSection } from "../description.js";
import { pictureOf } from "./describe-tree.js";
import { leafClasses, nodeFacts } from "./node-facts.js";
import { splitDistributions } from "./split-distributions.js";
import { splitColumns, splitThresholds } from "./split-words.js";
import type { TreeSet } from "./tree-set.js";

/** Splits of each tree: as many as a picture shows, and some to open. */
const MOST_SPLITS = 31;

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
  const every = Int32Array.from({ length: features.rows }, (_, i) => i);
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
    { mostSplits: MOST_SPLITS, ...(holdsSteps && { leaf: stepLeaves(tree, sample) }) },
  );
}

/** Describes leaves by the step that they add to a score, and by the classes of their rows. */
function stepLeaves(tree: TreeSet, { features, labels, classes }: Sample<BinnedColumns>) {
  const every = Int32Array.from({ length: features.rows }, (_, i) => i);
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
