/** Tables 4.1 (errors and deviations in cross-validation) and 4.2 (test errors, on one random split). */
export const reportPublished = [
  {
    dataset: "breastcancer",
    validation: { cascade: [0.036, 0.008], svm: [0.027, 0.004] },
    test: { cascade: 0.02, svm: 0.057, perceptron: 0.036 },
    depth: 4,
  },
  {
    dataset: "ionosphere",
    validation: { cascade: [0.071, 0.032], svm: [0.093, 0.033] },
    test: { cascade: 0.126, svm: 0.126, perceptron: 0.112 },
    depth: 2,
  },
  {
    dataset: "german",
    validation: { cascade: [0.321, 0.012], svm: [0.236, 0.006] },
    test: { cascade: 0.26, svm: 0.215, perceptron: 0.235 },
    depth: 2,
  },
] as const;
