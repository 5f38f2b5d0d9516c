/** Options of learners whose defaults take long; all others are quick with their defaults. */
export const QUICK_OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "deep-cascade": { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1] },
  "deep-cascade-svm": { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1] },
  "deep-cascade-perceptron": { maxDepth: 2, gammas: [0.01], fractions: [0.5] },
  "cascade-forest": { trees: 10, layers: 2 },
  gcforest: { trees: 10, layers: 2 },
  mddf: { trees: 10, layers: 2 },
};
