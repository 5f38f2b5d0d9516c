import type { GateRule, LeafClassifier } from "./leaf-classifier.js";
import type { NodeTrainer } from "./node-training.js";
import type { BestLevel, ComplexityMeasure, NodeComplexity } from "./search.js";
import type { CascadeSpace } from "./space.js";

/** The cascades that a learner chooses from, for one sample. Its owner releases it. */
export interface CascadeFamily {
  readonly space: CascadeSpace;
  /** p: how many families there are to choose from at each level. */
  readonly families: number;
  /** The same on some rows of the sample, ascending, as training points. Released before the family itself. */
  on(rows: Int32Array): FamilyOnRows;
  /** What the user should know of the preparations. */
  readonly notices: readonly string[];
  release(): void;
}

/** The cascades on some training points. */
export interface FamilyOnRows {
  readonly trainer: NodeTrainer;
  readonly complexity: ComplexityMeasure;
  /** Trains the levels of a cascade again and keeps what they predict with. */
  build(levels: readonly BestLevel[]): Promise<BuiltLevel[]>;
  /** What the user should know of the training so far. */
  notices(): readonly string[];
  release(): void;
}

/** A level of a cascade that can predict. */
export interface BuiltLevel {
  readonly classifier: LeafClassifier;
  /** Absent at the last level. */
  readonly question?: GateRule;
  /** Degree of the polynomials that the classifier is made of; 0 for constants and kernels that are not polynomial. */
  readonly degree: number;
  /** As the search measured them. */
  readonly complexity: NodeComplexity;
  /** Upper bounds of the Rademacher complexities of the families, for certificates. */
  readonly guaranteed: NodeComplexity;
}
