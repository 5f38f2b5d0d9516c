import { z } from "zod";
import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { SparseRows } from "../../runtime/sparse-rows.js";
import { withPauses } from "../../runtime/steps.js";
import type { Learner } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import type { CompressionFacts } from "../training-facts.js";
import { checkFinite, trainingSample } from "../training-sample.js";
import { losses } from "./dual-coordinate-descent.js";
import { Hyperplanes } from "./hyperplanes.js";
import { LinearSvmModel } from "./linear-model.js";
import { LinearRows } from "./linear-rows.js";
import { type TrainedMachine, trainClasses } from "./train-classes.js";

/** The options of `linear-svm`. */
const linearSvmOptions = z.object({
  C: z
    .number()
    .positive()
    .default(1)
    .describe("What a training row inside the margin costs: the larger, the closer the fit."),
  loss: z
    .enum(losses)
    .default("squared-hinge")
    .describe("Whether rows inside the margin cost their distance to it (hinge) or its square."),
  bias: z
    .number()
    .min(0)
    .max(1e6)
    .default(1)
    .describe(
      "Value of a constant feature, whose weight shifts the hyperplane; with 0 it goes through the origin.",
    ),
  standardise: z
    .boolean()
    .default(true)
    .describe(
      "Scale features to deviation 1, and to mean 0 unless they are mostly zero; false for counts of words.",
    ),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe("With balanced, C is larger for rows of rare classes, so that all classes count the same."),
  tolerance: z
    .number()
    .min(1e-12)
    .max(10)
    .default(0.01)
    .describe(
      "How far the solution may be from optimal: the spread of the projected gradients that is left.",
    ),
  maxPasses: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe("Passes over the rows for each class; when they are used up, a notice tells what is left."),
});

const NAME = "linear-svm";

type LinearSvmOptions = z.output<typeof linearSvmOptions>;
type LinearSample = Sample<Matrix | SparseRows>;

/** Linear support vector machines for wide data: one for two classes, one against the rest for each of several. */
export function linearSvm(
  options?: z.input<typeof linearSvmOptions>,
): Learner<LinearSvmModel, Matrix | SparseRows> {
  const parsed = parseOptions(NAME, linearSvmOptions, options);
  return {
    name: NAME,
    options: parsed,
    encoding: { kind: "numeric", standardise: parsed.standardise && "keep-zeros" },
    async fit(given: LinearSample, partialRun?: Partial<Run>) {
      const { features, featureNames } = given;
      if (!(features instanceof SparseRows)) checkFinite(features, featureNames);
      const { sample } = trainingSample(NAME, given);
      return train(sample, parsed, completeRun(partialRun));
    },
  };
}

/** What the rest of the system knows of `linear-svm`. */
export const linearSvmDefinition: LearnerDefinition<
  typeof linearSvmOptions,
  LinearSvmModel,
  Matrix | SparseRows
> = {
  name: NAME,
  summary: "Linear support vector machines for wide and sparse data: one hyperplane for each class.",
  options: linearSvmOptions,
  multiclass: true,
  create: linearSvm,
  restore: LinearSvmModel.restore,
};

async function train(sample: LinearSample, options: LinearSvmOptions, run: Run): Promise<LinearSvmModel> {
  const { features, labels } = sample;
  const trained = classesOf(sample);
  const costs = rowCosts(sample, options, trained.length);
  const rows = await withPauses(LinearRows.inSteps(features), run.signal);
  try {
    const positives = trained.length === 2 ? trained.slice(0, 1) : trained;
    const machines = await trainClasses(rows, labels, costs, positives, options, run);
    return modelOf(sample, trained, machines, rows.squaredRadius, options);
  } finally {
    rows.release();
  }
}

function modelOf(
  { classes, featureNames, rows, weights }: LinearSample,
  trained: readonly number[],
  machines: readonly TrainedMachine[],
  squaredRadius: number,
  options: LinearSvmOptions,
): LinearSvmModel {
  const { loss, bias, tolerance, classWeights } = options;
  const numbers = (of: (machine: TrainedMachine) => number) => Float64Array.from(machines, of);
  const all = new Matrix(machines.length, featureNames.length);
  machines.forEach((machine, m) => {
    all.row(m).set(machine.weights);
  });
  const balanced = classWeights === "balanced";
  // Balanced classes of weighted rows take more from the rows than the support vectors tell; those of plain rows a count.
  const certifiable = classes.length === 2 && !(balanced && weights);
  const training: CompressionFacts = { ...machines[0].facts, messages: balanced ? rows + 1 : 1 };
  return new LinearSvmModel({
    classes,
    featureNames,
    trained,
    loss,
    biasFeature: bias,
    machines: new Hyperplanes(
      all,
      numbers((machine) => machine.bias),
    ),
    squaredNorms: numbers(({ squaredNorm }) => squaredNorm),
    supportVectors: Int32Array.from(machines, ({ supportVectors }) => supportVectors),
    squaredRadius,
    convergence: {
      tolerance,
      violations: numbers(({ violation }) => violation),
      dualityGaps: numbers(({ objective, dualObjective }) => objective - dualObjective),
      passes: numbers(({ passes }) => passes),
    },
    ...(certifiable && { training }),
  });
}

/** The classes that have rows. */
function classesOf({ labels, classes }: LinearSample): number[] {
  const present = new Uint8Array(classes.length);
  for (const label of labels) present[label] = 1;
  return classes.map((_, k) => k).filter((k) => present[k] === 1);
}

/** C of each row: that of the options, times the row's weight, times that of its class. */
function rowCosts(
  { rows, labels, weights, classes: all }: LinearSample,
  { C, classWeights }: LinearSvmOptions,
  classes: number,
): Float64Array {
  const costs = weights ? weights.map((weight) => C * weight) : new Float64Array(rows).fill(C);
  if (classWeights === "none") return costs;
  const totals = new Float64Array(all.length);
  for (let i = 0; i < rows; i++) totals[labels[i]] += costs[i];
  const total = totals.reduce((sum, own) => sum + own, 0);
  return costs.map((cost, i) => (cost * total) / (classes * totals[labels[i]]));
}

/** TRANSITION */
export const linearSvmKind = legacyKind(linearSvmDefinition);
