import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { deepCascadeSvm } from "@vouch/core/internal/learners/cascade/kernel-cascades";
import { mddf } from "@vouch/core/internal/learners/deep-forest/deep-forests";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import type { Learner } from "@vouch/core/internal/learners/learner";
import { svm } from "@vouch/core/internal/learners/svm/svm";
import type { Table } from "@vouch/core/internal/table/table";
import { loadDataset } from "@vouch/datasets";
import { BOOSTING_PEERS } from "./boosted-trees.js";
import type { PeerRows } from "./peer-files.js";
import { manyRows } from "./synthetic.js";

/** A peer: a script in `peers/`, the module that it needs, and its arguments, including rows and threads. */
interface ScalingPeer {
  readonly name: string;
  readonly script: string;
  readonly module: string;
  args(rows: PeerRows, threads: number): readonly string[];
}

function randomForest(trees: number): readonly ScalingPeer[] {
  return [
    {
      name: "scikit-learn RandomForestClassifier",
      script: "forest.py",
      module: "sklearn",
      args: (rows, threads) => ["fit", "forest", ...rows, String(trees), String(threads)],
    },
  ];
}

function boosting(rounds: number): readonly ScalingPeer[] {
  return BOOSTING_PEERS.map((peer) => ({
    ...peer,
    args: (rows, threads) => [...rows, String(rounds), String(threads)],
  }));
}

const supportVectors: readonly ScalingPeer[] = [
  {
    name: "scikit-learn SVC, fit and score",
    script: "svc.py",
    module: "sklearn",
    args: (rows) => ["fit", ...rows, "10"],
  },
];

/** A complete training: rows, a learner, and how rows are held out. */
interface ScalingWork {
  readonly title: string;
  load(): Promise<{ readonly train: Table; readonly test?: Table; readonly target: string }>;
  learner(): Learner;
  /** Programs that do the same work, without certificates. */
  readonly peers?: readonly ScalingPeer[];
}

const million = async () => ({ train: manyRows(1_000_000), target: "label" });

function named(name: string): ScalingWork["load"] {
  return async () => {
    const { train, test, entry } = await loadDataset(name);
    return { train, test, target: entry.target };
  };
}

/** The works of the benchmark by name. */
export const scalingWorks: Readonly<Record<string, ScalingWork>> = {
  "forest-letter": {
    title: "forest, 400 trees, letter",
    load: named("letter"),
    learner: () => forest({ trees: 400 }),
    peers: randomForest(400),
  },
  "forest-million": {
    title: "forest, 32 trees, 1,000,000 × 28",
    load: million,
    learner: () => forest({ trees: 32 }),
  },
  "forest-mnist": {
    title: "forest, 100 trees, mnist",
    load: named("mnist"),
    learner: () => forest({ trees: 100 }),
  },
  "boosted-million": {
    title: "boosted-trees, 100 rounds, 1,000,000 × 28",
    load: million,
    learner: () => boostedTrees({ rounds: 100 }),
    peers: boosting(100),
  },
  "boosted-adult": {
    title: "boosted-trees, 300 rounds, adult",
    load: named("adult"),
    learner: () => boostedTrees({ rounds: 300 }),
  },
  "mddf-letter": { title: "mddf, letter", load: named("letter"), learner: () => mddf() },
  "cascade-german": {
    title: "deep-cascade-svm, german, one γ",
    load: named("german"),
    learner: () => deepCascadeSvm({ gammas: [0.01] }),
  },
  "svm-letter": {
    title: "svm, RBF, C = 10, one-vs-one, letter",
    load: named("letter"),
    learner: () => svm({ kernel: "rbf", C: 10 }),
    peers: supportVectors,
  },
};
