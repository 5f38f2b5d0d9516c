import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import { runOnThreads, runWithCheckpoints } from "../../runtime/parallel/pausable.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { Arena, bytesOf, Scope } from "../../runtime/wasm/arena.js";
import { NODE_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { indexOfLargest } from "../scores.js";
import { FULL_GROWTH, type TreeGrowth } from "../tree/growth-options.js";
import { allRows } from "../tree/sample-rows.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { loneGrowerLayout, TreeGrower } from "../tree/tree-grower.js";
import { TreeSet } from "../tree/tree-set.js";
import { TreeTarget } from "../tree/tree-target.js";
import { type FoundRule, type RuleFinder, reweighing, type WeakLearner } from "./adaboost-rounds.js";
import type { WeakPredictions } from "./votes.js";

/**
 * Makes a weak learner of trees of limited depth, grown by the Gini index of the weighted rows on all features, as `forest`
 * grows them; a leaf predicts its heaviest class. A rule is a set of one tree whose leaves hold one class each.
 */
export function treeLearner(depth: number): WeakLearner<BinnedColumns, TreeSet> {
  return {
    name: "tree",
    async finder(sample, classes, run) {
      using unfinished = new Scope();
      const scope = unfinished.hold(new Scope());
      const columns = scope.hold(await runOnThreads(TreeColumns.copy(sample.features), run));
      const finder = new TreeFinder(sample, columns, classes, { ...FULL_GROWTH, maxDepth: depth }, scope);
      unfinished.leave(scope);
      return finder;
    },
    predictor(features) {
      const classes = new Int32Array(features.rows);
      return (tree) => {
        predictByTree(tree, 0, features, classes);
        return asPredictions(classes);
      };
    },
  };
}

/** Predictions as classes of rows: side k means class k. */
function asPredictions(classes: Int32Array): WeakPredictions {
  return { left: 0, right: 1, sides: classes };
}

/** Yields the predictions of each tree of a set; each is overwritten by the next. */
export function* treePredictions(trees: TreeSet, features: BinnedColumns): Generator<WeakPredictions, void> {
  const classes = new Int32Array(features.rows);
  for (let t = 0; t < trees.trees; t++) {
    predictByTree(trees, t, features, classes);
    yield asPredictions(classes);
  }
}

/** Computes each class's share of the votes for each row. */
export function treeVoteShares(
  trees: TreeSet,
  rounds: readonly { readonly alpha: number }[],
  features: BinnedColumns,
): Matrix {
  const shares = new Matrix(features.rows, trees.classes);
  const { values, columns } = shares;
  const classes = new Int32Array(features.rows);
  let total = 0;
  rounds.forEach(({ alpha }, t) => {
    predictByTree(trees, t, features, classes);
    total += alpha;
    for (let i = 0; i < classes.length; i++) values[i * columns + classes[i]] += alpha;
  });
  for (let k = 0; k < values.length; k++) values[k] /= total;
  return shares;
}

/** Predicts the class of each row by a tree whose leaves hold one class each. */
function predictByTree(trees: TreeSet, tree: number, features: BinnedColumns, classes: Int32Array): void {
  const { nodes, nodeStarts } = trees.arrays;
  const first = nodeStarts[tree];
  for (let i = 0; i < classes.length; i++) {
    classes[i] = nodes[(first + trees.leafOf(tree, features, i)) * NODE_WORDS];
  }
}

/** Grows trees for changing weights of the same rows. */
class TreeFinder implements RuleFinder<TreeSet> {
  readonly #growth: TreeGrowth;
  readonly #labels: Int32Array;
  readonly #classes: number;
  readonly #rows: Int32Array;
  readonly #features: BinnedColumns;
  /** The predictions of the last tree. */
  readonly #predicted: Int32Array;
  readonly #scope: Scope;
  readonly #target: TreeTarget;
  readonly #grower: TreeGrower;

  constructor(
    { features, labels, classes }: Sample<BinnedColumns>,
    columns: TreeColumns,
    trainingClasses: number,
    growth: TreeGrowth,
    scope: Scope,
  ) {
    this.#growth = growth;
    this.#labels = labels;
    this.#classes = trainingClasses;
    this.#rows = allRows(labels.length);
    this.#features = features;
    this.#predicted = new Int32Array(labels.length);
    this.#scope = scope;
    this.#target = scope.hold(TreeTarget.of(labels, classes.length, new Float64Array(labels.length)));
    const arena = scope.hold(Arena.allocate(bytesOf(loneGrowerLayout(columns, this.#target))));
    this.#grower = TreeGrower.alone(columns, this.#target, arena);
  }

  async find(distribution: Float64Array, round: number, run: Run): Promise<FoundRule<TreeSet>> {
    this.#target.reweigh(distribution);
    const seed = new Random(run.seed).fork(round).uniform();
    const steps = this.#grower.grow({ growth: this.#growth, rows: this.#rows, bootstrap: false, seed });
    const grown = await runWithCheckpoints(steps, () => checkpoint(run));
    const tree = withOneClassPerLeaf(grown.tree);
    predictByTree(tree, 0, this.#features, this.#predicted);
    return {
      rule: tree,
      predictions: asPredictions(this.#predicted),
      reweigh: (weights) => this.#reweigh(weights),
    };
  }

  release(): void {
    this.#scope.release();
  }

  #reweigh(distribution: Float64Array): number {
    const predicted = this.#predicted;
    let wrongWeight = 0;
    let rightWeight = 0;
    for (let i = 0; i < predicted.length; i++) {
      if (predicted[i] === this.#labels[i]) rightWeight += distribution[i];
      else wrongWeight += distribution[i];
    }
    if (wrongWeight === 0) return 0;
    const { error, wrong, right } = reweighing(wrongWeight, rightWeight, this.#classes);
    for (let i = 0; i < predicted.length; i++) {
      distribution[i] /= predicted[i] === this.#labels[i] ? right : wrong;
    }
    return error;
  }
}

/** Replaces the shares of each leaf by its heaviest class; ties go to the smaller index. */
function withOneClassPerLeaf(tree: TreeSet): TreeSet {
  const nodes = tree.arrays.nodes.slice();
  const shares = new Float64Array(tree.classes);
  for (let node = 0; node < tree.nodes; node++) {
    const at = node * NODE_WORDS;
    if (nodes[at + 1] >= 0) continue;
    shares.fill(0);
    tree.addLeaf(0, node, shares, 0);
    nodes[at] = indexOfLargest(shares);
    nodes[at + 1] = -1;
  }
  const none = {
    leafClasses: new Int32Array(0),
    leafShares: new Float32Array(0),
    leafStarts: Int32Array.of(0, 0),
  };
  return new TreeSet({ ...tree.arrays, nodes, ...none });
}
