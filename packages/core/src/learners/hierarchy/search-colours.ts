import { Random } from "../../runtime/maths/random.js";
import type { Executor, TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { optimalColouring } from "./colouring.js";
import type { HierarchyOptions } from "./hierarchy-options.js";
import { type SolvedNode, type SolverSetup, solveNode } from "./solve-node.js";

/** The problem of a node: which of its classes to separate, and by which machine. */
export interface NodeProblem {
  /** Number of classes of the node. */
  readonly classes: number;
  /** Place of each row's class among them. */
  readonly classOf: Int32Array;
  /** C of each row. */
  readonly costs: Float64Array;
  /** ρ = A/C */
  readonly rho: number;
  /** B */
  readonly balance: number;
  readonly maxAlternations: number;
}

/** Colours of the classes of a node, and the objective with the machine trained for them. */
interface FoundColours {
  readonly colours: Int8Array;
  readonly objective: number;
}

/** Costs of colourings with a smaller relative difference count as equal. */
const ROUNDING = 1e-9;

/**
 * Minimises ½‖w‖² + Σᵢ 1{μ ≠ 0} C(ξᵢ − ρ) over machine and colours in turn: with fixed colours it is a support vector
 * machine on the classes that take part, with a fixed machine the colouring problem. If the values are those of the
 * training rows of the machine, neither step increases it; with held-out rows it may increase, so the best result is kept.
 * Stops when the colours no longer change, at the latest after `maxAlternations`.
 */
export async function alternate(
  problem: NodeProblem,
  start: Int8Array,
  train: (labels: Int8Array) => Promise<Pick<SolvedNode, "values" | "regulariser">>,
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

/** Computes f_k(−1) and f_k(+1) of each class: Σ C(ξ − ρ) over its rows if it were on that side. */
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

/** The places of a node's classes along the first principal component of their means. */
type ClassOrder = Int32Array;

/**
 * Makes the colours that the search at a node starts from: halves of the classes in the order of their means, the two ends
 * of that order, then random halves; without duplicates.
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

/** Exchanges the sides if necessary, so that the first class that takes part is on the left. */
export function canonical(colours: Int8Array): Int8Array {
  const first = colours.find((colour) => colour !== 0);
  return first === 1 ? colours.map((colour) => -colour) : colours;
}

/** Colours the first and the last class, and ignores the others. */
export function ends(order: ClassOrder): Int8Array {
  const colours = new Int8Array(order.length);
  colours[order[0]] = -1;
  colours[order[order.length - 1]] = 1;
  return colours;
}

/** Puts half of the classes on each side; ignores the middle one of an odd number if sides have to be equal. */
function halves(order: ClassOrder, balance: number): Int8Array {
  const colours = new Int8Array(order.length).fill(1);
  const half = order.length >> 1;
  for (let i = 0; i < half; i++) colours[order[i]] = -1;
  if (balance === 0 && order.length % 2 === 1) colours[order[half]] = 0;
  return colours;
}

/** The problem of a node on some rows, with the colours to start from. */
export interface SearchRequest extends NodeProblem {
  readonly slack: HierarchyOptions["slack"];
  /** The rows of the setup with one of the node's classes. */
  readonly rows: Int32Array;
  readonly starts: readonly Int8Array[];
}

interface SearchInput extends Omit<SearchRequest, "starts"> {
  readonly setup: SolverSetup;
  readonly start: Int8Array;
}

/** Searches for the colours of one node from one start. */
const searchTask = defineTask(
  "relaxed-hierarchy/search",
  ({ setup, start, ...problem }: SearchInput, context: TaskContext): Promise<FoundColours> => {
    const { rows, costs, slack } = problem;
    const halves = slack === "training" ? undefined : halvesOf(problem);
    return alternate(problem, start, (labels) => {
      const train = (own: Int8Array) =>
        solveNode(setup, { rows, labels: own, costs }, () => context.checkpoint());
      return halves ? crossFitted(labels, halves, train) : train(labels);
    });
  },
);

/** Assigns the rows of each class to two halves in turn. */
function halvesOf({ classes, classOf }: NodeProblem): Uint8Array {
  const seen = new Int32Array(classes);
  return Uint8Array.from(classOf, (k) => seen[k]++ % 2);
}

/** Evaluates each half of the rows by a machine trained on the other half. */
async function crossFitted(
  labels: Int8Array,
  halves: Uint8Array,
  train: (labels: Int8Array) => Promise<SolvedNode>,
): Promise<Pick<SolvedNode, "values" | "regulariser">> {
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

/** Searches for the best colours of each node from all of its starts, on all threads. */
export async function searchColours(
  setup: SolverSetup,
  requests: readonly SearchRequest[],
  executor: Executor,
  { signal }: Pick<Run, "signal">,
): Promise<Int8Array[]> {
  const inputs = requests.flatMap(({ starts, ...problem }) =>
    // Two classes have only one colouring.
    problem.classes === 2 ? [] : starts.map((start): SearchInput => ({ ...problem, setup, start })),
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

/** The fewest rows of a class in the search, if it has as many. */
const FEWEST = 8;

/**
 * Draws rows of each class at random, ascending: the same number of each, as large as keeps the total at `most` and at
 * least eight, or all rows of a class with fewer.
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

/** Finds the largest n with Σ min(n, size) ≤ most, at least eight. */
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
