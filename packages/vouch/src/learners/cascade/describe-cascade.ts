import { formatNumber } from "../../runtime/number-format.js";
import type { CascadeLeaf } from "../../theory/cascades/leaf-complexity.js";
import { leafPenalty } from "../../theory/cascades/objectives.js";
import type { Description, Fact, TableSection, TreeLeaf, TreeNode } from "../description.js";
import type { Kernel } from "../kernel/kernel.js";
import type { CascadeLevel, Gate, LeafClassifier, Monomial } from "./cascade-level.js";
import { cascadeBound, cascadeLeaves, type FittedCascade } from "./cascade-model.js";

export function describeCascade(model: FittedCascade): Description {
  const { levels, origin } = model;
  const wrong = levels.reduce((sum, level) => sum + level.wrong, 0);
  const leaves = cascadeLeaves(levels).map((leaf, k) => describeLeaf(model, levels[k], leaf));
  return {
    facts: [
      { name: "levels", value: levels.length },
      { name: "gamma", value: origin.gamma },
      { name: "complexity term", value: origin.complexity },
      { name: "bound (9)", value: cascadeBound(model) },
      { name: "training error", value: wrong / origin.rows, unit: "share" },
      { name: "distinct cascades", value: origin.distinct },
      { name: "cascades as the paper lists them", value: origin.listed },
      { name: "nodes trained", value: origin.trained },
    ],
    sections: [
      { kind: "tree", title: "cascade", root: describeChain(model, leaves) },
      ...(origin.validation.length > 0 ? [validationTable(model)] : []),
    ],
  };
}

function validationTable({ origin }: FittedCascade): TableSection {
  return {
    kind: "table",
    title: "validation error by gamma",
    columns: [{ name: "gamma" }, { name: "validation error", unit: "share" }, { name: "levels" }],
    rows: origin.validation.map(({ gamma, error, depth }) => [gamma, error, depth]),
  };
}

/** Describes the chain from a level on. */
function describeChain(model: FittedCascade, leaves: readonly TreeLeaf[], k = 0): TreeNode {
  const level = model.levels[k];
  const { gate, fraction } = level;
  if (!gate) return leaves[k];
  return {
    kind: "split",
    condition: describeGate(level, gate, model.featureNames),
    rows: leaves.slice(k).reduce((sum, { rows = 0 }) => sum + rows, 0),
    facts: fraction === undefined ? [] : [{ name: "fraction passed on", value: fraction, unit: "share" }],
    branches: [
      { outcome: "stays", node: leaves[k] },
      { outcome: "goes on", node: describeChain(model, leaves, k + 1) },
    ],
  };
}

/** Describes a leaf. Its complexity cost counts in the bound only up to the cap, the fraction of points that it gets right. */
function describeLeaf(model: FittedCascade, { classifier }: CascadeLevel, leaf: CascadeLeaf): TreeLeaf {
  const { rows, gamma } = model.origin;
  const cost = leafPenalty(leaf, gamma);
  const cap = leaf.correct / rows;
  return {
    kind: "leaf",
    label: describeClassifier(classifier, model),
    rows: leaf.points,
    facts: [
      ...machineFacts(classifier),
      { name: "right", value: leaf.correct },
      { name: "wrong", value: leaf.wrong },
      { name: "complexity cost", value: `${formatNumber(cost)} (cap ${formatNumber(cap)})` },
    ],
  };
}

function machineFacts(classifier: LeafClassifier): Fact[] {
  if (classifier.kind !== "kernel") return [];
  const { cost, machine } = classifier;
  return [
    ...(cost === undefined ? [] : [{ name: "C", value: cost }]),
    { name: "support vectors", value: machine.support.rows },
  ];
}

function describeClassifier(classifier: LeafClassifier, { classes, featureNames }: FittedCascade): string {
  switch (classifier.kind) {
    case "kernel":
      return describeKernel(classifier.machine.kernel);
    case "constant":
      return `always ${classes[classifier.sign > 0 ? 0 : 1]}`;
    case "threshold": {
      const { monomial, cut, sign } = classifier;
      const [above, below] = sign > 0 ? classes : [classes[1], classes[0]];
      return `${above} if ${product(monomial, featureNames)} > ${formatNumber(cut)}, else ${below}`;
    }
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
  const norm = classifier.kind === "kernel" ? classifier.machine.norm : 1;
  return `distance from the boundary ${gate.edge === "closed" ? "≤" : "<"} ${formatNumber(gate.threshold / norm)}`;
}

function product(monomial: Monomial, names: readonly string[]): string {
  return monomial.map((feature) => names[feature]).join(" · ");
}
