import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { formatCount, formatNumber } from "../../runtime/number-format.js";
import type { Json, State } from "../../runtime/state.js";
import type { Certificate } from "../../theory/certificate.js";
import { sampleCompression } from "../../theory/compression/sample-compression.js";
import {
  type HierarchyEvidence,
  relaxedHierarchyBound,
  relaxedHierarchyClassBound,
} from "../../theory/hierarchies/relaxed-hierarchy.js";
import { checkKernelFeatures, kernelVcDimension } from "../kernel/kernel.js";
import type { Complexity, Model } from "../model.js";
import type { Evaluations } from "../scores.js";
import { describeHierarchy } from "./describe-hierarchy.js";
import { type ColouredClasses, depthOf, type GraphNode, graphOf, pathScores, walk } from "./graph.js";
import { hierarchyParts, hierarchyState } from "./hierarchy-state.js";
import type { HierarchyMachines } from "./machines.js";

/** What a model keeps of a node beside its machine. */
export interface NodeFacts extends ColouredClasses {
  /** ‖w‖² */
  readonly squaredNorm: number;
  /** Training rows of the classes that take part. */
  readonly rows: number;
  /** How many of them are on the wrong side. */
  readonly errors: number;
  /** The smallest y·f(x) of a training row. */
  readonly smallestValue: number;
  /** What the solver left of the largest violation of the conditions of the optimum. */
  readonly gap: number;
}

/** What a model keeps of its training for certificates. */
interface HierarchyTraining {
  /** How many training rows have a part in some machine. */
  readonly kept: number;
  /** How many training rows come to a wrong class. */
  readonly errors: number;
  /** How many of those that have no part in any machine do. */
  readonly otherErrors: number;
}

/** What a model consists of. */
export interface HierarchyParts {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** With fewer and fewer classes. Classes that training rows had, by index. */
  readonly nodes: readonly NodeFacts[];
  readonly machines: HierarchyMachines;
  /** R² = max K(x, x) over the training rows. */
  readonly squaredRadius: number;
  /** How many training rows there were. */
  readonly rows: number;
  /** What the solver's violation was to come below. */
  readonly tolerance: number;
  /** At how many nodes all classes took part because there would have been too many nodes. */
  readonly beyondLimit: number;
  readonly training?: HierarchyTraining | undefined;
}

/** A hierarchy of support vector machines: a row walks from the node of all classes to one of a single class. */
export class RelaxedHierarchyModel implements Model<Matrix>, HierarchyParts {
  readonly learner = "relaxed-hierarchy";
  readonly scoring = "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly nodes: readonly NodeFacts[];
  readonly machines: HierarchyMachines;
  readonly squaredRadius: number;
  readonly rows: number;
  readonly tolerance: number;
  readonly beyondLimit: number;
  readonly training: HierarchyTraining | undefined;
  /** The nodes and where they lead. */
  readonly graph: readonly GraphNode[];

  constructor(parts: HierarchyParts) {
    const graph = graphOf(parts.nodes);
    if (!graph) throw new Error("The nodes of a hierarchy do not lead to each other.");
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.nodes = parts.nodes;
    this.machines = parts.machines;
    this.squaredRadius = parts.squaredRadius;
    this.rows = parts.rows;
    this.tolerance = parts.tolerance;
    this.beyondLimit = parts.beyondLimit;
    this.training = parts.training;
    this.graph = graph;
  }

  /** The same model, knowing how it does on its training rows; `kept` are those that some machine consists of. */
  withTraining({ features, labels }: Sample<Matrix>, kept: Int32Array): RelaxedHierarchyModel {
    const predictions = this.predict(features);
    const inMachines = new Set(kept);
    let errors = 0;
    let otherErrors = 0;
    for (let i = 0; i < labels.length; i++) {
      if (predictions[i] === labels[i]) continue;
      errors++;
      if (!inMachines.has(i)) otherErrors++;
    }
    return new RelaxedHierarchyModel({ ...this, training: { kept: kept.length, errors, otherErrors } });
  }

  /**
   * For the class that the row comes to, the smallest |f(x)| of the nodes on its way where it took part; for the others
   * −|f(x)| at the node that ruled them out. With two classes that is −f(x) and f(x). A class that training did not have
   * scores as low as the lowest.
   */
  scores(features: Matrix): Matrix {
    this.#check(features);
    const scores = new Matrix(features.rows, this.classes.length);
    pathScores(this.graph, this.machines, features, new Float64Array(this.nodes.length).fill(1), scores);
    for (let i = 0; i < scores.rows; i++) lowerUnknown(scores.row(i));
    return scores;
  }

  predict(features: Matrix): Int32Array {
    this.#check(features);
    return walk(this.graph, this.machines, features);
  }

  /**
   * As the scores of the own classes, with f(x) divided by √2·√(‖w‖²R² + b²) of its node: with the radius R of the training
   * rows in feature space, f is the scalar product of (w, b/R) and (φ(x), R), so this is in [−1, 1] where ‖φ(x)‖ ≤ R, and
   * it is cut to that elsewhere.
   */
  margins({ features, labels }: Sample<Matrix>): Float64Array {
    this.#check(features);
    const scores = new Matrix(features.rows, this.classes.length);
    pathScores(this.graph, this.machines, features, this.#marginFactors(), scores);
    return Float64Array.from(labels, (label, i) => {
      const row = scores.row(i);
      const own = label < 0 ? Number.POSITIVE_INFINITY : row[label];
      // A class that the model does not know is wrong by as much as the row's class was chosen.
      const margin = own === Number.POSITIVE_INFINITY ? -largestFinite(row) : own;
      return Math.max(-1, Math.min(1, margin));
    });
  }

  /** What predicting these rows costs for each of them, on average. */
  evaluations(features: Matrix): Evaluations {
    this.#check(features);
    const paths: number[][] = Array.from({ length: features.rows }, () => []);
    walk(this.graph, this.machines, features, (node, rows) => {
      for (const row of rows) paths[row].push(node);
    });
    const visits = paths.reduce((sum, path) => sum + path.length, 0);
    const nodes = visits / Math.max(1, features.rows);
    if (this.machines.kernel.kind === "linear") return { nodes };
    const sizes = new Map<string, number>();
    let touched = 0;
    for (const path of paths) {
      const key = path.join();
      const size = sizes.get(key) ?? this.#supportOnPath(path);
      sizes.set(key, size);
      touched += size;
    }
    return { kernel: touched / Math.max(1, features.rows), nodes };
  }

  complexity(): Complexity {
    const vcDimension = kernelVcDimension(this.machines.kernel, this.featureNames.length, { bias: true });
    const twoClasses = this.classes.length === 2;
    return {
      ...(twoClasses && Number.isFinite(vcDimension) && { vcDimension }),
      counts: {
        nodes: this.nodes.length,
        depth: depthOf(this.graph),
        features: this.featureNames.length,
        ...(this.training && { supportVectors: this.training.kept }),
        squaredRadius: this.squaredRadius,
      },
    };
  }

  /**
   * Theorem 3.1, and sample compression: given its colours, each machine is determined by the rows that have a part in some
   * machine, because a machine does not change when rows outside its margin are left out.
   */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const theorem = relaxedHierarchyBound(this.#hierarchyFacts(confidence));
    if (!this.training) return [theorem];
    const { kept, otherErrors } = this.training;
    const holds = this.nodes.every(({ gap }) => gap <= this.tolerance);
    const classSetSizes = this.nodes.reduce((sum, { classes }) => sum + classes.length, 0);
    const compression = sampleCompression({
      rows: this.rows,
      confidence,
      kept,
      errors: otherErrors,
      logMessages: classSetSizes * Math.log(3),
      premises: [
        {
          statement:
            "With the colours given, training on the support vectors alone gives the same machines, as it does at the optimum, which the solver reached to its tolerance.",
          holds,
        },
      ],
      ...(!holds && { fault: "The solver stopped before it reached the optimum." }),
    });
    return [compression, theorem];
  }

  /** Theorem 3.2 for every class that training rows had: how often it is taken for another, or another for it. */
  classCertificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const facts = this.#hierarchyFacts(confidence);
    return Array.from(this.nodes[0].classes, (k) =>
      relaxedHierarchyClassBound(facts, this.classes[k], (j) => takesPart(this.nodes[j], k)),
    );
  }

  /** What the user should know: machines that the solver gave up on, and nodes that there was no room for. */
  get notices(): readonly string[] {
    const open = this.nodes.filter(({ gap }) => gap > this.tolerance);
    const worst = open.reduce((largest, { gap }) => Math.max(largest, gap), 0);
    return [
      ...(open.length > 0
        ? [
            `The solver stopped before it was done at ${open.length} of ${formatCount(this.nodes.length, "node")}: the conditions of the optimum are violated by up to ${formatNumber(worst)}, which is above the tolerance ${formatNumber(this.tolerance)}. Raise maxIterations or tolerance, or lower C.`,
          ]
        : []),
      ...(this.beyondLimit > 0
        ? [
            `At ${this.beyondLimit} of ${formatCount(this.nodes.length, "node")} all classes take part, because there would have been more nodes than maxNodes otherwise. Raise rho or maxNodes.`,
          ]
        : []),
    ];
  }

  describe(): Json {
    return describeHierarchy(this);
  }

  toState(): State {
    return hierarchyState(this);
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): RelaxedHierarchyModel {
    return new RelaxedHierarchyModel(hierarchyParts(state));
  }

  #hierarchyFacts(confidence: number): HierarchyEvidence {
    const { kind } = this.machines.kernel;
    return {
      rows: this.rows,
      confidence,
      squaredRadius: this.squaredRadius,
      bounded: kind === "rbf" || kind === "chi-square",
      nodes: this.nodes.map((node) => ({
        margin: marginOf(node),
        errors: node.errors,
        classes: node.classes.length,
      })),
    };
  }

  #marginFactors(): Float64Array {
    return Float64Array.from(this.nodes, ({ squaredNorm }, j) => {
      const bias = this.machines.biases[j];
      const limit = Math.sqrt(2 * (squaredNorm * this.squaredRadius + bias * bias));
      return limit > 0 ? 1 / limit : 0;
    });
  }

  #supportOnPath(path: readonly number[]): number {
    const touched = new Set<number>();
    for (const node of path) for (const vector of this.machines.supportOf(node)) touched.add(vector);
    return touched.size;
  }

  #check(features: Matrix): void {
    checkKernelFeatures(this.machines.kernel.kind, features, this.featureNames);
  }
}

/** γ of a node: the smallest distance y·f(x)/‖w‖ of a training row from the hyperplane; not positive with errors. */
export function marginOf({ smallestValue, squaredNorm }: NodeFacts): number {
  return squaredNorm > 0 ? smallestValue / Math.sqrt(squaredNorm) : 0;
}

function takesPart({ classes, colours }: ColouredClasses, k: number): boolean {
  const place = classes.indexOf(k);
  return place >= 0 && colours[place] !== 0;
}

/** Gives classes that no node knows the lowest score of the row. */
function lowerUnknown(row: Matrix["values"]): void {
  let lowest = 0;
  for (const score of row) lowest = Math.min(lowest, score);
  for (let k = 0; k < row.length; k++) if (row[k] === Number.POSITIVE_INFINITY) row[k] = lowest;
}

function largestFinite(row: ArrayLike<number>): number {
  let largest = 0;
  for (let k = 0; k < row.length; k++) {
    if (row[k] !== Number.POSITIVE_INFINITY) largest = Math.max(largest, row[k]);
  }
  return largest;
}
