import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import type { Json, State } from "../../runtime/state.js";
import type { CascadeLeaf } from "../../theory/cascades/leaf-complexity.js";
import { cascadeObjective } from "../../theory/cascades/objectives.js";
import { deepCascadeCertificates } from "../../theory/cascades/theorem-1.js";
import type { Certificate } from "../../theory/certificate.js";
import { growthFunctionExact } from "../../theory/vc/growth-function.js";
import { logCascadeGrowth } from "../../theory/vc/growth-of-families.js";
import { checkAmounts, kernelVcDimension } from "../kernel/kernel.js";
import type { Complexity, Model } from "../model.js";
import { predictionsOf, signedMargin, signedScores } from "../scores.js";
import { checkFeatures } from "../training-sample.js";
import { cascadeState, restoreCascade } from "./cascade-state.js";
import type { ComplexityKind } from "./complexity.js";
import { describeCascade } from "./describe-cascade.js";
import { type GateRule, type LeafClassifier, LeafEvaluation } from "./leaf-classifier.js";
import { type CascadeTree, leavesOf, route } from "./space.js";

/** A leaf of a fitted cascade: what the bounds need to know of it. */
export interface LeafFacts extends CascadeLeaf {
  /** Degree of the polynomials that its classifier is made of; 0 for constants and kernels that are not polynomial. */
  readonly degree: number;
  /** The fraction of its node's points that its gate was to send on; absent at the last level. */
  readonly fraction?: number;
  /** Upper bounds of the Rademacher complexities of the leaf's family and of the gates' on the way, for certificates. */
  readonly guaranteed: { readonly complexity: number; readonly gateComplexities: readonly number[] };
}

/** How a cascade was found. */
export interface CascadeOrigin {
  /** Scale of the complexity term in bound (9). */
  readonly gamma: number;
  readonly complexity: ComplexityKind;
  /** m, the training points. */
  readonly rows: number;
  /** Families to choose from at each level, and the most levels there could have been. */
  readonly families: number;
  readonly mostLeaves: number;
  /** Distinct cascades, all of them covered, and as many as the printed algorithm lists. */
  readonly distinct: number;
  readonly listed: number;
  /** Nodes that were trained for it. */
  readonly trained: number;
  /** Error of the cascade of each gamma on validation rows; none if there was only one gamma. */
  readonly validation: readonly { readonly gamma: number; readonly error: number; readonly depth: number }[];
  readonly notices: readonly string[];
}

/** Learners whose models these are. */
export type CascadeLearnerName = "deep-cascade" | "deep-cascade-svm" | "deep-cascade-perceptron";

/** What a model consists of. */
export interface CascadeModelParts {
  readonly learner: CascadeLearnerName;
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly tree: CascadeTree<GateRule, LeafClassifier>;
  /** In the order of `leavesOf(tree)`. */
  readonly leaves: readonly LeafFacts[];
  readonly origin: CascadeOrigin;
}

/** A deep cascade: a tree of gates with a classifier at each leaf. */
export class CascadeModel implements Model<Matrix>, CascadeModelParts {
  readonly learner: CascadeLearnerName;
  readonly scoring = "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly tree: CascadeTree<GateRule, LeafClassifier>;
  readonly leaves: readonly LeafFacts[];
  readonly origin: CascadeOrigin;

  constructor(parts: CascadeModelParts) {
    this.learner = parts.learner;
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.tree = parts.tree;
    this.leaves = parts.leaves;
    this.origin = parts.origin;
  }

  /** How many leaves: for the papers' chains, the depth of the cascade. */
  get depth(): number {
    return this.leaves.length;
  }

  get notices(): readonly string[] {
    return this.origin.notices;
  }

  /** Bound (9), which the search minimised. */
  get bound(): number {
    return cascadeObjective(this.leaves, this.origin.rows, this.origin.gamma);
  }

  /** The value of the classifier of the leaf that a row reaches, for the first class; its negative for the second. */
  scores(features: Matrix): Matrix {
    this.#check(features);
    return signedScores(this.#walk(features).values);
  }

  predict(features: Matrix): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /** y·h_k(x) of the leaf that a row reaches, with h_k scaled to [−1, 1] by the most that it can be for the row. */
  margins({ features, labels }: Sample<Matrix>): Float64Array {
    this.#check(features);
    const { values, limits } = this.#walk(features);
    return values.map((value, i) => signedMargin(value, limits[i], labels[i]));
  }

  /** The leaf that each row reaches, as an index into `leaves`. */
  leafOf(features: Matrix): Int32Array {
    this.#check(features);
    return this.#walk(features).leaf;
  }

  complexity(): Complexity {
    let supportVectors = 0;
    for (const { leaf } of leavesOf(this.tree)) {
      if (leaf.kind === "kernel") supportVectors += leaf.machine.support.rows;
    }
    return { counts: { leaves: this.leaves.length, supportVectors, features: this.featureNames.length } };
  }

  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    return [...this.#cascadeCertificates(confidence), ...this.#growthCertificates(confidence)];
  }

  #cascadeCertificates(confidence: number): Certificate[] {
    const { rows, families, mostLeaves, gamma } = this.origin;
    return deepCascadeCertificates({
      rows,
      families,
      gatesChosen: true,
      mostLeaves,
      confidence,
      leaves: this.leaves.map((leaf) => ({ ...leaf, ...leaf.guaranteed })),
      objective: { leaves: this.leaves, gamma },
    });
  }

  /** Of a chain of kernel classifiers whose spaces are finite, by counting how it can label rows. */
  #growthCertificates(confidence: number): Certificate[] {
    const { rows, families, mostLeaves } = this.origin;
    const dimensions = kernelDimensions(this.tree, this.featureNames.length);
    if (dimensions.some((dimension) => !Number.isFinite(dimension))) return [];
    const errors = this.leaves.reduce((sum, { wrong }) => sum + wrong, 0);
    const logChoices = Math.log(mostLeaves) + dimensions.length * Math.log(families);
    const logGrowth = (points: number) => logCascadeGrowth(points, dimensions);
    return [growthFunctionExact({ rows, errors, confidence, logGrowth, logChoices })];
  }

  describe(): Json {
    return describeCascade(this);
  }

  toState(): State {
    return cascadeState(this);
  }

  /** Restores models of one learner. */
  static restorer(learner: CascadeLearnerName): (state: State) => CascadeModel {
    return (state) => new CascadeModel(restoreCascade(learner, state));
  }

  #check(features: Matrix): void {
    checkFeatures(features, this.featureNames);
    for (const { leaf } of leavesOf(this.tree)) {
      if (leaf.kind === "kernel") checkAmounts(leaf.machine.kernel.kind, features, this.featureNames);
    }
  }

  #walk(features: Matrix): { values: Float64Array; limits: Float64Array; leaf: Int32Array } {
    const evaluation = new LeafEvaluation(features);
    const values = new Float64Array(features.rows);
    const limits = new Float64Array(features.rows);
    const leaf = new Int32Array(features.rows);
    const all = Int32Array.from(values, (_, row) => row);
    let index = 0;
    route(
      this.tree,
      all,
      (question, rows) => evaluation.answers(question, rows),
      (classifier, rows) => {
        const own = evaluation.values(classifier, rows);
        rows.forEach((row, i) => {
          values[row] = own[i];
          limits[row] = evaluation.limit(classifier, row);
          leaf[row] = index;
        });
        index++;
      },
    );
    return { values, limits, leaf };
  }
}

/** The dimension of the space of each level's classifier, which its gate has as well; Infinity where it is not known. */
function kernelDimensions(tree: CascadeTree<GateRule, LeafClassifier>, features: number): number[] {
  if (tree.kind === "leaf") return [leafDimension(tree.leaf, features)];
  const { question, on, stay } = tree;
  const isLevel =
    question.kind === "near" &&
    stay.kind === "leaf" &&
    stay.leaf.kind === "kernel" &&
    stay.leaf.machine === question.machine;
  const own = isLevel ? leafDimension(stay.leaf, features) : Number.POSITIVE_INFINITY;
  return [own, ...kernelDimensions(on, features)];
}

function leafDimension(leaf: LeafClassifier, features: number): number {
  if (leaf.kind !== "kernel") return Number.POSITIVE_INFINITY;
  return kernelVcDimension(leaf.machine.kernel, features, { bias: true });
}
