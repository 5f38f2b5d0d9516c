import type { Json } from "../../runtime/state.js";
import { leafPenalty } from "../../theory/cascades/objectives.js";
import type { Kernel } from "../kernel/kernel.js";
import type { CascadeModel, LeafFacts } from "./cascade-model.js";
import type { GateRule, LeafClassifier, Monomial } from "./leaf-classifier.js";
import type { CascadeTree } from "./space.js";

/** A cascade in words and numbers, for `inspect`; `cascade` is the tree, a node inside the other. */
export function describeCascade(model: CascadeModel): Json {
  const { origin, leaves } = model;
  const wrong = leaves.reduce((sum, leaf) => sum + leaf.wrong, 0);
  return {
    depth: model.depth,
    gamma: origin.gamma,
    complexity: origin.complexity,
    bound: model.bound,
    trainingError: wrong / origin.rows,
    cascades: origin.distinct,
    cascadesAsListed: origin.listed,
    nodesTrained: origin.trained,
    ...(origin.validation.length > 0 && { validation: origin.validation.map((entry) => ({ ...entry })) }),
    cascade: describeTree(model, model.tree, [...leaves]),
  };
}

/** Describes a tree; takes the facts of its leaves from the front of the list. */
function describeTree(
  model: CascadeModel,
  tree: CascadeTree<GateRule, LeafClassifier>,
  facts: LeafFacts[],
): { readonly [key: string]: Json; readonly points: number } {
  if (tree.kind === "leaf") return describeLeaf(model, tree.leaf, facts.shift());
  const fraction = facts[0]?.fraction;
  const stay = describeTree(model, tree.stay, facts);
  const on = describeTree(model, tree.on, facts);
  return {
    points: stay.points + on.points,
    question: describeQuestion(tree.question, model.featureNames),
    ...(fraction !== undefined && { fraction }),
    stay,
    on,
  };
}

function describeLeaf(model: CascadeModel, classifier: LeafClassifier, facts: LeafFacts | undefined) {
  if (!facts) throw new Error("A leaf has no facts.");
  const { rows, gamma } = model.origin;
  const { correct, wrong, points } = facts;
  const penalty = leafPenalty(facts, gamma);
  const share = correct / rows;
  return {
    points,
    classifier: describeClassifier(classifier, model),
    ...describeForm(classifier, facts),
    ...(classifier.kind === "kernel" && classifier.cost !== undefined && { C: classifier.cost }),
    ...(classifier.kind === "kernel" && { supportVectors: classifier.machine.support.rows }),
    right: correct,
    wrong,
    penalty,
    share,
    active: penalty < share ? "penalty" : "share of points",
  };
}

/** The degree of what is a polynomial, the γ of kernels that have one. */
function describeForm(
  classifier: LeafClassifier,
  { degree }: LeafFacts,
): { readonly [name: string]: number } {
  if (classifier.kind !== "kernel") return { degree };
  const { kernel } = classifier.machine;
  if (kernel.kind === "polynomial") return { degree };
  return "gamma" in kernel ? { kernelGamma: kernel.gamma } : {};
}

function describeKernel(kernel: Kernel): string {
  switch (kernel.kind) {
    case "polynomial":
      return `${kernel.kind} of degree ${kernel.degree}, scale ${Number(kernel.scale.toPrecision(4))}`;
    case "rbf":
    case "chi-square":
      return `${kernel.kind} with gamma ${Number(kernel.gamma.toPrecision(4))}`;
    default:
      return kernel.kind;
  }
}

function describeClassifier(classifier: LeafClassifier, { classes, featureNames }: CascadeModel): string {
  switch (classifier.kind) {
    case "kernel":
      return describeKernel(classifier.machine.kernel);
    case "constant":
      return `always ${classes[classifier.sign > 0 ? 0 : 1]}`;
    case "threshold": {
      const { monomial, cut, sign } = classifier;
      const [above, below] = sign > 0 ? classes : [classes[1], classes[0]];
      return `${above} if ${product(monomial, featureNames)} > ${Number(cut.toPrecision(4))}, else ${below}`;
    }
  }
}

/** The threshold of a distance question is told as the distance |f(x)|/‖w‖ in feature space. */
function describeQuestion(question: GateRule, names: readonly string[]): Json {
  if (question.kind === "threshold") {
    const { monomial, cut, above } = question;
    return {
      asks: `${product(monomial, names)} ${above ? ">" : "≤"} ${Number(cut.toPrecision(4))}`,
      threshold: cut,
    };
  }
  const { machine, threshold, gate } = question;
  const distance = threshold / machine.norm;
  return {
    asks: `distance ${gate === "closed" ? "≤" : "<"} ${Number(distance.toPrecision(4))}`,
    threshold: distance,
  };
}

function product(monomial: Monomial, names: readonly string[]): string {
  return monomial.map((feature) => names[feature]).join(" · ");
}
