import { formatNumber, shortList } from "../../runtime/text/number-format.js";
import type { CascadeLeaf } from "../../theory/cascades/leaf-complexity.js";
import { leafPenalty } from "../../theory/cascades/objectives.js";
import type { Description, Fact, TableSection, TreeLeaf, TreeNode } from "../description.js";
import type { Kernel } from "../kernel/kernel.js";
import type { CascadeLevel, Gate, LeafClassifier, Monomial } from "./cascade-level.js";
import { cascadeBound, cascadeLeaves, type FittedCascade } from "./cascade-model.js";
import type { GateEdge } from "./near-gates.js";

export function describeCascade(model: FittedCascade): Description {
  const { levels, origin } = model;
  const wrong = levels.reduce((sum, level) => sum + level.wrong, 0);
  const leaves = cascadeLeaves(levels);
  const isTree = origin.topology !== undefined;
  return {
    facts: [
      ...(isTree
        ? [
            { name: "leaves", value: leaves.length },
            { name: "gates on the longest way", value: Math.max(...leaves.map(({ depth }) => depth)) },
          ]
        : [{ name: "levels", value: levels.length }]),
      { name: "gamma", value: origin.gamma },
      { name: "complexity term", value: origin.complexity },
      { name: "bound (9)", value: cascadeBound(model) },
      { name: "training error", value: wrong / origin.rows, unit: "share" },
      { name: isTree ? "trees compared" : "distinct cascades", value: origin.distinct },
      ...(origin.listed === undefined
        ? []
        : [{ name: "cascades as the paper lists them", value: origin.listed }]),
      { name: "nodes trained", value: origin.trained },
    ],
    sections: [
      { kind: "tree", title: "cascade", gates: true, root: describeLevel(model, leaves, 0) },
      ...(origin.validation.length > 0 ? [validationTable(model)] : []),
    ],
  };
}

function validationTable({ origin }: FittedCascade): TableSection {
  return {
    kind: "table",
    title: "validation error by gamma",
    columns: [
      { name: "gamma" },
      { name: "validation error", unit: "share" },
      { name: origin.topology === undefined ? "levels" : "leaves" },
    ],
    rows: origin.validation.map(({ gamma, error, depth }) => [gamma, error, depth]),
  };
}

/** Describes the tree from a level on. */
function describeLevel(model: FittedCascade, leaves: readonly CascadeLeaf[], k: number): TreeNode {
  const level = model.levels[k];
  const { gate, fraction, stay } = level;
  const own = leaves.find((leaf) => leaf.level === k + 1);
  const leaf = own && describeLeaf(model, level, own);
  if (!gate) return leaf ?? emptyLeaf;
  const on = describeLevel(model, leaves, k + 1);
  const staying = stay === undefined ? (leaf ?? emptyLeaf) : describeLevel(model, leaves, stay);
  return {
    kind: "split",
    condition: describeGate(level, gate, model.featureNames),
    rows: (on.rows ?? 0) + (staying.rows ?? 0),
    facts: fraction === undefined ? [] : [{ name: "fraction passed on", value: fraction, unit: "share" }],
    branches: [
      { outcome: "stays", node: staying },
      { outcome: "goes on", node: on },
    ],
  };
}

/** A level that is neither a gate nor a leaf, which no model has. */
const emptyLeaf: TreeLeaf = { kind: "leaf", label: "", facts: [] };

/** Describes a leaf. Its complexity cost counts in the bound only up to the cap, the fraction of points that it gets right. */
function describeLeaf(model: FittedCascade, { classifier }: CascadeLevel, leaf: CascadeLeaf): TreeLeaf {
  const { rows, gamma } = model.origin;
  const cost = leafPenalty(leaf, gamma);
  const cap = leaf.correct / rows;
  return {
    kind: "leaf",
    label: describeClassifier(classifier, model),
    rows: leaf.points,
    wrong: leaf.wrong,
    facts: [
      ...machineFacts(classifier),
      { name: "right", value: leaf.correct },
      { name: "wrong", value: leaf.wrong },
      { name: "complexity cost", value: `${formatNumber(cost)} (cap ${formatNumber(cap)})` },
    ],
  };
}

function machineFacts(classifier: LeafClassifier | undefined): Fact[] {
  if (classifier?.kind !== "kernel" && classifier?.kind !== "one-vs-rest") return [];
  const { cost } = classifier;
  const machines = classifier.kind === "kernel" ? [classifier.machine] : classifier.machines;
  return [
    ...(cost === undefined ? [] : [{ name: "C", value: cost }]),
    { name: "support vectors", value: machines.reduce((sum, { support }) => sum + support.rows, 0) },
  ];
}

function describeClassifier(
  classifier: LeafClassifier | undefined,
  { classes, featureNames }: FittedCascade,
): string {
  switch (classifier?.kind) {
    case "kernel":
      return describeKernel(classifier.machine.kernel);
    case "one-vs-rest": {
      const { trained, machines } = classifier;
      const names =
        trained.length < classes.length ? ` for ${shortList(trained.map((c) => classes[c]))}` : "";
      return `${describeKernel(machines[0].kernel)}, one versus rest${names}`;
    }
    case "constant":
      return `always ${classes[classifier.class]}`;
    case "threshold": {
      const { monomial, cut, above, below } = classifier;
      return `${classes[above]} if ${product(monomial, featureNames)} > ${formatNumber(cut)}, else ${classes[below]}`;
    }
    case "model":
      return classifier.model.learner;
    default:
      return "";
  }
}

function describeKernel(kernel: Kernel): string {
  switch (kernel.kind) {
    case "polynomial":
      return `polynomial kernel of degree ${kernel.degree}, scale ${formatNumber(kernel.scale)}`;
    case "rbf":
    case "chi-square":
      return `${kernel.kind} kernel with gamma ${formatNumber(kernel.gamma)}`;
    default:
      return `${kernel.kind} kernel`;
  }
}

/** Words the condition of a gate; distances from a decision boundary are |f(x)|/‖w‖ in feature space. */
function describeGate({ classifier }: CascadeLevel, gate: Gate, names: readonly string[]): string {
  if (gate.kind === "threshold")
    return `${product(gate.monomial, names)} ${gate.above ? ">" : "≤"} ${formatNumber(gate.cut)}`;
  if (classifier?.kind === "one-vs-rest") {
    return `half the gap between the best two scores ${sign(gate.edge)} ${formatNumber(gate.threshold)}`;
  }
  const norm = classifier?.kind === "kernel" ? classifier.machine.norm : 1;
  return `distance from the boundary ${sign(gate.edge)} ${formatNumber(gate.threshold / norm)}`;
}

function sign(edge: GateEdge): string {
  return edge === "closed" ? "≤" : "<";
}

function product(monomial: Monomial, names: readonly string[]): string {
  return monomial.map((feature) => names[feature]).join(" · ");
}
