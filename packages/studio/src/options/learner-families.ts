/** Families of learners in display order, simple ones first. */
export const LEARNER_FAMILIES = [
  "Simple",
  "Trees and ensembles of trees",
  "Kernels and margins",
  "Neural networks",
  "Deep cascades and deep forests",
  "Several two-class models",
] as const;

export type LearnerFamily = (typeof LEARNER_FAMILIES)[number];

const FAMILIES: Readonly<Record<LearnerFamily, readonly string[]>> = {
  Simple: ["majority", "stump", "logistic", "perceptron"],
  "Trees and ensembles of trees": ["tree", "forest", "random-trees", "boosted-trees", "adaboost", "ensemble"],
  "Kernels and margins": ["linear-svm", "svm", "relaxed-hierarchy"],
  "Neural networks": ["mlp", "sae", "dbn"],
  "Deep cascades and deep forests": [
    "deep-cascade",
    "deep-cascade-perceptron",
    "deep-cascade-svm",
    "cascade-forest",
    "gcforest",
    "mddf",
  ],
  "Several two-class models": ["one-vs-one", "one-vs-rest", "dag-svm"],
};

/** Returns the family of a learner; unlisted learners count as simple. */
export function learnerFamily(name: string): LearnerFamily {
  return LEARNER_FAMILIES.find((family) => FAMILIES[family].includes(name)) ?? "Simple";
}
