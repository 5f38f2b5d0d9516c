import type { Executor, TaskContext } from "../../runtime/executor.js";
import { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { optimalColouring } from "./colouring.js";
import type { HierarchyOptions } from "./hierarchy-options.js";
import { type MachineRows, type Material, type NodeMachine, trainNodeMachine } from "./node-machine.js";

/** The problem of a node: which of its classes to tell apart, and by which machine. */
export interface NodeProblem {
  /** How many classes the node has. */
  readonly classes: number;
  /** Which of them each row is of. */
  readonly classOf: Int32Array;
  /** C of each row. */
  readonly costs: Float64Array;
  /** ρ = A/C */
  readonly rho: number;
  /** B */
  readonly balance: number;
  readonly maxAlternations: number;
}

/** Colours of the classes of a node, and what the objective is at the machine trained for them. */
interface FoundColours {
  readonly colours: Int8Array;
  readonly objective: number;
}

/** Colourings whose cost differs by less than this part count as the same. */
const ROUNDING = 1e-9;

/**
 * Minimises ½‖w‖² + Σᵢ 1{μ ≠ 0} C(ξᵢ − ρ) over machine and colours in turn: with colours fixed it is a support vector
 * machine on the classes that take part, with the machine fixed the colouring problem. Where the values are those of the
 * rows that the machine was trained on, neither makes it larger; where they come from other rows that may happen, so the
 * best that was seen is kept. It ends when the colours stay, at the latest after `maxAlternations`.
 */
export async function alternate(
  problem: NodeProblem,
  start: Int8Array,
  train: (labels: Int8Array) => Promise<Pick<NodeMachine, "values" | "regulariser">>,
): Promise<FoundColours> {
  const { classOf, balance, maxAlternations } = problem;
  let best: FoundColours = { colours: start, objective: Number.POSITIVE_INFINITY };
  let colours = start;
  for (let turn = 0; turn < maxAlternations; turn++) {
    const { values, regulariser } = await train(Int8Array.from(classOf, (k) => colours[k]));
    const costs = colourCosts(problem, values);
    const cost = colours.reduce((sum, colour, k) => sum + costOf(costs, k, colour), 0);
    const objective = regulariser / 2 + cost;
    if (objective < best.objective) best = { colours, objective };
    const next = optimalColouring({ ...costs, balance });
    if (!next || next.cost >= cost - ROUNDING * Math.abs(cost)) break;
    colours = next.colours;
  }
  return best;
}

/** f_k(−1) and f_k(+1) of each class: Σ C(ξ − ρ) over its rows if it were on that side. */
function colourCosts({ classes, classOf, costs, rho }: NodeProblem, values: Float64Array) {
  const negative = new Array<number>(classes).fill(0);
  const positive = new Array<number>(classes).fill(0);
  for (let i = 0; i < values.length; i++) {
    negative[classOf[i]] += costs[i] * (Math.max(0, 1 + values[i]) - rho);
    positive[classOf[i]] += costs[i] * (Math.max(0, 1 - values[i]) - rho);
  }
  return { negative, positive };
}

function costOf({ negative, positive }: ReturnType<typeof colourCosts>, k: number, colour: number): number {
  if (colour === 0) return 0;
  return colour < 0 ? negative[k] : positive[k];
}

/** The classes of a node, by their place among them, from one end of the first principal component of their means on. */
type ClassOrder = Int32Array;

/**
 * Colours that the search at a node begins from: the halves of the classes in the order of their means, the two ends of
 * that order, then random halves. Those that come twice are left out.
 */
export function startColours(
  order: ClassOrder,
  starts: number,
  balance: number,
  random: Random,
): Int8Array[] {
  const found = new Map<string, Int8Array>();
  const add = (colours: Int8Array) => {
    const signed = canonical(colours);
    found.set(signed.join(), signed);
  };
  add(halves(order, balance));
  if (starts > 1) add(ends(order));
  for (let start = 2; start < starts; start++) add(halves(random.shuffle(order.slice()), balance));
  return Array.from(found.values());
}

/** The colours with the sides exchanged if need be, so that the first class that takes part is on the left. */
export function canonical(colours: Int8Array): Int8Array {
  const first = colours.find((colour) => colour !== 0);
  return first === 1 ? colours.map((colour) => -colour) : colours;
}

/** Only the first and the last class take part. */
export function ends(order: ClassOrder): Int8Array {
  const colours = new Int8Array(order.length);
  colours[order[0]] = -1;
  colours[order[order.length - 1]] = 1;
  return colours;
}

/** Half of the classes on each side; of an odd number the middle one is ignored where sides have to be equal. */
function halves(order: ClassOrder, balance: number): Int8Array {
  const colours = new Int8Array(order.length).fill(1);
  const half = order.length >> 1;
  for (let i = 0; i < half; i++) colours[order[i]] = -1;
  if (balance === 0 && order.length % 2 === 1) colours[order[half]] = 0;
  return colours;
}

/** The problem of a node on some rows, with the colours to begin from. */
export interface SearchRequest extends NodeProblem {
  readonly slack: HierarchyOptions["slack"];
  /** The rows of the material that are of the node's classes. */
  readonly rows: Int32Array;
  readonly starts: readonly Int8Array[];
}

interface SearchInput extends Omit<SearchRequest, "starts"> {
  readonly material: Material;
  readonly start: Int8Array;
}

/** Seeks the colours of one node from one start. */
export const searchTask = defineTask(
  "hierarchy/search",
  ({ material, start, ...problem }: SearchInput, context: TaskContext): Promise<FoundColours> => {
    const { rows, costs, slack } = problem;
    const halves = slack === "training" ? undefined : halvesOf(problem);
    return alternate(problem, start, (labels) => {
      const train = (own: Int8Array) =>
        trainNodeMachine(material, { rows, labels: own, costs } satisfies MachineRows, () =>
          context.checkpoint(),
        );
      return halves ? crossFitted(labels, halves, train) : train(labels);
    });
  },
);

/** Which half each row is in: the rows of each class in turn. */
function halvesOf({ classes, classOf }: NodeProblem): Uint8Array {
  const seen = new Int32Array(classes);
  return Uint8Array.from(classOf, (k) => seen[k]++ % 2);
}

/** The values of each half of the rows by a machine that is trained on the other half. */
async function crossFitted(
  labels: Int8Array,
  halves: Uint8Array,
  train: (labels: Int8Array) => Promise<NodeMachine>,
): Promise<Pick<NodeMachine, "values" | "regulariser">> {
  const values = new Float64Array(labels.length);
  let regulariser = 0;
  for (const half of [0, 1]) {
    const machine = await train(labels.map((label, i) => (halves[i] === half ? label : 0)));
    regulariser += machine.regulariser / 2;
    for (let i = 0; i < values.length; i++) if (halves[i] !== half) values[i] = machine.values[i];
  }
  return { values, regulariser };
}

/** Squared rows per millisecond and alternation, very roughly; only for estimates of time. */
const SPEED = 50_000;

/** The best colours of each node over its starts, all of them sought on all threads. */
export async function searchColours(
  material: Material,
  requests: readonly SearchRequest[],
  executor: Executor,
  { signal }: Pick<Run, "signal">,
): Promise<Int8Array[]> {
  const inputs = requests.flatMap(({ starts, ...problem }) =>
    // Two classes can be coloured in one way only.
    problem.classes === 2 ? [] : starts.map((start): SearchInput => ({ ...problem, material, start })),
  );
  const found = await executor.map(searchTask, inputs, {
    ...(signal && { signal }),
    milliseconds: inputs.reduce((sum, { rows }) => sum + rows.length ** 2, 0) / SPEED,
  });
  let next = 0;
  return requests.map(({ classes, starts }) => {
    if (classes === 2) return starts[0];
    const own = found.slice(next, next + starts.length);
    next += starts.length;
    const best = own.reduce((least, each) => (each.objective < least.objective ? each : least));
    return canonical(best.colours);
  });
}

/** The fewest rows of a class that colourings are sought on, if it has so many. */
const FEWEST = 8;

/**
 * Some rows of each class, drawn at random, ascending: as many of each as keep the sum at `most`, but all of a class that
 * has fewer, and not fewer than eight.
 */
export function searchRows(rowsOf: readonly Int32Array[], most: number, seed: number): Int32Array[] {
  const each = rowsOfEach(
    rowsOf.map((rows) => rows.length),
    most,
  );
  const seeds = new Random(seed);
  return rowsOf.map((rows, k) =>
    rows.length <= each ? rows : seeds.fork(k).shuffle(rows.slice()).slice(0, each).sort(),
  );
}

/** The largest n with Σ min(n, size) ≤ most, at least eight. */
function rowsOfEach(sizes: readonly number[], most: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = most;
  for (const [i, size] of ascending.entries()) {
    const share = Math.floor(left / (sizes.length - i));
    if (size > share) return Math.max(FEWEST, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** Things in the order of their price, and what the first so many of them cost together. */
export interface PriceList {
  /** Index of the cheapest thing, the second cheapest, … */
  readonly order: readonly number[];
  readonly prices: readonly number[];
  /** Entry m is the sum of the m lowest prices. */
  readonly totals: Float64Array;
}

/** Sorts prices; those that are the same stay in order. */
export function priceList(prices: readonly number[]): PriceList {
  const order = prices.map((_, i) => i).sort((i, j) => prices[i] - prices[j]);
  const totals = new Float64Array(prices.length + 1);
  order.forEach((i, rank) => {
    totals[rank + 1] = totals[rank] + prices[i];
  });
  return { order, prices, totals };
}

/** A purchase of m things at their price and of one other thing, apart, at its other price. */
export interface OneApart {
  readonly cost: number;
  /** Which thing is apart. */
  readonly apart: number;
}

/**
 * The cheapest purchase of m things at their price and one further thing at its other price, for every m from 0 to one
 * less than there are things. If the one apart is not among the m cheapest things, these are bought; if it is among the
 * m + 1 cheapest, the others of them are: so the smallest of two sums, over what is known from all ranks before and from
 * all ranks after m. Linear in the number of things.
 */
export function oneApart({ order, prices, totals }: PriceList, otherPrices: readonly number[]): OneApart[] {
  const count = order.length;
  const best: OneApart[] = new Array(count);
  let apart = order[count - 1];
  for (let m = count - 1; m >= 0; m--) {
    if (otherPrices[order[m]] <= otherPrices[apart]) apart = order[m];
    best[m] = { apart, cost: totals[m] + otherPrices[apart] };
  }
  const surcharge = (i: number) => otherPrices[i] - prices[i];
  apart = order[0];
  for (let m = 0; m < count; m++) {
    if (surcharge(order[m]) < surcharge(apart)) apart = order[m];
    const cost = totals[m + 1] + surcharge(apart);
    if (cost < best[m].cost) best[m] = { apart, cost };
  }
  return best;
}

/** The m cheapest things but one. */
export function cheapestBut({ order }: PriceList, apart: number, m: number): number[] {
  return order
    .slice(0, m + 1)
    .filter((i) => i !== apart)
    .slice(0, m);
}
