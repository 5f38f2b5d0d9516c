import * as z from "zod";
import { trainedClasses } from "../../runtime/codec/parts.js";
import { nonNegativeNumber } from "../../runtime/codec/schema-numbers.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { runOnThreads } from "../../runtime/parallel/pausable.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { growthFunctionExact } from "../../theory/vc/growth-function.js";
import { logLinearGrowth } from "../../theory/vc/growth-of-families.js";
import { vcBound } from "../../theory/vc/vc-bound.js";
import { defineLearner } from "../define-learner.js";
import { trainingErrorsSchema } from "../fact-schemas.js";
import type { Fitted } from "../learner-definition.js";
import { type Hyperplanes, hyperplanes, weightImages } from "../linear/hyperplanes.js";
import { loadLinearRows } from "../linear/linear-rows.js";
import { placeScores } from "../scores.js";
import { classesWithRows, costOptions, rowCosts } from "../svm/row-costs.js";
import { coefficientTable } from "./coefficient-table.js";
import { fitLogistic } from "./fit-logistic.js";

/** Returns the number of linear functions; two classes share one. */
const outputCount = ({ trained }: Readonly<Record<string, number>>): number => (trained === 2 ? 1 : trained);

const penalties = ["elastic-net", "none"] as const;

const tolerance = z.number().min(1e-14).max(0.1);
const iterations = z.int().min(0).max(100_000);

const parts = {
  /** Index of each class that training rows had. */
  trained: trainedClasses,
  penalty: z.enum(penalties),
  /** The log odds of the second of two trained classes, or a score of each of several: p is their softmax. */
  outputs: hyperplanes(outputCount),
  /** Mean log-loss of the training rows, by their costs. */
  logLoss: nonNegativeNumber,
  convergence: z.strictObject({
    tolerance,
    /** Estimated distance of the objective from its minimum, as a fraction of it. */
    gap: nonNegativeNumber,
    iterations,
    /** Whether the classes can be separated, so that without a penalty there is no minimum. */
    separable: z.boolean(),
  }),
  /** Effective number of parameters, for information criteria; absent if it is unknown. */
  freeParameters: nonNegativeNumber.optional(),
  facts: trainingErrorsSchema,
};

type FittedLogistic = Fitted<typeof parts>;
/** A fitted logistic regression. */
export type LogisticModel = ReturnType<typeof logistic.assemble>;

/** Logistic regression: linear log odds, with probabilities that maximise a likelihood, penalised or not. */
export const logistic = defineLearner({
  name: "logistic",
  title: "Logistic regression",
  summary: "Linear log odds and probabilities, for dense or sparse data.",
  tasks: ["logistic/gradient", "logistic/gram"],
  options: z.object({
    penalty: z
      .enum(penalties)
      .default("elastic-net")
      .describe('Penalty on the weights; l1Ratio says which. "none" maximises the likelihood and ignores C.'),
    C: z
      .number()
      .positive()
      .max(1e12)
      .default(1)
      .describe("Inverse strength of the penalty. Larger values fit the training rows more closely.")
      .meta({ ignoredIf: { penalty: ["none"] } }),
    l1Ratio: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe("Share of the L1 penalty: 0 is L2 (ridge), 1 is L1 (lasso), which sets weights to zero.")
      .meta({ ignoredIf: { penalty: ["none"] } }),
    standardise: z
      .boolean()
      .default(true)
      .describe("Standardise features (mostly-zero ones are only scaled). Use false for word counts."),
    classWeights: costOptions.classWeights,
    tolerance: tolerance
      .default(1e-7)
      .describe("Stopping tolerance: estimated distance of the objective from its minimum, relative to it."),
    maxIterations: iterations
      .min(1)
      .default(1000)
      .describe("Maximum number of iterations. If they run out, a notice reports the remaining distance."),
  }),
  features: "matrix or sparse",
  encoding: ({ standardise }) => ({
    kind: "numeric",
    standardise: standardise && "keep-zeros",
    sparse: true,
  }),
  parts,
  async fit({ sample }, options, run) {
    const { penalty, C, l1Ratio, classWeights, tolerance, maxIterations } = options;
    const trained = classesWithRows(sample);
    const costs = rowCosts(sample, { C: penalty === "none" ? 1 : C, classWeights }, trained);
    const places = Int32Array.from(sample.classes, (_, k) => trained.indexOf(k));
    const labels = sample.labels.map((label) => places[label]);
    const rows = await runOnThreads(loadLinearRows(sample.features), run);
    try {
      const fitted = await fitLogistic(
        { rows, classes: trained.length, labels, costs },
        {
          l1: penalty === "none" ? 0 : l1Ratio,
          l2: penalty === "none" ? 0 : 1 - l1Ratio,
          tolerance,
          maxIterations,
          // With weights, the objective is not the likelihood of the rows.
          countsParameters: classWeights === "none" && !sample.weights,
        },
        run,
      );
      const { solution, outputs, errors, freeParameters } = fitted;
      return {
        trained,
        penalty,
        outputs,
        logLoss: solution.loss / costs.reduce((sum, cost) => sum + cost, 0),
        convergence: {
          tolerance,
          gap: solution.gap,
          iterations: solution.iterations,
          separable: solution.separable,
        },
        ...(freeParameters !== undefined && { freeParameters }),
        facts: { rows: sample.rows, errors },
      };
    } finally {
      rows.release();
    }
  },
  /** Computes the scores of all trained classes: 0 and f(x) for two, f_k(x) for more. */
  outputs({ outputs, trained }, features) {
    const values = outputs.values(features);
    if (values.columns > 1) return values;
    const both = new Matrix(values.rows, trained.length);
    for (let i = 0; i < values.rows; i++) both.values[2 * i + 1] = values.values[i];
    return both;
  },
  /** Computes probabilities, the softmax of the scores; classes without training rows have probability 0. */
  scores({ trained, classes }, outputs) {
    const scores = new Matrix(outputs.rows, classes.length);
    const own = new Float64Array(trained.length);
    for (let i = 0; i < outputs.rows; i++) {
      softmax(outputs.row(i), own);
      placeScores(own, trained, scores.row(i), () => 0);
    }
    return scores;
  },
  additive({ outputs, trained }, classIndex) {
    const place = trained.indexOf(classIndex);
    if (place < 0) return undefined;
    const isTwo = outputs.biases.length === 1;
    const output = isTwo ? 0 : place;
    const sign = isTwo && place === 0 ? -1 : 1;
    return {
      kind: "terms",
      unit: isTwo ? "log-odds" : "margin",
      base: sign * outputs.biases[output],
      columnTerms: (features, columnOf, columns) =>
        outputs.columnTerms(output, sign, features, columnOf, columns),
    };
  },
  complexity({ classes, featureNames, outputs, freeParameters }) {
    const features = featureNames.length;
    return {
      ...(classes.length === 2 && { vcDimension: features + 1 }),
      ...(freeParameters !== undefined && { freeParameters }),
      counts: {
        features,
        weights: outputs.weights.values.length + outputs.biases.length,
        nonZeroWeights: nonZero(outputs) + outputs.biases.length,
      },
    };
  },
  /**
   * Lists bounds by the number of ways in which linear functions can label rows: they hold at any weights, converged or not. The
   * functions are for all classes, since only the draw of the rows decides which classes have some.
   */
  certificates({ facts, featureNames, classes }, { confidence }) {
    const features = featureNames.length;
    const evidence = { ...facts, confidence };
    const logGrowth = (points: number) => logLinearGrowth(points, features, classes.length);
    const exact = growthFunctionExact({ ...evidence, logGrowth });
    return classes.length === 2 ? [exact, vcBound({ ...evidence, vcDimension: features + 1 })] : [exact];
  },
  converged: hasConverged,
  notices: (model) => [...separationNotices(model), ...convergenceNotices(model)],
  describe(model) {
    const { penalty, outputs, logLoss, convergence, freeParameters } = model;
    return {
      facts: [
        { name: "penalty", value: penalty },
        { name: "weights other than zero", value: nonZero(outputs) },
        ...(freeParameters === undefined ? [] : [{ name: "free parameters", value: freeParameters }]),
        { name: "mean log-loss in training", value: logLoss },
        { name: "iterations", value: convergence.iterations },
        { name: "relative distance from the minimum", value: convergence.gap },
        { name: "converged", value: hasConverged(model) },
      ],
      sections: [coefficientTable(model), ...weightImages(outputs, model.featureNames, outputClasses(model))],
    };
  },
});

/** Lists the class that each output speaks for: the second of two, otherwise one after the other. */
function outputClasses({ classes, trained, outputs }: FittedLogistic): string[] {
  return (outputs.biases.length === 1 ? [trained[1]] : trained).map((k) => classes[k]);
}

function hasConverged({ convergence: { gap, tolerance, separable } }: FittedLogistic): boolean {
  return gap <= tolerance && !separable;
}

function separationNotices({ convergence, classes, trained }: FittedLogistic): string[] {
  if (!convergence.separable) return [];
  const which = trained.length === 2 ? trained.map((k) => classes[k]).join(" and ") : "the classes";
  return [
    `The features separate ${which} on the training rows, so the likelihood has no maximum and the weights grow without bound. ` +
      `The solver stopped after ${formatCount(convergence.iterations, "iteration")}. Set penalty to elastic-net.`,
  ];
}

function convergenceNotices(model: FittedLogistic): string[] {
  const { gap, tolerance, separable, iterations } = model.convergence;
  if (separable || hasConverged(model)) return [];
  return [
    `The solver stopped after ${formatCount(iterations, "iteration")} without converging: the objective is about ` +
      `${formatNumber(gap)} of itself above the minimum, more than the tolerance ${formatNumber(tolerance)}. ` +
      "Raise maxIterations or tolerance, or lower C.",
  ];
}

function nonZero({ weights }: Hyperplanes): number {
  let count = 0;
  for (const weight of weights.values) if (weight !== 0) count++;
  return count;
}

/** Computes exp(f_k) / Σ exp(f_l). */
function softmax(scores: ArrayLike<number>, to: Float64Array): void {
  let most = scores[0];
  for (let k = 1; k < to.length; k++) most = Math.max(most, scores[k]);
  let total = 0;
  for (let k = 0; k < to.length; k++) {
    to[k] = real.exp(scores[k] - most);
    total += to[k];
  }
  for (let k = 0; k < to.length; k++) to[k] /= total;
}
