/** A learner with its settings; if there are several, cross-validation on the training rows chooses. */
export interface CascadeContender {
  readonly name: string;
  readonly kind: "single" | "cascade";
  readonly learner: string;
  readonly settings: readonly Readonly<Record<string, unknown>>[];
}

/** Options of all cascades: three fractions, up to three levels or six leaves. */
const SIZE = { fractions: [0.25, 0.5, 0.75], maxDepth: 3, maxLeaves: 6, gammas: [1e-4, 1e-3, 1e-2, 1e-1] };
const MACHINES = { cGrid: [0.1, 1, 10, 100] };
/** Thresholds on up to ten features compete at each gate. */
const GATES = { gateCandidates: 10 };

/** A tree whose leaves are constants and models of a learner. */
function treeOf(base: string, baseOptions: Readonly<Record<string, unknown>> = {}) {
  return {
    ...SIZE,
    ...MACHINES,
    ...GATES,
    topology: "tree",
    leaves: ["constant", "base"],
    base,
    baseOptions,
  };
}

/** Lists the learners compared on a data set with this many features, with settings that suit small data. */
export function contendersFor(features: number): readonly CascadeContender[] {
  const gammas = [1 / (4 * features), 1 / features, 4 / features];
  return [
    { name: "logistic", kind: "single", learner: "logistic", settings: [{ C: 0.1 }, { C: 1 }] },
    {
      name: "svm, rbf",
      kind: "single",
      learner: "svm",
      settings: [1, 10, 100].flatMap((C) => gammas.map((gamma) => ({ C, gamma }))),
    },
    {
      name: "svm, polynomial",
      kind: "single",
      learner: "svm",
      settings: [1, 2, 3].flatMap((degree) => [0.1, 1, 10].map((C) => ({ kernel: "polynomial", degree, C }))),
    },
    { name: "forest", kind: "single", learner: "forest", settings: [{ trees: 300 }] },
    { name: "random-trees", kind: "single", learner: "random-trees", settings: [{ trees: 300 }] },
    {
      name: "boosted-trees",
      kind: "single",
      learner: "boosted-trees",
      settings: [{ rounds: 100, maxDepth: 3 }, { rounds: 300 }],
    },
    { name: "mlp", kind: "single", learner: "mlp", settings: [{}] },
    {
      name: "svm chain, polynomial",
      kind: "cascade",
      learner: "deep-cascade-svm",
      settings: [{ ...SIZE, ...MACHINES }],
    },
    {
      name: "svm tree, rbf",
      kind: "cascade",
      learner: "deep-cascade-svm",
      settings: [{ ...SIZE, ...MACHINES, kernel: "rbf", topology: "search" }],
    },
    {
      name: "tree, rules and kernels",
      kind: "cascade",
      learner: "deep-cascade",
      settings: [
        {
          ...SIZE,
          ...MACHINES,
          ...GATES,
          topology: "tree",
          leaves: ["constant", "threshold-1", "kernel-1", "kernel-2", "rbf"],
        },
      ],
    },
    {
      name: "tree of svm, rbf",
      kind: "cascade",
      learner: "deep-cascade",
      settings: [treeOf("svm", { C: 1 }), treeOf("svm", { C: 10 })],
    },
    { name: "tree of logistic", kind: "cascade", learner: "deep-cascade", settings: [treeOf("logistic")] },
    {
      name: "tree of forest",
      kind: "cascade",
      learner: "deep-cascade",
      settings: [{ ...treeOf("forest", { trees: 100 }), maxLeaves: 3, gateCandidates: 3 }],
    },
  ];
}
