import {
  cheapestItems,
  cheapestWithException,
  type SelectionWithException,
  type SortedCosts,
  sortCosts,
} from "./cheapest-selection.js";

/** Costs of the colours −1 and +1 of each class; colour 0 costs nothing. */
interface ColourCosts {
  readonly negative: readonly number[];
  readonly positive: readonly number[];
}

/**
 * Finds colours with a given sum s and the lowest cost Σ f_k(μ_k): O(K) for each sum after O(K log K).
 *
 * All classes start at −1 and together make s + K steps upwards. A class is *convex* if its first step costs no more than
 * its second, f(0) − f(−1) ≤ f(+1) − f(0): then the cheapest steps of all convex classes can be made in the order of
 * their cost, since no class's second step comes before its first. Any other class makes both steps or none, **with at
 * most one exception**: were two of them, i and j, at 0, then moving one to +1 and the other to −1 would leave the sum and
 * change the cost by f_i(+1) + f_j(−1) or f_i(−1) + f_j(+1), which together are less than 0, as f(−1) + f(+1) < 2f(0) = 0 in
 * both classes: so one of them is. It remains to find how many classes make both steps (a *leap*), and which one makes a
 * single step, if any.
 */
export class FixedSum {
  readonly #costs: ColourCosts;
  readonly #convex: readonly number[] = [];
  readonly #others: readonly number[] = [];
  /** Both steps of convex classes, at the places 2i and 2i + 1. */
  readonly #steps: SortedCosts;
  readonly #leaps: SortedCosts;
  /** Entry m: m leaps and one first step. */
  readonly #leapsAndStep: readonly SelectionWithException[];

  constructor(costs: ColourCosts) {
    const { negative, positive } = costs;
    this.#costs = costs;
    const convex: number[] = [];
    const others: number[] = [];
    for (let k = 0; k < negative.length; k++) {
      if (-negative[k] <= positive[k]) convex.push(k);
      else others.push(k);
    }
    this.#convex = convex;
    this.#others = others;
    this.#steps = sortCosts(convex.flatMap((k) => [-negative[k], positive[k]]));
    this.#leaps = sortCosts(others.map((k) => positive[k] - negative[k]));
    this.#leapsAndStep = cheapestWithException(
      this.#leaps,
      others.map((k) => -negative[k]),
    );
  }

  /** Returns the colours; undefined if no colours have this sum. */
  colours(sum: number): Int8Array | undefined {
    const steps = sum + this.#costs.negative.length;
    let best: { cost: number; leaps: number; exception?: number } | undefined;
    for (let leaps = 0; leaps <= this.#others.length; leaps++) {
      const cost = this.#leaps.totals[leaps] + this.#stepsCost(steps - 2 * leaps);
      if (cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = { cost, leaps };
    }
    for (let leaps = 0; leaps < this.#others.length; leaps++) {
      const { cost: leapsCost, exception } = this.#leapsAndStep[leaps];
      const cost = leapsCost + this.#stepsCost(steps - 2 * leaps - 1);
      if (cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = { cost, leaps, exception };
    }
    return best && this.#coloursOf(steps, best.leaps, best.exception);
  }

  /** Returns the cost of the cheapest steps of convex classes; infinite if they do not have as many. */
  #stepsCost(steps: number): number {
    return steps < 0 || steps > 2 * this.#convex.length
      ? Number.POSITIVE_INFINITY
      : this.#steps.totals[steps];
  }

  #coloursOf(steps: number, leaps: number, exception: number | undefined): Int8Array {
    const colours = new Int8Array(this.#costs.negative.length).fill(-1);
    for (const i of cheapestItems(this.#leaps, leaps, exception)) colours[this.#others[i]] = 1;
    if (exception !== undefined) colours[this.#others[exception]] = 0;
    const left = steps - 2 * leaps - (exception === undefined ? 0 : 1);
    for (const step of this.#steps.order.slice(0, left)) colours[this.#convex[step >> 1]]++;
    return colours;
  }
}

/** −1 for the left child, +1 for the right child, 0 for classes that a node ignores: they go to both children. */
export type Colour = -1 | 0 | 1;

/**
 * The colouring problem: minimise Σ f_k(μ_k) over μ_k ∈ {−1, 0, +1} with f_k(0) = 0, −B ≤ Σ μ_k ≤ B, and at least one class of
 * each of the colours −1 and +1 (Gao and Koller 2011, supplement, problem (1) and the constraint added to it).
 */
export interface ColouringProblem extends ColourCosts {
  /** B, a non-negative integer. */
  readonly balance: number;
  /** Given colours of some classes, by index; the others are to be found. */
  readonly fixed?: ReadonlyMap<number, Colour>;
}

/** Colours and their cost. */
export interface Colouring {
  readonly colours: Int8Array;
  /** Σ f_k(μ_k) */
  readonly cost: number;
}

/**
 * Solves the colouring problem exactly in O(K log K). Returns undefined if no colours meet the constraints, as for a single
 * class.
 *
 * **Without the constraint on sides.** If the best colour of each class gives a sum within ±B, that is the optimum. If the
 * sum is above B, there is an optimum with sum B or B − 1 (Theorem 2.1; for B = 0 only with sum 0), and `FixedSum` has the
 * best colours for each; likewise below −B.
 *
 * **With it.** Let V(p, q) be the lowest cost of p classes of colour +1 and q of colour −1: the value of a transportation
 * problem, hence M♮-convex (Murota, *Discrete convex analysis*, 2003): for x, y and a coordinate i in which y is larger,
 * V(x) + V(y) ≥ V(x + e_i − e_j) + V(y − e_i + e_j) for a coordinate j in which y is smaller, or with e_j = 0; likewise with
 * the signs exchanged. Claim: if the optimum x without the constraint violates it, then there is an optimum y with it that has q = 1,
 * or one that has p = 1. For if all optima y had p, q ≥ 2, take the one next to x.
 * If x and y have the same sum, V on the line through them is convex and V(x) ≤ V(y), so y − (1, 1) is no worse and nearer to x.
 * If x has the larger sum, some coordinate of y can be moved towards x so that its sum grows by one, or by two where x's is
 * at least two larger; x moves likewise towards y, both stay between their sums, hence within ±B. x cannot get better, so y
 * does not get worse; it is nearer to x, with p, q ≥ 1. Both contradict the choice of y.
 * So it remains to look at the best colours with q = 1 and with p = 1, which one pass over the classes in the order of f(±1)
 * finds for all p or q.
 *
 * **Algorithm 1 as printed is not exact.** (Costs are written f(−1), f(0), f(+1).)
 * 1. Line 31, μ_i = μ'_i, takes back both steps of a class i whose first and second step have been made, but d counts one.
 *    With (1, 0, −4), (4, 0, −5), (5, 0, −4), (2, 0, −1) and B = 1 it ends with (−1, +1, +1, +1), whose sum is 2; the optimum
 *    is (−1, +1, +1, 0). Four classes are the fewest for which this happens. μ_i has to go back by one.
 * 2. With B = 0, which is left to the reader, line 34 ends at sum −1: the single class (−1, 0, −2) is coloured −1.
 * 3. The repair of an empty side takes the class that loses least, even if it is the only one on the other side:
 *    with (−2, 0, −1), (0, 0, 2) and B = 1 it turns (−1, 0) into (+1, 0); the optimum is (+1, −1).
 */
export function optimalColouring(problem: ColouringProblem): Colouring | undefined {
  const { negative, positive, balance, fixed } = problem;
  const given = Array.from(fixed?.values() ?? []);
  const free = negative.map((_, k) => k).filter((k) => !fixed?.has(k));
  const offset = given.reduce((sum: number, colour) => sum + colour, 0);
  const rest: FreeProblem = {
    negative: free.map((k) => negative[k]),
    positive: free.map((k) => positive[k]),
    low: -balance - offset,
    high: balance - offset,
    needsNegative: !given.includes(-1),
    needsPositive: !given.includes(1),
  };
  const found = coloursOfFree(rest);
  if (!found) return undefined;
  const colours = new Int8Array(negative.length);
  fixed?.forEach((colour, k) => {
    colours[k] = colour;
  });
  free.forEach((k, i) => {
    colours[k] = found[i];
  });
  return { colours, cost: costOf(problem, colours) };
}

/** The remaining problem when some colours are given. */
interface FreeProblem extends ColourCosts {
  /** The smallest and the largest sum. */
  readonly low: number;
  readonly high: number;
  /** Whether a class of that colour is still needed. */
  readonly needsNegative: boolean;
  readonly needsPositive: boolean;
}

function coloursOfFree(problem: FreeProblem): Int8Array | undefined {
  const { needsNegative, needsPositive } = problem;
  const balanced = balancedColours(problem);
  if (balanced && hasSides(problem, balanced)) return balanced;
  return cheapest(problem, [
    ...(needsNegative ? [withOneNegative(problem)] : []),
    ...(needsPositive ? [mirrored(withOneNegative(mirror(problem)))] : []),
  ]);
}

/** Finds the optimum without the constraint on sides; undefined if no sum is within the limits. */
function balancedColours(problem: FreeProblem): Int8Array | undefined {
  const { negative, positive, low, high } = problem;
  const preferred = Int8Array.from(negative, (_, k) => preferredColour(negative[k], positive[k]));
  const sum = preferred.reduce((total, colour) => total + colour, 0);
  if (sum >= low && sum <= high) return preferred;
  const sums = (sum > high ? [high, high - 1] : [low, low + 1]).filter((s) => s >= low && s <= high);
  const fixedSum = new FixedSum(problem);
  return cheapest(
    problem,
    sums.map((s) => fixedSum.colours(s)),
  );
}

function preferredColour(negative: number, positive: number): Colour {
  if (Math.min(negative, positive) >= 0) return 0;
  return positive <= negative ? 1 : -1;
}

/** Finds the best colours with exactly one −1. */
function withOneNegative({
  negative,
  positive,
  low,
  high,
  needsPositive,
}: FreeProblem): Int8Array | undefined {
  const list = sortCosts(positive);
  const choices = cheapestWithException(list, negative);
  const fewest = Math.max(low + 1, needsPositive ? 1 : 0);
  let best = -1;
  for (let p = fewest; p < choices.length && p - 1 <= high; p++) {
    if (best < 0 || choices[p].cost < choices[best].cost) best = p;
  }
  if (best < 0) return undefined;
  const { exception } = choices[best];
  const colours = new Int8Array(negative.length);
  colours[exception] = -1;
  for (const k of cheapestItems(list, best, exception)) colours[k] = 1;
  return colours;
}

/** Exchanges the sides of a problem. */
function mirror({ negative, positive, low, high, needsNegative, needsPositive }: FreeProblem): FreeProblem {
  return {
    negative: positive,
    positive: negative,
    low: -high,
    high: -low,
    needsNegative: needsPositive,
    needsPositive: needsNegative,
  };
}

function mirrored(colours: Int8Array | undefined): Int8Array | undefined {
  return colours?.map((colour) => -colour);
}

function hasSides({ needsNegative, needsPositive }: FreeProblem, colours: Int8Array): boolean {
  return (!needsNegative || colours.includes(-1)) && (!needsPositive || colours.includes(1));
}

function cheapest(costs: ColourCosts, candidates: readonly (Int8Array | undefined)[]): Int8Array | undefined {
  let best: Int8Array | undefined;
  for (const colours of candidates) {
    if (colours && (!best || costOf(costs, colours) < costOf(costs, best))) best = colours;
  }
  return best;
}

function costOf({ negative, positive }: ColourCosts, colours: Int8Array): number {
  let cost = 0;
  for (let k = 0; k < colours.length; k++) {
    if (colours[k] !== 0) cost += colours[k] < 0 ? negative[k] : positive[k];
  }
  return cost;
}
