import type { Sample } from "#core/encode/sample.js";
import type { ComplexityMeasure } from "#core/learners/cascade/search-space.js";
import { trainPerceptronSync } from "#core/learners/perceptron/batch-perceptron.js";
import { bestListed, type Listed, listCascades } from "./exhaustive.js";

/** Finds the best cascade of at most three perceptrons, one of the kernels each, by trying all of them. */
export function bestPerceptronCascade(
  sample: Sample,
  kernels: readonly { row(i: number): Float32Array }[],
  {
    fractions,
    minDepth = 1,
    gamma,
    complexity,
  }: {
    readonly fractions: readonly number[];
    readonly minDepth?: number;
    readonly gamma: number;
    readonly complexity: ComplexityMeasure;
  },
): Listed {
  const labels = Int8Array.from(sample.labels, (label) => (label === 0 ? 1 : -1));
  const listed = listCascades({
    rows: Array.from(labels, (_, i) => i),
    labels,
    train: (rows, choice) => {
      const own = Int8Array.from(rows, (row) => labels[row]);
      const problem = { kernel: kernels[choice], rows: Int32Array.from(rows), labels: own };
      const trained = trainPerceptronSync(problem, { passes: 4, averaged: false });
      return { values: [...trained.decisionValues], norm: Math.sqrt(trained.squaredNorm) };
    },
    space: {
      choices: kernels.length,
      lastChoices: kernels.map((_, choice) => choice),
      fractions: [...fractions],
      minDepth,
      maxDepth: 3,
      nonDecreasing: false,
      sameFraction: false,
    },
    gamma,
    complexity,
    strict: false,
  });
  return bestListed(listed);
}
