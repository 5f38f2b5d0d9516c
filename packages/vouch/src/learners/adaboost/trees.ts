import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { Arena, HeldMemory } from "../../runtime/arena.js";
import { Random } from "../../runtime/random.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { withCheckpoints } from "../../runtime/steps.js";
import { NODE_WORDS } from "../../runtime/tree-kernels.js";
import { indexOfLargest } from "../scores.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { FULL_GROWTH, TreeGrower, type TreeGrowth } from "../tree/tree-grower.js";
import { TreeSet } from "../tree/tree-set.js";
import { TreeTarget } from "../tree/tree-target.js";
import { type Found, type RuleFinder, reweighing, type WeakLearner } from "./boosting.js";

/** A tree of the committee: a set of one, whose leaves hold one class each. */
interface TreeRule {
  readonly tree: TreeSet;
}

/**
 * Trees of a limited depth, grown by the Gini index of the weighted rows on all features, as `forest` grows them; a leaf
 * says its heaviest class.
 */
export function trees(depth: number): WeakLearner<BinnedColumns, TreeRule> {
  return {
    name: "tree",
    async finder(sample, classes) {
      const held = new HeldMemory();
      try {
        return new TreeFinder(sample, classes, { ...FULL_GROWTH, maxDepth: depth }, held);
      } catch (error) {
        held.release();
        throw error;
      }
    },
    asking(features) {
      const classes = new Int32Array(features.rows);
      return ({ tree }) => {
        classesByTree(tree, 0, features, classes);
        return { left: 0, right: 1, sides: classes };
      };
    },
  };
}

/** The class that a tree of a set, whose leaves hold one class each, says of each row. */
export function classesByTree(
  trees: TreeSet,
  tree: number,
  features: BinnedColumns,
  classes: Int32Array,
): void {
  const { nodes, nodeStarts } = trees.arrays;
  const first = nodeStarts[tree];
  for (let i = 0; i < classes.length; i++) {
    classes[i] = nodes[(first + trees.leafOf(tree, features, i)) * NODE_WORDS];
  }
}

/** Grows trees for other and other weights of the same rows. */
class TreeFinder implements RuleFinder<TreeRule> {
  readonly #growth: TreeGrowth;
  readonly #labels: Int32Array;
  readonly #classes: number;
  readonly #rows: Int32Array;
  readonly #features: BinnedColumns;
  /** What the last tree says of each row. */
  readonly #answers: Int32Array;
  readonly #held: HeldMemory;
  readonly #target: TreeTarget;
  readonly #grower: TreeGrower;

  constructor(
    { features, labels, classes }: Sample<BinnedColumns>,
    trainingClasses: number,
    growth: TreeGrowth,
    held: HeldMemory,
  ) {
    this.#growth = growth;
    this.#labels = labels;
    this.#classes = trainingClasses;
    this.#rows = Int32Array.from({ length: labels.length }, (_, i) => i);
    this.#features = features;
    this.#answers = new Int32Array(labels.length);
    this.#held = held;
    const columns = held.hold(TreeColumns.of(features));
    this.#target = held.hold(TreeTarget.of(labels, classes.length, new Float64Array(labels.length)));
    const arena = held.hold(Arena.allocate(TreeGrower.bytes(columns, this.#target)));
    this.#grower = new TreeGrower(columns, this.#target, arena);
  }

  async find(distribution: Float64Array, round: number, run: Run): Promise<Found<TreeRule>> {
    this.#target.reweigh(distribution);
    const seed = new Random(run.seed).fork(round).uniform();
    const steps = this.#grower.grow({ growth: this.#growth, rows: this.#rows, bootstrap: false, seed });
    const grown = await withCheckpoints(steps, () => checkpoint(run));
    const tree = withOneClassPerLeaf(grown.tree);
    classesByTree(tree, 0, this.#features, this.#answers);
    const answers = { left: 0, right: 1, sides: this.#answers };
    return { rule: { tree }, answers, reweigh: (weights) => this.#reweigh(weights) };
  }

  release(): void {
    this.#held.release();
  }

  #reweigh(distribution: Float64Array): number {
    const answers = this.#answers;
    let ofWrong = 0;
    let ofRight = 0;
    for (let i = 0; i < answers.length; i++) {
      if (answers[i] === this.#labels[i]) ofRight += distribution[i];
      else ofWrong += distribution[i];
    }
    if (ofWrong === 0) return 0;
    const { error, wrong, right } = reweighing(ofWrong, ofRight, this.#classes);
    for (let i = 0; i < answers.length; i++) {
      distribution[i] /= answers[i] === this.#labels[i] ? right : wrong;
    }
    return error;
  }
}

/** The tree with the heaviest class of each leaf in place of the shares; ties go to the smaller index. */
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
