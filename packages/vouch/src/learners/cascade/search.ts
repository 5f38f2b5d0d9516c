import { VouchError } from "../../runtime/vouch-error.js";
import { type CascadeCost, NO_COST, objectiveOf, withLeaf } from "../../theory/cascades/objectives.js";
import {
  CascadeCount,
  type CascadeSpace,
  type ComplexityMeasure,
  compareRanks,
  firstChoice,
  gateRange,
  lowerBoundOf,
  type Position,
  PriorityQueue,
  penaltyOf,
  type Rank,
  ROOT,
  rankedBound,
} from "./search-space.js";
import type { KnownGate, KnownNode, SubProblems, Subset, WantedNode } from "./sub-problems.js";

/** The cascades to search, and the bound to minimise. */
interface SearchGoal {
  readonly space: CascadeSpace;
  readonly gamma: number;
  readonly complexity: ComplexityMeasure;
  /** Maximum number of nodes trained at a time, 512 by default; the winner does not depend on it. */
  readonly nodesAtOnce?: number;
}

export interface SearchProgress {
  /** Distinct cascades that were evaluated or proved not to be better than the best. */
  readonly covered: number;
  readonly distinct: number;
  /** Number of cascades that Algorithms 2 and 3 list. */
  readonly listed: number;
  /** Nodes trained for this search and earlier ones on the same sample. */
  readonly trained: number;
  /** The smallest bound (9) so far; Infinity before there is any. */
  readonly best: number;
  /** The most by which a cascade that is not covered yet may improve the bound; 0 at the end. */
  readonly gap: number;
}

/** A node of the best cascade. */
export interface BestLevel {
  readonly choice: number;
  /** The points that reach the node. */
  readonly rows: Int32Array;
  /** Index of the fraction of its gate; absent in the last node. */
  readonly fraction?: number;
}

export interface BestCascade {
  readonly levels: readonly BestLevel[];
  /** Bound (9). */
  readonly bound: number;
  /** Misclassified training points. */
  readonly wrong: number;
  readonly progress: SearchProgress;
}

/**
 * Batches have at most this many nodes, and about this many pairs of points. That is enough for the threads not to wait for
 * each other, and does not depend on their number, so that the same nodes are trained.
 */
const NODES_AT_ONCE = 512;
const PAIRS_AT_ONCE = 4e6;

/** The beginning of cascades: some nodes with gates, and the choice of the next node. */
interface Beginning {
  readonly position: Position;
  /** The rows that reach the next node. */
  readonly subset: Subset;
  readonly choice: number;
  readonly cost: CascadeCost;
  /** Σ c(Q_j) over the gates before. */
  readonly gates: number;
  /** A lower bound on the rank of every cascade with this beginning. */
  readonly rank: Rank;
}

/** A complete cascade. */
interface Found {
  readonly rank: Rank;
  readonly bound: number;
}

/**
 * Finds the cascade with the least rank: the smallest bound (9), ties as in `Rank`. Best-first branch and bound over
 * beginnings of cascades: those left out are proved not to be better, so the result is that of trying all. It does not depend
 * on the order of the work, since no two cascades have the same rank.
 */
export async function searchCascades(
  problems: SubProblems,
  goal: SearchGoal,
  report: (progress: SearchProgress) => Promise<void> | void = () => {},
): Promise<BestCascade> {
  const search = new Search(problems, goal);
  for (;;) {
    const batch = search.take(goal.nodesAtOnce ?? NODES_AT_ONCE);
    if (batch.length === 0) break;
    await problems.provide(batch.map((beginning) => search.nodeOf(beginning)));
    for (const beginning of batch) search.expand(beginning);
    await report(search.progress());
  }
  const result = search.result();
  await report(result.progress);
  return result;
}

class Search {
  readonly #problems: SubProblems;
  readonly #goal: SearchGoal;
  readonly #m: number;
  readonly #count: CascadeCount;
  readonly #queue = new PriorityQueue<Beginning>((a, b) => compareRanks(a.rank, b.rank));
  #best: Found | undefined;
  #covered = 0;

  constructor(problems: SubProblems, goal: SearchGoal) {
    this.#problems = problems;
    this.#goal = goal;
    this.#m = problems.root.rows.length;
    this.#count = new CascadeCount(goal.space);
    const start = { position: ROOT, subset: problems.root, cost: NO_COST, gates: 0 };
    this.#continue(start, [], []);
  }

  /** Takes the next beginnings to look into, the most promising first; none when the best cascade is known. */
  take(most: number): Beginning[] {
    const taken: Beginning[] = [];
    let pairs = 0;
    while (taken.length < most && pairs < PAIRS_AT_ONCE) {
      const { first } = this.#queue;
      if (first === undefined || this.#isHopeless(first.rank)) break;
      this.#queue.pop();
      taken.push(first);
      pairs += first.subset.rows.length ** 2;
    }
    return taken;
  }

  /** Returns the node that must be trained to look into a beginning. */
  nodeOf({ subset, choice, position }: Beginning): WantedNode {
    return { subset, choice, gated: position.level + 1 < this.#goal.space.maxDepth };
  }

  /** Evaluates the cascade that ends with the next node, and queues the beginnings that continue through its gates. */
  expand(beginning: Beginning): void {
    const { space } = this.#goal;
    const { subset, choice, position } = beginning;
    const node = subset.nodes[choice];
    if (!node) throw new Error("A node was not trained.");
    const level = position.level + 1;
    if (level >= space.minDepth && space.lastChoices.includes(choice)) this.#finish(beginning, node);
    if (level >= space.maxDepth) return;
    const [from, to] = gateRange(space, position);
    const gates = new Map(node.gates?.map((gate) => [gate.fraction, gate]));
    const seen = new Set<Subset>();
    for (let fraction = from; fraction < to; fraction++) {
      const gate = gates.get(fraction);
      // A gate that does not divide the points, or not in a new way, gives cascades that are found elsewhere: shorter ones,
      // or ones with a smaller fraction.
      if (gate && !seen.has(gate.subset)) this.#pass(beginning, node, gate);
      else this.#covered += this.#count.from({ level, choice, fraction });
      if (gate && !space.sameFraction) seen.add(gate.subset);
    }
  }

  progress(): SearchProgress {
    const best = this.#best?.bound ?? Number.POSITIVE_INFINITY;
    const { first } = this.#queue;
    const done = first === undefined || this.#isHopeless(first.rank);
    const { distinct, listed } = this.#count;
    return {
      covered: this.#covered,
      distinct,
      listed,
      trained: this.#problems.trained,
      best,
      gap: done ? 0 : Math.max(0, best - first.rank.bound / 1e12),
    };
  }

  result(): BestCascade {
    if (!this.#best) throw noCascade(this.#goal.space, this.#m);
    const { rank, bound } = this.#best;
    // The rest of the queue is hopeless: its cascades are covered too.
    for (const { position, choice } of this.#queue.items) this.#cover(position, choice);
    return { levels: this.#levelsOf(rank), bound, wrong: rank.wrong, progress: this.progress() };
  }

  #finish({ choice, cost, gates, subset, rank, position }: Beginning, node: KnownNode): void {
    this.#covered++;
    const { complexity, gamma } = this.#goal;
    const { leaf } = complexity.of(choice, subset.rows.length, node);
    const complete = withLeaf(cost, node, penaltyOf(gamma, gates, leaf), this.#m);
    const bound = objectiveOf(complete, this.#m);
    const found = {
      bound: rankedBound(bound),
      wrong: complete.wrong,
      choices: rank.choices.slice(0, position.level + 1),
      fractions: rank.fractions.slice(0, position.level),
    };
    if (!this.#best || compareRanks(found, this.#best.rank) < 0) this.#best = { rank: found, bound };
  }

  #pass(before: Beginning, node: KnownNode, gate: KnownGate): void {
    const { choice, subset, position } = before;
    const { complexity, gamma } = this.#goal;
    const own = complexity.of(choice, subset.rows.length, { norm: gate.norm ?? node.norm });
    const gates = before.gates + own.gate;
    const cost = withLeaf(before.cost, gate, penaltyOf(gamma, gates, own.leaf), this.#m);
    const next = { level: position.level + 1, choice, fraction: gate.fraction };
    const start = { position: next, subset: gate.subset, cost, gates };
    const choices = [...before.rank.choices.slice(0, position.level), choice];
    const fractions = [...before.rank.fractions.slice(0, position.level), gate.fraction];
    this.#continue(start, choices, fractions);
  }

  /** Queues all choices of the next node, except those that cannot give a better cascade than the best. */
  #continue(
    start: Omit<Beginning, "choice" | "rank">,
    choices: readonly number[],
    fractions: readonly number[],
  ): void {
    const { space, complexity, gamma } = this.#goal;
    const points = start.subset.rows.length;
    const isLast = start.position.level + 1 === space.maxDepth;
    for (let choice = firstChoice(space, start.position); choice < space.choices; choice++) {
      if (isLast && !space.lastChoices.includes(choice)) continue;
      const least = penaltyOf(gamma, start.gates, complexity.least(choice, points));
      const bound = rankedBound(lowerBoundOf(start.cost, points, least, this.#m));
      const rank = this.#least(bound, start, [...choices, choice], fractions);
      if (this.#isHopeless(rank)) this.#cover(start.position, choice);
      else this.#queue.push({ ...start, choice, rank });
    }
  }

  /** Returns the least rank of cascades with this beginning: complete at once if deep enough, else with the fewest nodes. */
  #least(
    bound: number,
    { cost, position }: Pick<Beginning, "cost" | "position">,
    choices: readonly number[],
    fractions: readonly number[],
  ): Rank {
    const { space } = this.#goal;
    const more = Math.max(0, space.minDepth - choices.length);
    if (more === 0) return { bound, wrong: cost.wrong, choices, fractions };
    const choice = choices[choices.length - 1];
    const leastChoice = firstChoice(space, { ...position, choice });
    const [leastFraction] = gateRange(space, position);
    return {
      bound,
      wrong: cost.wrong,
      choices: [...choices, ...Array<number>(more).fill(leastChoice)],
      fractions: [...fractions, ...Array<number>(more).fill(leastFraction)],
    };
  }

  #isHopeless(rank: Rank): boolean {
    return this.#best !== undefined && compareRanks(rank, this.#best.rank) >= 0;
  }

  /** Counts the cascades that begin with a position and the choice of the next node. */
  #cover(position: Position, choice: number): void {
    this.#covered += this.#count.through(position, choice);
  }

  #levelsOf({ choices, fractions }: Rank): BestLevel[] {
    let { root: subset } = this.#problems;
    return choices.map((choice, k) => {
      const { rows } = subset;
      if (k === fractions.length) return { choice, rows };
      const gate = subset.nodes[choice]?.gates?.find(({ fraction }) => fraction === fractions[k]);
      if (!gate) throw new Error("A gate of the best cascade is not known.");
      subset = gate.subset;
      return { choice, rows, fraction: fractions[k] };
    });
  }
}

function noCascade({ minDepth }: CascadeSpace, points: number): VouchError {
  return new VouchError(
    "option/invalid",
    `No cascade of ${minDepth} levels exists on ${points} training points: every gate passes on all points or none.`,
    { hint: "Lower minDepth, or use other fractions or kernels." },
  );
}
