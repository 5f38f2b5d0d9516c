import { loadDataset } from "@vouch/datasets";
import { boostedTrees, deepCascadeSvm, forest, type Learner, mddf, svm, type Table } from "vouch";
import { manyRows } from "./synthetic.js";

/** A whole training: rows, a learner, and how rows are held out. */
interface ScalingWork {
  readonly title: string;
  load(): Promise<{ readonly train: Table; readonly test?: Table; readonly target: string }>;
  learner(): Learner;
  /** The peer that does the same work: a script in `peers/` and its model. */
  readonly peer?: "forest" | "boosting" | "svm";
}

const million = async () => ({ train: manyRows(1_000_000), target: "label" });

function named(name: string): ScalingWork["load"] {
  return async () => {
    const { train, test, entry } = await loadDataset(name);
    return { train, ...(test && { test }), target: entry.target };
  };
}

/** The works of the benchmark by name. */
export const scalingWorks: Readonly<Record<string, ScalingWork>> = {
  "forest-letter": {
    title: "forest, 400 trees, letter",
    load: named("letter"),
    learner: () => forest({ trees: 400 }),
    peer: "forest",
  },
  "forest-million": {
    title: "forest, 32 trees, 1,000,000 × 28",
    load: million,
    learner: () => forest({ trees: 32 }),
    peer: "forest",
  },
  "forest-mnist": {
    title: "forest, 100 trees, mnist",
    load: named("mnist"),
    learner: () => forest({ trees: 100 }),
    peer: "forest",
  },
  "boosted-million": {
    title: "boosted-trees, 100 rounds, 1,000,000 × 28",
    load: million,
    learner: () => boostedTrees({ rounds: 100 }),
    peer: "boosting",
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
    peer: "svm",
  },
};
