import { VouchError } from "../../runtime/vouch-error.js";
import { computeObjective, NO_COST, withLeaf } from "../../theory/cascades/objectives.js";
import {
  compareRanks,
  dominates,
  type Prefix,
  type Ranked,
  rankedBound,
  type SearchGoal,
} from "./prefixes.js";
import {
  CascadeCount,
  type CascadeSpace,
  firstChoice,
  gateRange,
  lowerBoundOf,
  PriorityQueue,
  penaltyOf,
  ROOT,
} from "./search-space.js";
import type { KnownGate, KnownNode, SubProblems, Subset, WantedNode } from "./sub-problems.js";

export interface SearchProgress {
  /** Distinct cascades that were evaluated or proved not to be better than the best. */
  readonly covered: number;
  readonly distinct: number;
  /** Number of cascades that Algorithms 2 and 3 list. */
  readonly listed?: number;
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
  /** Its gate, the points that pass it going to the next level; absent in a last node. */
  readonly gate?: {
    /** Index of its fraction. */
    readonly fraction: number;
    /** The points that it passes on. */
    readonly on: Int32Array;
    /** Index of the level that points which stay go to; absent if the node's leaf classifies them. */
    readonly stay?: number;
  };
}

export interface BestCascade {
  readonly levels: readonly BestLevel[];
  /** Bound (9). */
  readonly bound: number;
  /** Misclassified training points. */
  readonly wrong: number;
  readonly progress: SearchProgress;
}

/** The search looks this far ahead in its queue for nodes that free threads can train. */
const LOOKAHEAD = 4096;

/** Cascades are tried one at a time; this many between two reports. */
const STEPS_PER_REPORT = 64;

/** At most this many prefixes on the same rows are remembered, to leave out worse ones. */
const MOST_RIVALS = 16;

/** A prefix and the choice of its next node, with a lower bound on the ranks of its cascades. */
interface Continuation extends Ranked, WantedNode {}

/** A complete cascade. */
interface Found extends Ranked {
  /** Bound (9), not rounded. */
  readonly value: number;
}

/**
 * Finds the cascade with the least rank: the smallest bound (9), ties as `compareRanks` says. Best-first branch and bound over
 * prefixes of cascades: those left out are proved not to be better, so the result is that of trying all. Free threads train
 * nodes in advance; the search takes the same steps without them.
 */
export async function searchCascades(
  problems: SubProblems,
  goal: SearchGoal,
  report: (progress: SearchProgress) => Promise<void> | void = () => {},
): Promise<BestCascade> {
  const search = new Search(problems, goal);
  const upcoming = () => search.upcoming();
  let steps = 0;
  for (let next = search.take(); next; next = search.take()) {
    const training = problems.provide(next, upcoming);
    if (training) await training;
    search.expand(next);
    if (++steps % STEPS_PER_REPORT === 0 || training) {
      const pause = report(search.progress());
      if (pause) await pause;
    }
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
  readonly #queue: PriorityQueue<Continuation>;
  /** For each subset of rows, the prefixes that lead to it and that no other one dominates. */
  readonly #rivals = new Map<Subset, Prefix[]>();
  /** Prefixes in the queue that others dominate. */
  readonly #dominated = new Set<Prefix>();
  #best: Found | undefined;
  #covered = 0;

  constructor(problems: SubProblems, goal: SearchGoal) {
    this.#problems = problems;
    this.#goal = goal;
    this.#m = problems.root.rows.length;
    this.#count = new CascadeCount(goal.space);
    this.#queue = new PriorityQueue((a, b) => compareRanks(goal.space, a, b));
    const start = { position: ROOT, choices: [], fractions: [], subset: problems.root, cost: NO_COST };
    this.#continue({ ...start, gates: 0, leastPenalty: 0 });
  }

  /** Takes the most promising continuation; undefined when the best cascade is known. */
  take(): Continuation | undefined {
    for (;;) {
      const { first } = this.#queue;
      if (first === undefined || this.#isHopeless(first)) return undefined;
      this.#queue.pop();
      if (!this.#dominated.has(first.prefix)) return first;
      this.#cover(first);
    }
  }

  /** Lists continuations that will probably be taken soon. */
  *upcoming(): Generator<WantedNode> {
    const { items } = this.#queue;
    const end = Math.min(items.length, LOOKAHEAD);
    for (let i = 0; i < end; i++) {
      const item = items[i];
      if (!this.#dominated.has(item.prefix) && !this.#isHopeless(item)) yield item;
    }
  }

  /** Evaluates the cascade that ends with the next node, and queues those that continue through its gates. */
  expand(continuation: Continuation): void {
    const { space } = this.#goal;
    const { prefix, subset, choice } = continuation;
    const { position } = prefix;
    const node = subset.nodes[choice];
    if (!node) throw new Error("A node was not trained.");
    const level = position.level + 1;
    if (level >= space.minDepth && space.lastChoices.includes(choice)) this.#finish(continuation, node);
    if (level >= space.maxDepth) return;
    const [from, to] = gateRange(space, position);
    const gates = new Map(node.gates?.map((gate) => [gate.fraction, gate]));
    const seen = new Set<Subset>();
    for (let fraction = from; fraction < to; fraction++) {
      const gate = gates.get(fraction);
      // A gate that does not divide the points, or not in a new way, gives cascades that are found elsewhere: shorter ones,
      // or ones with a smaller fraction.
      if (gate && !seen.has(gate.subset)) this.#pass(continuation, node, gate);
      else this.#covered += this.#count.from({ level, choice, fraction });
      if (gate && !space.sameFraction) seen.add(gate.subset);
    }
  }

  progress(): SearchProgress {
    const best = this.#best?.value ?? Number.POSITIVE_INFINITY;
    const { first } = this.#queue;
    const done = first === undefined || this.#isHopeless(first);
    const { distinct, listed } = this.#count;
    return {
      covered: this.#covered,
      distinct,
      listed,
      trained: this.#problems.trained,
      best,
      gap: done ? 0 : Math.max(0, best - first.bound / 1e12),
    };
  }

  result(): BestCascade {
    if (!this.#best) throw noCascade(this.#goal.space, this.#m);
    // The rest of the queue is hopeless: its cascades are covered too.
    for (const continuation of this.#queue.items) this.#cover(continuation);
    const { value, wrong } = this.#best;
    return { levels: this.#levelsOf(this.#best), bound: value, wrong, progress: this.progress() };
  }

  #finish({ prefix, choice, subset }: Continuation, node: KnownNode): void {
    this.#covered++;
    const { complexity, gamma, space } = this.#goal;
    const { leaf } = complexity.of(choice, subset.rows.length, node);
    const complete = withLeaf(prefix.cost, node, penaltyOf(gamma, prefix.gates, leaf), this.#m);
    const value = computeObjective(complete, this.#m);
    const found = { prefix, choice, bound: rankedBound(value), wrong: complete.wrong, value };
    if (!this.#best || compareRanks(space, found, this.#best) < 0) this.#best = found;
  }

  /** Continues through a gate, unless other cascades pass on the same rows at a lower cost. */
  #pass({ prefix: before, choice, subset }: Continuation, node: KnownNode, gate: KnownGate): void {
    const { complexity, gamma } = this.#goal;
    const own = complexity.of(choice, subset.rows.length, { norm: gate.norm ?? node.norm });
    const gates = before.gates + own.gate;
    const position = { level: before.position.level + 1, choice, fraction: gate.fraction };
    const prefix: Prefix = {
      position,
      choices: [...before.choices, choice],
      fractions: [...before.fractions, gate.fraction],
      subset: gate.subset,
      cost: withLeaf(before.cost, gate, penaltyOf(gamma, gates, own.leaf), this.#m),
      gates,
      leastPenalty: penaltyOf(gamma, gates, this.#leastComplexity(gate.subset)),
    };
    if (this.#isDominated(prefix)) this.#covered += this.#count.from(position);
    else this.#continue(prefix);
  }

  /** Returns a lower bound on the complexities of all nodes that rows can reach. */
  #leastComplexity({ rows }: Subset): number {
    const { space, complexity } = this.#goal;
    let least = Number.POSITIVE_INFINITY;
    for (let choice = 0; choice < space.choices; choice++) {
      least = Math.min(least, complexity.least(choice, rows.length));
    }
    return least;
  }

  /** Compares a prefix with the others on the same rows, and remembers it unless one of them dominates it. */
  #isDominated(prefix: Prefix): boolean {
    const rivals = this.#rivals.get(prefix.subset);
    if (!rivals) {
      this.#rivals.set(prefix.subset, [prefix]);
      return false;
    }
    for (const rival of rivals) if (dominates(rival, prefix, this.#goal, this.#m)) return true;
    let kept = 0;
    for (const rival of rivals) {
      if (dominates(prefix, rival, this.#goal, this.#m)) this.#dominated.add(rival);
      else rivals[kept++] = rival;
    }
    rivals.length = kept;
    if (kept < MOST_RIVALS) rivals.push(prefix);
    return false;
  }

  /** Queues all choices of the next node, except those that cannot give a better cascade than the best. */
  #continue(prefix: Prefix): void {
    const { space, complexity, gamma } = this.#goal;
    const { position, subset, cost, gates } = prefix;
    const points = subset.rows.length;
    const gated = position.level + 1 < space.maxDepth;
    for (let choice = firstChoice(space, position); choice < space.choices; choice++) {
      if (!gated && !space.lastChoices.includes(choice)) continue;
      const least = penaltyOf(gamma, gates, complexity.least(choice, points));
      const bound = rankedBound(lowerBoundOf(cost, points, least, this.#m));
      const continuation = { prefix, subset, choice, gated, bound, wrong: cost.wrong };
      if (this.#isHopeless(continuation)) this.#cover(continuation);
      else this.#queue.push(continuation);
    }
  }

  #isHopeless(continuation: Ranked): boolean {
    return this.#best !== undefined && compareRanks(this.#goal.space, continuation, this.#best) >= 0;
  }

  /** Counts the cascades of a continuation as covered. */
  #cover({ prefix, choice }: Ranked): void {
    this.#covered += this.#count.through(prefix.position, choice);
  }

  #levelsOf({ prefix, choice: last }: Ranked): BestLevel[] {
    const { fractions } = prefix;
    let { root: subset } = this.#problems;
    return [...prefix.choices, last].map((choice, k) => {
      const { rows } = subset;
      if (k === fractions.length) return { choice, rows };
      const gate = subset.nodes[choice]?.gates?.find(({ fraction }) => fraction === fractions[k]);
      if (!gate) throw new Error("A gate of the best cascade is not known.");
      subset = gate.subset;
      return { choice, rows, gate: { fraction: fractions[k], on: subset.rows } };
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
