import * as z from "zod";
import type { Standardisation } from "../../encode/encoder.js";
import type { PartsOf } from "../../runtime/codec/parts.js";
import { nonNegativeInteger, nonNegativeNumber } from "../../runtime/codec/schema-numbers.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { checkedPremise } from "../../theory/certificate.js";
import { sampleCompression } from "../../theory/compression/sample-compression.js";
import { KNOWN_KERNEL } from "../../theory/encoding-premises.js";
import {
  type HierarchyEvidence,
  relaxedHierarchyBound,
  relaxedHierarchyClassBound,
} from "../../theory/hierarchies/relaxed-hierarchy.js";
import { defineLearner } from "../define-learner.js";
import type { DescribedChild, DescribedNode } from "../description.js";
import { checkAmounts, type Kernel, kernelValue, kernelVcDimension } from "../kernel/kernel.js";
import { kernelScaling } from "../kernel/kernel-options.js";
import type { Fitted } from "../learner-definition.js";
import { classifyRows } from "../score-rows.js";
import { kktTolerance, MOST_VIOLATION } from "../svm/convergence.js";
import { checkFeatures } from "../training-sample.js";
import { fitHierarchy } from "./fit-hierarchy.js";
import {
  type Child,
  coloured,
  depthOf,
  hierarchyNodes,
  marginOf,
  pathScores,
  type RowPaths,
  walk,
} from "./hierarchy-graph.js";
import { type HierarchyOptions, hierarchyOptions } from "./hierarchy-options.js";
import { hierarchyMachines, supportOf } from "./node-machines.js";
import { LINEAR_TOLERANCE } from "./solve-node.js";

const parts = {
  /** By decreasing number of classes; the first node has all classes that training rows have. */
  nodes: hierarchyNodes,
  machines: hierarchyMachines,
  /** R² = max K(x, x) over the training rows. */
  squaredRadius: nonNegativeNumber,
  trainingRows: nonNegativeInteger.min(2),
  /** The solver's tolerance. */
  tolerance: kktTolerance,
  /** Number of nodes at which all classes take part because of `maxNodes`. */
  beyondLimit: nonNegativeInteger,
  compression: z
    .strictObject({
      /** Training rows in the compression set of any machine. */
      kept: nonNegativeInteger,
      errors: nonNegativeInteger,
      /** Errors on the other training rows. */
      otherErrors: nonNegativeInteger,
    })
    .refine(({ errors, otherErrors }) => otherErrors <= errors, "more errors on some rows than on all"),
};

type Hierarchy = Fitted<typeof parts>;

/**
 * A hierarchy of support vector machines, each of which may ignore classes that it would confuse.
 *
 * From `fit` to model:
 * 1. `fitHierarchy` chooses the kernel and loads the rows once: as kernel values, or as `LinearRows` for the linear kernel.
 * 2. `searchRows` samples the rows that the search for colours uses; the means of the classes order the classes.
 * 3. `grow` adds nodes level by level. The colours of a node say which classes go left, go right, or are ignored.
 * 4. `startColours` makes several colourings of a node, and `alternate` improves each in turn with its machine: `solveNode`
 *    trains the machine of the colours, and `optimalColouring` finds the best colours for the machine.
 * 5. `trainNodes` trains the machines of the chosen colours on all rows, while the search goes on at the next nodes.
 * 6. `linkedNodes` joins nodes with the same classes: the hierarchy is a graph.
 * 7. The model keeps each support vector once, for all nodes. A prediction follows one path, by `nodeValues`.
 */
export const relaxedHierarchy = defineLearner({
  name: "relaxed-hierarchy",
  title: "Relaxed hierarchy",
  summary:
    "A hierarchy of support vector machines for many classes; each node may ignore classes it would confuse.",
  options: hierarchyOptions,
  features: "matrix",
  encoding: (options) => ({ kind: "numeric", standardise: scalingOf(options) }),
  scoring: "decision",
  parts,
  async fit({ sample }, options, run): Promise<PartsOf<typeof parts>> {
    const { features, labels, featureNames, classes } = sample;
    checkAmounts(options.kernel, features, featureNames);
    const { kept, ...hierarchy } = await fitHierarchy(sample, options, run);
    const model = {
      ...hierarchy,
      squaredRadius: squaredRadius(hierarchy.machines.kernel, features),
      trainingRows: sample.rows,
      tolerance: options.tolerance,
      compression: { kept: kept.size, errors: 0, otherErrors: 0 },
    };
    // The errors are those of the finished model, which threads can evaluate.
    const scored = relaxedHierarchy.assemble({ classes, featureNames, ...model });
    const { predictions } = await classifyRows(scored, features, run);
    const wrong = Int32Array.from(labels.keys()).filter((i) => predictions[i] !== labels[i]);
    const otherErrors = wrong.filter((i) => !kept.has(i)).length;
    return { ...model, compression: { kept: kept.size, errors: wrong.length, otherErrors } };
  },
  fault(model) {
    const { nodes, trainingRows, compression } = model;
    const { kept, errors, otherErrors } = compression;
    const vectors = supportVectors(model);
    if (kept < vectors)
      return `its compression set has ${kept} rows, fewer than its ${vectors} support vectors`;
    const counts = [errors, kept + otherErrors, ...nodes.map(({ rows }) => rows)];
    const wrong = counts.find((rows) => rows > trainingRows);
    return wrong === undefined ? undefined : `it counts ${wrong} of ${trainingRows} training rows`;
  },
  outputs: pathsOf,
  predict: (_, { arrived }) => arrived,
  /**
   * Scores classes by the path of a row, as `pathScores` says; with two classes that is −f(x) and f(x). A class without
   * training rows gets the lowest score of the row.
   */
  scores({ nodes, classes }, paths) {
    const scores = pathScores(nodes, paths, new Float64Array(nodes.length).fill(1), classes.length);
    for (let i = 0; i < scores.rows; i++) lowerUnknown(scores.row(i));
    return scores;
  },
  /**
   * Scores the true class, with f(x) divided by √2·√(‖w‖²R² + b²) of its node: with the radius R of the training rows in
   * feature space, f is the dot product of (w, b/R) and (φ(x), R), so this is in [−1, 1] if ‖φ(x)‖ ≤ R, and clipped to it
   * otherwise.
   */
  margins(model, paths, labels) {
    const scores = pathScores(model.nodes, paths, marginFactors(model), model.classes.length);
    return Float64Array.from(labels, (label, i) => {
      const row = scores.row(i);
      const own = label < 0 ? Number.POSITIVE_INFINITY : row[label];
      // A class that the model does not know is as wrong as the predicted class was clear.
      const margin = own === Number.POSITIVE_INFINITY ? -largestFinite(row) : own;
      return Math.max(-1, Math.min(1, margin));
    });
  },
  complexity(model) {
    const { nodes, machines, classes, featureNames, squaredRadius } = model;
    const vcDimension = kernelVcDimension(machines.kernel, featureNames.length, { bias: true });
    return {
      ...(classes.length === 2 && Number.isFinite(vcDimension) && { vcDimension }),
      counts: {
        nodes: nodes.length,
        depth: depthOf(nodes),
        features: featureNames.length,
        supportVectors: supportVectors(model),
        squaredRadius,
      },
    };
  },
  /**
   * Lists the bounds of Theorem 3.1 and of sample compression: given the colours, each machine is determined by the compression
   * sets of all machines, because further rows change nothing (proof at `solutionOf`). The classes at the top must be known, too: if
   * some have no training rows, the kept rows do not say which, and there is no bound by compression.
   */
  certificates(model, { confidence }) {
    const { nodes, trainingRows: rows, tolerance, compression, classes, machines } = model;
    const theorem = relaxedHierarchyBound(hierarchyFacts(model, confidence));
    if (nodes[0].classes.length < classes.length) return [theorem];
    const most = machines.kind === "linear" ? MOST_VIOLATION / LINEAR_TOLERANCE : MOST_VIOLATION;
    const holds = nodes.every(({ gap }) => gap <= Math.min(tolerance, most));
    const classSetSizes = nodes.reduce((sum, { classes }) => sum + classes.length, 0);
    const certificate = sampleCompression({
      rows,
      confidence,
      kept: compression.kept,
      errors: compression.otherErrors,
      logMessages: classSetSizes * real.log(3),
      premises: [
        checkedPremise(
          "Given the colours, training on the support vectors and the rows that set a bias alone gives the same machines. This is true at the optimum, which the solver reached up to its tolerance.",
          holds,
        ),
        KNOWN_KERNEL,
      ],
      ...(!holds && { fault: "The solver stopped before it reached the optimum." }),
    });
    return [certificate, theorem];
  },
  /**
   * Lists the bounds of Theorem 3.2 for every class with training rows: how often it is taken for another, or another for it.
   */
  classCertificates(model, { confidence }) {
    const { nodes, classes } = model;
    const facts = hierarchyFacts(model, confidence);
    return Array.from(nodes[0].classes, (k) =>
      relaxedHierarchyClassBound(facts, classes[k], (j) => coloured(nodes[j]).includes(k)),
    );
  },
  converged: ({ nodes, tolerance }) => nodes.every(({ gap }) => gap <= tolerance),
  notices({ nodes, tolerance, beyondLimit }) {
    const total = formatCount(nodes.length, "node");
    const unconverged = nodes.filter(({ gap }) => gap > tolerance);
    const worst = unconverged.reduce((largest, { gap }) => Math.max(largest, gap), 0);
    return [
      ...(unconverged.length > 0
        ? [
            `The solver stopped early at ${unconverged.length} of ${total}: the KKT conditions are violated by up to ${formatNumber(worst)}, above the tolerance ${formatNumber(tolerance)}. Raise maxIterations or tolerance, or lower C.`,
          ]
        : []),
      ...(beyondLimit > 0
        ? [
            `All classes take part at ${beyondLimit} of ${total}, because otherwise there would be more than maxNodes nodes. Raise rho or maxNodes.`,
          ]
        : []),
    ];
  },
  evaluations(model, features) {
    const { machines } = model;
    const paths: number[][] = Array.from({ length: features.rows }, () => []);
    for (const { node, rows } of pathsOf(model, features).visits) {
      for (const row of rows) paths[row].push(node);
    }
    const mean = (of: (path: readonly number[]) => number) =>
      paths.reduce((sum, path) => sum + of(path), 0) / Math.max(1, features.rows);
    const visited = mean((path) => path.length);
    if (machines.kind === "linear") return { nodes: visited };
    const sizes = new Map<string, number>();
    const supportVectors = (path: readonly number[]) => {
      const key = path.join();
      const size =
        sizes.get(key) ?? new Set(path.flatMap((node) => Array.from(supportOf(machines, node)))).size;
      sizes.set(key, size);
      return size;
    };
    return { kernel: mean(supportVectors), nodes: visited };
  },
  describe(model) {
    const { nodes, machines, compression, squaredRadius, trainingRows } = model;
    const { kind, ...parameters } = machines.kernel;
    return {
      facts: [
        { name: "kernel", value: kind },
        ...Object.entries(parameters).map(([name, value]) => ({ name, value })),
        { name: "nodes", value: nodes.length },
        { name: "depth", value: depthOf(nodes) },
        { name: "support vectors", value: supportVectors(model) },
        { name: "squared radius", value: squaredRadius },
        { name: "training error", value: compression.errors / trainingRows, unit: "share" },
      ],
      sections: [
        {
          kind: "hierarchy",
          title: "class hierarchy",
          nodes: nodes.map((_, j) => describedNode(model, j)),
        },
      ],
    };
  },
});

/** A fitted relaxed hierarchy. */
export type RelaxedHierarchyModel = ReturnType<typeof relaxedHierarchy.assemble>;

/** Amounts are not scaled; with the linear kernel, features that are mostly zero stay so, as in `linear-svm`. */
function scalingOf(options: HierarchyOptions): Standardisation {
  const scaling = kernelScaling(options);
  return scaling === true && options.kernel === "linear" ? "keep-zeros" : scaling;
}

function pathsOf({ nodes, machines, featureNames }: Hierarchy, features: Matrix): RowPaths {
  checkAmounts(machines.kernel.kind, features, featureNames);
  return walk(nodes, machines, features);
}

/** Returns the path of each row: the nodes that it comes to, the value of f there, and the class at which it arrives. */
export function hierarchyPaths(model: RelaxedHierarchyModel, features: Matrix): RowPaths {
  checkFeatures(features, model.featureNames);
  return pathsOf(model, features);
}

/** Counts the support vectors of all machines, each once; linear machines keep no other rows. */
function supportVectors({ machines, compression }: Hierarchy): number {
  return machines.kind === "linear" ? compression.kept : machines.supportVectors.rows;
}

function squaredRadius(kernel: Kernel, features: Matrix): number {
  let largest = 0;
  for (let i = 0; i < features.rows; i++) {
    const row = features.row(i);
    largest = Math.max(largest, kernelValue(kernel, row, row));
  }
  return largest;
}

/** Sets the score of classes that no node knows to the lowest of the row. */
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

function marginFactors({ nodes, machines, squaredRadius }: Hierarchy): Float64Array {
  return Float64Array.from(nodes, ({ squaredNorm }, j) => {
    const bias = machines.biases[j];
    const limit = Math.sqrt(2 * (squaredNorm * squaredRadius + bias * bias));
    return limit > 0 ? 1 / limit : 0;
  });
}

function hierarchyFacts(model: Hierarchy, confidence: number): HierarchyEvidence {
  const { nodes, machines, squaredRadius, trainingRows: rows } = model;
  const { kind } = machines.kernel;
  return {
    rows,
    confidence,
    squaredRadius,
    bounded: kind === "rbf" || kind === "chi-square",
    nodes: nodes.map((node) => ({
      margin: marginOf(node),
      errors: node.errors,
      classes: node.classes.length,
    })),
  };
}

function describedNode({ nodes, machines, classes }: Hierarchy, j: number): DescribedNode {
  const node = nodes[j];
  const named = (colour: -1 | 0 | 1) => coloured(node, colour).map((k) => classes[k]);
  const described = (child: Child): DescribedChild =>
    child.kind === "node" ? { node: child.node + 1 } : { class: classes[child.class] };
  return {
    left: named(-1),
    right: named(1),
    ignored: named(0),
    margin: marginOf(node),
    rows: node.rows,
    errors: node.errors,
    ...(machines.kind === "kernel" && { supportVectors: supportOf(machines, j).length }),
    leftChild: described(node.left),
    rightChild: described(node.right),
  };
}
