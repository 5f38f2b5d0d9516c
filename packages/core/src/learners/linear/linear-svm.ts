import * as z from "zod";
import { trainedClasses } from "../../runtime/codec/parts.js";
import { nonNegativeNumber } from "../../runtime/codec/schema-numbers.js";
import { float64, int32 } from "../../runtime/codec/tensor-parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { runOnThreads } from "../../runtime/parallel/pausable.js";
import { kernelMachineCertificates } from "../../theory/compression/sample-compression.js";
import { compressionFault } from "../compression-facts.js";
import { defineLearner } from "../define-learner.js";
import { compressionFactsSchema } from "../fact-schemas.js";
import type { Fitted } from "../learner-definition.js";
import { belowAll, indexOfLargest, placeScores } from "../scores.js";
import {
  atOptimum,
  convergenceNotices,
  convergenceOf,
  hasConverged,
  machineTable,
} from "../svm/convergence.js";
import { classesWithRows, costOptions, rowCosts } from "../svm/row-costs.js";
import { losses } from "./dual-coordinate-descent.js";
import { Hyperplanes, hyperplanes, weightImages } from "./hyperplanes.js";
import { loadLinearRows } from "./linear-rows.js";
import { type TrainedMachine, trainClasses } from "./train-classes.js";

/** Returns the number of machines; two classes share one. */
const machineCount = ({ trained }: Readonly<Record<string, number>>): number => (trained === 2 ? 1 : trained);

const tolerance = z.number().min(1e-12).max(10);
const biasFeature = z.number().min(0).max(1e6);

const parts = {
  /** Index of each class that training rows had. */
  trained: trainedClasses,
  loss: z.enum(losses),
  /** Value of the constant feature. */
  biasFeature,
  /** One for the first of two trained classes, or one for each of several: positive for its class. */
  machines: hyperplanes(machineCount),
  /** ‖w‖² + v² of each machine, where v is the weight of the constant feature. */
  squaredNorms: float64([machineCount], { min: 0 }),
  /** Number of rows that each machine depends on. */
  supportVectors: int32([machineCount], { min: 0 }),
  /** R² = max ‖x‖² over the training rows. */
  squaredRadius: nonNegativeNumber,
  convergence: convergenceOf(machineCount, tolerance),
  /** Absent if the support vectors alone do not determine the model, and for more than two classes. */
  compression: compressionFactsSchema.optional(),
};

const DESCENT = {
  step: "pass",
  steps: "passes",
  violation: "the spread of the projected gradients",
  limit: "maxPasses",
};

type FittedLinearSvm = Fitted<typeof parts>;
/** A fitted linear support vector machine. */
export type LinearSvmModel = ReturnType<typeof linearSvm.assemble>;

/**
 * Linear support vector machines for wide data: one for two classes, one against the rest for each of several.
 *
 * From `fit` to model:
 * 1. `classesWithRows` and `rowCosts` find the classes to separate, and C of each row.
 * 2. `loadLinearRows` copies the rows to WebAssembly memory: dense or sparse, whichever is shorter, and in single precision if that
 *    loses no digits. Ranges of rows are surveyed first and then written, on all threads.
 * 3. `trainClasses` trains a machine for each class on all threads, which read the same rows.
 * 4. `solveLinearSvm` solves a machine by dual coordinate descent with shrinking (`wasm/linear.ts`).
 * 5. `compressionFacts` counts the support vectors and the errors on other rows, for certificates.
 * 6. The weights of all machines are the `Hyperplanes` of the model, which evaluate rows as one matrix product.
 */
export const linearSvm = defineLearner({
  name: "linear-svm",
  title: "Linear support vector machine",
  summary: "Maximum-margin linear classifiers, for wide or sparse data.",
  tasks: ["linear-svm/train-class"],
  options: z.object({
    C: costOptions.C,
    loss: z
      .enum(losses)
      .default("squared-hinge")
      .describe(
        "Loss of rows inside the margin: their distance to it (hinge) or its square (squared-hinge).",
      ),
    bias: biasFeature
      .default(1)
      .describe("Value of the constant feature that gives the intercept; 0 means no intercept."),
    standardise: z
      .boolean()
      .default(true)
      .describe("Standardise features (mostly-zero ones are only scaled). Use false for word counts."),
    classWeights: costOptions.classWeights,
    tolerance: tolerance
      .default(0.01)
      .describe("Stopping tolerance: the remaining spread of the projected gradients."),
    maxPasses: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1000)
      .describe(
        "Maximum passes over the rows per class. If they run out, a notice reports the remaining spread.",
      ),
  }),
  features: "matrix or sparse",
  encoding: ({ standardise }) => ({
    kind: "numeric",
    standardise: standardise && "keep-zeros",
    sparse: true,
  }),
  scoring: "decision",
  parts,
  async fit({ sample }, options, run) {
    const { features, labels, classes, featureNames, weights } = sample;
    const { loss, bias, tolerance } = options;
    const trained = classesWithRows(sample);
    const costs = rowCosts(sample, options, trained);
    using rows = await runOnThreads(loadLinearRows(features), run);
    const positives = trained.length === 2 ? trained.slice(0, 1) : trained;
    const machines = await trainClasses(rows, labels, costs, positives, options, run);
    const numbers = (of: (machine: TrainedMachine) => number) => Float64Array.from(machines, of);
    const balanced = options.classWeights === "balanced";
    // Balanced classes depend on a number of rows; those of weighted rows on more than can be counted.
    const messages = balanced ? sample.rows + 1 : 1;
    const isDetermined = classes.length === 2 && !(balanced && weights);
    return {
      trained,
      loss,
      biasFeature: bias,
      machines: new Hyperplanes(
        stacked(machines, featureNames.length),
        numbers((machine) => machine.bias),
      ),
      squaredNorms: numbers(({ squaredNorm }) => squaredNorm),
      supportVectors: Int32Array.from(machines, ({ supportVectors }) => supportVectors),
      squaredRadius: rows.squaredRadius,
      convergence: {
        tolerance,
        violations: numbers(({ violation }) => violation),
        dualityGaps: numbers(({ objective, dualObjective }) => objective - dualObjective),
        steps: numbers(({ passes }) => passes),
      },
      ...(isDetermined && { compression: { ...machines[0].facts, messages } }),
    };
  },
  fault: ({ supportVectors, compression }) => compressionFault(compression, supportVectors[0]),
  /** Computes f(x) and −f(x) for two classes, f(x) of the machine of each class for more: a column for each trained class. */
  outputs({ machines, trained }, features) {
    const values = machines.values(features);
    if (values.columns > 1) return values;
    const both = new Matrix(values.rows, trained.length);
    for (let i = 0; i < values.rows; i++) {
      both.values[2 * i] = values.values[i];
      both.values[2 * i + 1] = -values.values[i];
    }
    return both;
  },
  scores({ trained, classes }, outputs) {
    const scores = new Matrix(outputs.rows, classes.length);
    for (let i = 0; i < outputs.rows; i++) placeScores(outputs.row(i), trained, scores.row(i), belowAll);
    return scores;
  },
  additive({ machines, trained }, classIndex) {
    const index = trained.indexOf(classIndex);
    if (index < 0) return undefined;
    const machine = machines.biases.length === 1 ? 0 : index;
    const sign = machine === index ? 1 : -1;
    return {
      kind: "terms",
      unit: "decision value",
      base: sign * machines.biases[machine],
      columnTerms: (features, columnOf, columns) =>
        machines.columnTerms(machine, sign, features, columnOf, columns),
    };
  },
  /**
   * Computes normalised margins. Let u = (w, v) and z = (x, constant), so that f(x) = u·z, and ‖z‖ ≤ ρ on the training rows.
   * The margin is the smallest of (f_y − f_k)/((‖u_y‖ + ‖u_k‖)ρ) over the other classes k, clipped to [−1, 1]; for two classes
   * it is y·f(x)/(‖u‖ρ), the margin of a hyperplane of norm 1 on points of norm at most 1.
   */
  margins({ trained, squaredNorms, squaredRadius, biasFeature }, outputs, labels) {
    const radius = Math.sqrt(squaredRadius + biasFeature ** 2);
    const norms = trained.map((_, c) => radius * Math.sqrt(squaredNorms[c] ?? squaredNorms[0]));
    return Float64Array.from(labels, (label, i) => {
      const own = outputs.row(i);
      const known = trained.indexOf(label);
      const margin = smallestMargin(own, known < 0 ? indexOfLargest(own) : known, norms);
      return known < 0 ? -margin : margin;
    });
  },
  complexity({ classes, featureNames, machines, squaredNorms, squaredRadius, biasFeature }) {
    const features = featureNames.length;
    return {
      ...(classes.length === 2 && { vcDimension: features + (biasFeature > 0 ? 1 : 0) }),
      counts: {
        features,
        machines: machines.biases.length,
        largestSquaredNorm: squaredNorms.reduce((largest, norm) => Math.max(largest, norm), 0),
        squaredRadius,
      },
    };
  },
  /**
   * Lists the certificates. The support vectors determine the machine of two classes: the optimum for all rows is the optimum
   * for them alone, since the others cost nothing, and it is unique, since the weight of the constant feature is part of the
   * norm.
   */
  certificates({ compression, convergence, featureNames }, { confidence }) {
    if (!compression) return [];
    return kernelMachineCertificates({
      ...compression,
      confidence,
      dimension: featureNames.length + 1,
      determined: atOptimum(convergence, "the support vectors", "machine"),
    });
  },
  converged: ({ convergence }) => hasConverged(convergence),
  notices: (model) => convergenceNotices(model.convergence, DESCENT, (m) => machineName(model, m)),
  describe(model) {
    const { loss, biasFeature, squaredRadius, convergence, machines, squaredNorms, supportVectors } = model;
    const solved = Array.from(machines.biases, (bias, m) => ({
      classes: machineName(model, m),
      supportVectors: supportVectors[m],
      bias,
      squaredNorm: squaredNorms[m],
    }));
    return {
      facts: [
        { name: "loss", value: loss },
        { name: "bias feature", value: biasFeature },
        { name: "squared radius", value: squaredRadius },
        { name: "converged", value: hasConverged(convergence) },
      ],
      sections: [
        machineTable(solved, convergence, DESCENT),
        ...weightImages(machines, model.featureNames, positiveClasses(model)),
      ],
    };
  },
});

/** Lists the class that each machine speaks for: the first of two, otherwise one after the other. */
function positiveClasses({ classes, trained, machines }: FittedLinearSvm): string[] {
  return Array.from(trained.slice(0, machines.biases.length), (k) => classes[k]);
}

/** Stacks the weights of all machines, a row each. */
function stacked(machines: readonly TrainedMachine[], features: number): Matrix {
  const weights = new Matrix(machines.length, features);
  machines.forEach((machine, m) => {
    weights.row(m).set(machine.weights);
  });
  return weights;
}

function machineName({ classes, trained, machines }: FittedLinearSvm, machine: number): string {
  const opponent = machines.biases.length === 1 ? classes[trained[1]] : "the rest";
  return `${classes[trained[machine]]} vs ${opponent}`;
}

function smallestMargin(scores: ArrayLike<number>, own: number, norms: readonly number[]): number {
  let smallest = 1;
  for (let k = 0; k < scores.length; k++) {
    if (k === own) continue;
    const limit = norms[own] + norms[k];
    const margin = limit > 0 ? (scores[own] - scores[k]) / limit : 0;
    if (margin < smallest) smallest = margin;
  }
  return Math.max(-1, smallest);
}
