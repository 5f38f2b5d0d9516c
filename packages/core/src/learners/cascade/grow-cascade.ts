import type { LeafCounts } from "../../theory/cascades/leaf-complexity.js";
import { type CascadeCost, computeObjective, NO_COST, withLeaf } from "../../theory/cascades/objectives.js";
import { rankedBound, type SearchGoal } from "./prefixes.js";
import type { BestCascade, BestLevel, SearchProgress } from "./search-cascades.js";
import { firstChoice, penaltyOf } from "./search-space.js";
import {
  type KnownGate,
  type KnownNode,
  type SubProblems,
  type Subset,
  type WantedNode,
  without,
} from "./sub-problems.js";

/** The size of the trees to grow. */
export interface CascadeTreeLimits {
  /** The most gates on the way to a leaf. */
  readonly maxGates: number;
  readonly maxLeaves: number;
}

/** The gates before a node. */
interface Passed {
  readonly count: number;
  /** Σ c(Q_j) */
  readonly complexity: number;
  /** The choice of the last of them; 0 at the root. */
  readonly choice: number;
}

const NO_GATES: Passed = { count: 0, complexity: 0, choice: 0 };

/** A leaf of a growing tree. */
interface GrowingLeaf {
  readonly kind: "leaf";
  readonly subset: Subset;
  readonly choice: number;
  readonly passed: Passed;
  readonly cost: CascadeCost;
}

/** A gate of a growing tree. If the rows that stay end at a leaf, it is the one that was trained with the gate. */
interface GrowingGate {
  readonly kind: "gate";
  readonly subset: Subset;
  readonly choice: number;
  readonly fraction: number;
  readonly on: Growing;
  readonly stay: Growing;
}

type Growing = GrowingLeaf | GrowingGate;

/** A gate in place of a leaf, and the cost of its two leaves. */
interface Division {
  readonly gate: GrowingGate;
  readonly cost: CascadeCost;
}

/**
 * Grows a tree of gates, best first: of all ways to divide one leaf by a gate, with families for the gate and both leaves, it
 * takes the one by which bound (9) falls most, until it no longer falls or a limit is reached. Ties go to fewer errors, the
 * first leaf, lower choices and smaller fractions. The bound is a sum over the leaves of any tree, so a division changes the
 * cost of its leaf only. Each step is the best one; the tree need not be the best of all trees. Without a chain to start from,
 * growth starts with the best leaf.
 */
export async function growTree(
  problems: SubProblems,
  goal: SearchGoal,
  limits: CascadeTreeLimits,
  chain: readonly BestLevel[] | undefined,
  report: (progress: SearchProgress) => Promise<void> | void = () => {},
): Promise<BestCascade> {
  const m = problems.root.rows.length;
  const growth = new Growth(problems, goal);
  let root = chain ? growth.ofChain(chain) : await growth.bestLeaf(problems.root, NO_GATES);
  const divisions = new Map<GrowingLeaf, Division | undefined>();
  for (;;) {
    const leaves = leavesOf(root);
    if (leaves.length >= limits.maxLeaves) break;
    for (const leaf of leaves) {
      if (divisions.has(leaf) || leaf.passed.count >= limits.maxGates) continue;
      divisions.set(leaf, await growth.divide(leaf));
      await report(growth.progress(leaves));
    }
    const steepest = steepestDivision(leaves, divisions, m);
    if (!steepest) break;
    root = withDivision(root, ...steepest);
  }
  const leaves = leavesOf(root);
  const progress = growth.progress(leaves);
  await report(progress);
  return { levels: levelsOf(root), bound: progress.best, wrong: costOf(leaves).wrong, progress };
}

/** The nodes that trees are made of, and their costs. */
class Growth {
  readonly #problems: SubProblems;
  readonly #goal: SearchGoal;
  readonly #m: number;
  #compared = 0;

  constructor(problems: SubProblems, goal: SearchGoal) {
    this.#problems = problems;
    this.#goal = goal;
    this.#m = problems.root.rows.length;
  }

  /** Reports the number of trees that were compared, and the bound of the tree with these leaves. */
  progress(leaves: readonly GrowingLeaf[]): SearchProgress {
    const compared = this.#compared;
    const { trained } = this.#problems;
    return {
      covered: compared,
      distinct: compared,
      trained,
      best: computeObjective(costOf(leaves), this.#m),
      gap: 0,
    };
  }

  /** Makes a growing tree of a chain that the search has found. */
  ofChain([{ choice, rows, gate }, ...rest]: readonly BestLevel[], passed = NO_GATES): Growing {
    const subset = this.#problems.subsetOf(rows);
    const node = nodeOf(subset, choice);
    if (!gate) return this.#leaf(subset, choice, node, passed);
    const known = node.gates?.find(({ fraction }) => fraction === gate.fraction);
    if (!known) throw new Error("A gate of the chain is not known.");
    const { stay, after } = this.#staying(subset, choice, node, known, passed);
    return { kind: "gate", subset, choice, fraction: gate.fraction, on: this.ofChain(rest, after), stay };
  }

  /** Finds the best leaf for some rows. Its nodes are trained if they are not known. */
  async bestLeaf(subset: Subset, passed: Passed): Promise<GrowingLeaf> {
    await this.#provide(this.#lastNodes(subset, passed));
    return this.#bestKnownLeaf(subset, passed);
  }

  /** Finds the best division of a leaf; undefined if no gate divides its rows. */
  async divide({ subset, passed }: GrowingLeaf): Promise<Division | undefined> {
    const choices = this.#choices(passed);
    await this.#provide(choices.map((choice) => ({ subset, choice, gated: true })));
    const gates = choices.flatMap((choice) => {
      const node = nodeOf(subset, choice);
      return (node.gates ?? []).map((gate) => ({ choice, node, gate }));
    });
    await this.#provide(
      gates.flatMap(({ choice, gate }) => this.#lastNodes(gate.subset, { ...passed, choice })),
    );
    let best: Division | undefined;
    for (const { choice, node, gate } of gates) {
      const { stay, after } = this.#staying(subset, choice, node, gate, passed);
      const on = this.#bestKnownLeaf(gate.subset, after);
      const cost = costOf([stay, on]);
      if (best && compareCosts(cost, best.cost, this.#m) >= 0) continue;
      best = { gate: { kind: "gate", subset, choice, fraction: gate.fraction, on, stay }, cost };
    }
    return best;
  }

  /** Makes the leaf of the rows that stay at a gate, and counts the gate among those passed. */
  #staying(subset: Subset, choice: number, node: KnownNode, gate: KnownGate, passed: Passed) {
    const own = this.#goal.complexity.of(choice, subset.rows.length, { norm: gate.norm ?? node.norm });
    const after = { count: passed.count + 1, complexity: passed.complexity + own.gate, choice };
    const rows = this.#problems.subsetOf(without(subset.rows, gate.subset.rows));
    const cost = this.#costOf(gate, after, own.leaf);
    const stay: GrowingLeaf = { kind: "leaf", subset: rows, choice, passed: after, cost };
    return { stay, after };
  }

  #bestKnownLeaf(subset: Subset, passed: Passed): GrowingLeaf {
    const leaves = this.#lastNodes(subset, passed).map(({ choice }) =>
      this.#leaf(subset, choice, nodeOf(subset, choice), passed),
    );
    this.#compared += leaves.length;
    return leaves.reduce((best, leaf) => (compareCosts(leaf.cost, best.cost, this.#m) < 0 ? leaf : best));
  }

  #leaf(subset: Subset, choice: number, node: KnownNode, passed: Passed): GrowingLeaf {
    const { leaf } = this.#goal.complexity.of(choice, subset.rows.length, node);
    return { kind: "leaf", subset, choice, passed, cost: this.#costOf(node, passed, leaf) };
  }

  #costOf(counts: LeafCounts, { complexity }: Passed, leaf: number): CascadeCost {
    return withLeaf(NO_COST, counts, penaltyOf(this.#goal.gamma, complexity, leaf), this.#m);
  }

  /** Lists the choices of a node after these gates. */
  #choices({ choice }: Passed): number[] {
    const { space } = this.#goal;
    const first = firstChoice(space, { level: 0, choice, fraction: -1 });
    return Array.from({ length: space.choices - first }, (_, i) => first + i);
  }

  /** Lists the nodes without a gate on some rows. */
  #lastNodes(subset: Subset, passed: Passed): WantedNode[] {
    const last = this.#choices(passed).filter((choice) => this.#goal.space.lastChoices.includes(choice));
    return last.map((choice) => ({ subset, choice, gated: false }));
  }

  /** Makes sure that nodes are known; free threads train those that follow in advance. */
  async #provide(nodes: readonly WantedNode[]): Promise<void> {
    for (const [i, node] of nodes.entries()) {
      const training = this.#problems.provide(node, () => nodes.slice(i + 1));
      if (training) await training;
    }
  }
}

function nodeOf({ nodes }: Subset, choice: number): KnownNode {
  const node = nodes[choice];
  if (!node) throw new Error("A node was not trained.");
  return node;
}

/** Lists the leaves, those of rows that go on first. */
function leavesOf(node: Growing): GrowingLeaf[] {
  return node.kind === "leaf" ? [node] : [...leavesOf(node.on), ...leavesOf(node.stay)];
}

function costOf(leaves: readonly GrowingLeaf[]): CascadeCost {
  return leaves.reduce(
    (sum, { cost }) => ({
      points: sum.points + cost.points,
      penalty: sum.penalty + cost.penalty,
      wrong: sum.wrong + cost.wrong,
    }),
    NO_COST,
  );
}

/** Compares by bound, then by errors; negative if `a` is the better one. */
function compareCosts(a: CascadeCost, b: CascadeCost, m: number): number {
  return rankedBound(computeObjective(a, m)) - rankedBound(computeObjective(b, m)) || a.wrong - b.wrong;
}

/** Finds the leaf whose division lowers the bound most; undefined if none lowers it. */
function steepestDivision(
  leaves: readonly GrowingLeaf[],
  divisions: ReadonlyMap<GrowingLeaf, Division | undefined>,
  m: number,
): [GrowingLeaf, GrowingGate] | undefined {
  let best:
    | { readonly fall: number; readonly fewer: number; readonly found: [GrowingLeaf, GrowingGate] }
    | undefined;
  for (const leaf of leaves) {
    const division = divisions.get(leaf);
    if (!division) continue;
    const fall = rankedBound(computeObjective(leaf.cost, m) - computeObjective(division.cost, m));
    const fewer = leaf.cost.wrong - division.cost.wrong;
    if (fall <= 0 || (best && (fall - best.fall || fewer - best.fewer) <= 0)) continue;
    best = { fall, fewer, found: [leaf, division.gate] };
  }
  return best?.found;
}

function withDivision(node: Growing, leaf: GrowingLeaf, gate: GrowingGate): Growing {
  if (node === leaf) return gate;
  if (node.kind === "leaf") return node;
  return { ...node, on: withDivision(node.on, leaf, gate), stay: withDivision(node.stay, leaf, gate) };
}

/** Lists the levels depth first, those that rows go on to before those that rows which stay go to. */
function levelsOf(node: Growing, place = 0): BestLevel[] {
  const { choice, subset } = node;
  if (node.kind === "leaf") return [{ choice, rows: subset.rows }];
  const { on, stay, fraction } = node;
  const further = levelsOf(on, place + 1);
  const gate = { fraction, on: on.subset.rows };
  if (stay.kind === "leaf") return [{ choice, rows: subset.rows, gate }, ...further];
  const next = place + 1 + further.length;
  return [{ choice, rows: subset.rows, gate: { ...gate, stay: next } }, ...further, ...levelsOf(stay, next)];
}
