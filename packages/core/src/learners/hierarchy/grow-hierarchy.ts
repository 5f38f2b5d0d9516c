import type { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import { settleAll } from "../../runtime/parallel/event-loop.js";
import type { Executor } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { orderByMeans } from "./class-means.js";
import { type ColouredClasses, childClasses, classSetKey } from "./hierarchy-graph.js";
import type { HierarchyOptions } from "./hierarchy-options.js";
import { canonical, ends, type SearchRequest, searchColours, startColours } from "./search-colours.js";
import type { NodeRows, SolverSetup } from "./solve-node.js";
import { isWorthThreads, type NodeMachine, trainNodes } from "./train-node.js";

/** Rows by class: all rows for training, or some for the search for colourings. */
export interface RowsByClass {
  readonly setup: SolverSetup;
  readonly rowsOf: readonly Int32Array[];
  /** C of each row of the setup. */
  readonly costs: Float64Array;
}

interface Growing {
  readonly search: RowsByClass;
  readonly training: RowsByClass;
  /** Dot products of the class means. */
  readonly means: Matrix;
  readonly options: HierarchyOptions;
}

/** A trained node. */
export interface GrownNode extends ColouredClasses {
  readonly machine: NodeMachine;
}

/** A grown hierarchy. */
export interface Grown {
  /** By decreasing number of classes: children after their parents. */
  readonly nodes: readonly GrownNode[];
  /** Number of nodes at which all classes take part because of `maxNodes`. */
  readonly beyondLimit: number;
}

/** With this ρ, far above the loss of a constant machine, all classes take part. */
const ALL_TAKE_PART = 1000;

/**
 * Grows a hierarchy from the top, level by level. Classes that a node ignores go to both sides. Nodes with the same classes
 * are merged. Growing ends because children have fewer classes than their parents. Machines are trained while the next levels are
 * being searched, which do not need them.
 */
export async function grow(growing: Growing, executor: Executor, run: Run): Promise<Grown> {
  const { search, training, options, means } = growing;
  const all = Int32Array.from(training.rowsOf.keys());
  const ranks = rankOf(orderByMeans(all, means));
  const seeds = new Random(run.seed);
  const known = new Set([classSetKey(all)]);
  const nodes = new NodesInTraining(training, executor, run);
  let level: Int32Array[] = [all];
  let beyondLimit = 0;
  try {
    while (level.length > 0) {
      const crowded = fewestNodes(known.size, level) > options.maxNodes;
      if (crowded) beyondLimit += level.length;
      const rho = crowded ? Math.max(ALL_TAKE_PART, options.rho) : options.rho;
      const requests = level.map((classes, i) =>
        requestFor(growing, classes, rho, seeds.fork(nodes.count + i)),
      );
      const found = await searchColours(search.setup, requests, executor, run);
      const coloured = level.map((classes, i) => withMergingPairs(classes, found[i], ranks));
      await nodes.add(coloured);
      level = coloured.flatMap((node) => newChildren(node, known));
    }
  } finally {
    await nodes.settled();
  }
  return {
    nodes: nodes.trained().sort((a, b) => b.classes.length - a.classes.length),
    beyondLimit,
  };
}

/** The nodes so far, whose machines are being trained. */
class NodesInTraining {
  readonly #training: RowsByClass;
  readonly #executor: Executor;
  readonly #run: Run;
  readonly #nodes: ColouredClasses[] = [];
  readonly #machines: NodeMachine[] = [];
  readonly #work: Promise<void>[] = [];
  #done = 0;

  constructor(training: RowsByClass, executor: Executor, run: Run) {
    this.#training = training;
    this.#executor = executor;
    this.#run = run;
  }

  get count(): number {
    return this.#nodes.length;
  }

  /** Adds nodes; waits for their machines only if this thread has to train them. */
  async add(coloured: readonly ColouredClasses[]): Promise<void> {
    const problems = coloured.map((node) => trainingProblem(this.#training, node));
    const first = this.#nodes.length;
    this.#nodes.push(...coloured);
    const onThreads = this.#executor.threads > 1 && isWorthThreads(problems);
    const work = this.#train(problems, first, onThreads);
    if (!onThreads) return await work;
    // A failure is seen when all work has settled.
    work.catch(() => {});
    this.#work.push(work);
  }

  /** Waits until no machine is being trained. */
  settled(): Promise<void> {
    return settleAll(this.#work);
  }

  trained(): GrownNode[] {
    return this.#nodes.map((node, j) => ({ ...node, machine: this.#machines[j] }));
  }

  async #train(problems: readonly NodeRows[], first: number, onThreads: boolean): Promise<void> {
    const executor = onThreads ? this.#executor : inlineExecutor();
    const machines = await trainNodes(this.#training.setup, problems, executor, this.#run);
    for (const [i, machine] of machines.entries()) this.#machines[first + i] = machine;
    this.#done += machines.length;
    const note = `${this.#nodes[first].classes.length} classes`;
    this.#run.progress({ stage: "nodes", done: this.#done, note });
  }
}

/** Returns the fewest nodes of the finished hierarchy: a node and those below it are at least |S| − 1 if no class is ignored. */
function fewestNodes(known: number, level: readonly Int32Array[]): number {
  return level.reduce((sum, classes) => sum + classes.length - 2, known);
}

function requestFor(
  { search, means, options }: Growing,
  classes: Int32Array,
  rho: number,
  random: Random,
): SearchRequest {
  const balance = balanceOf(options.balance, classes.length);
  const indexOf = new Map(Array.from(classes, (k, index) => [k, index]));
  const order = orderByMeans(classes, means).map((k) => indexOf.get(k) ?? 0);
  const { rows, classOf } = rowsOfClasses(search.rowsOf, classes);
  return {
    rows,
    classOf,
    costs: Float64Array.from(rows, (row) => search.costs[row]),
    classes: classes.length,
    rho,
    balance,
    maxAlternations: options.maxAlternations,
    slack: options.slack,
    starts: startColours(order, options.starts, balance, random),
  };
}

/** Returns B at a node. */
function balanceOf(balance: HierarchyOptions["balance"], classes: number): number {
  return balance === "auto" ? Math.max(1, Math.floor(classes / 5)) : balance;
}

/** Collects the rows of some classes, and the place of each row's class among them. */
function rowsOfClasses(
  rowsOf: readonly Int32Array[],
  classes: Int32Array,
): { rows: Int32Array; classOf: Int32Array } {
  const count = classes.reduce((sum, k) => sum + rowsOf[k].length, 0);
  const rows = new Int32Array(count);
  const classOf = new Int32Array(count);
  let next = 0;
  classes.forEach((k, place) => {
    rows.set(rowsOf[k], next);
    classOf.fill(place, next, next + rowsOf[k].length);
    next += rowsOf[k].length;
  });
  return { rows, classOf };
}

/**
 * Replaces a pair of classes by the first and the last in one order of all classes, if only two of more classes take part:
 * then each remaining set is a run of that order, and there are at most K(K − 1)/2 such nodes, as in DAGSVM, not 2^K.
 */
function withMergingPairs(classes: Int32Array, colours: Int8Array, ranks: Int32Array): ColouredClasses {
  const taking = colours.reduce((count, colour) => count + Math.abs(colour), 0);
  if (classes.length <= 2 || taking > 2) return { classes, colours };
  const order = Int32Array.from(classes.keys()).sort((a, b) => ranks[classes[a]] - ranks[classes[b]]);
  return { classes, colours: canonical(ends(order)) };
}

function trainingProblem({ rowsOf, costs }: RowsByClass, { classes, colours }: ColouredClasses) {
  const taking = classes.filter((_, place) => colours[place] !== 0);
  const sides = colours.filter((colour) => colour !== 0);
  const { rows, classOf } = rowsOfClasses(rowsOf, taking);
  return {
    rows,
    labels: Int8Array.from(classOf, (place) => sides[place]),
    costs: Float64Array.from(rows, (row) => costs[row]),
  };
}

/** Lists the children that are not leaves and not known yet, and adds them to the known ones. */
function newChildren(node: ColouredClasses, known: Set<string>): Int32Array[] {
  return ([-1, 1] as const).flatMap((side) => {
    const classes = childClasses(node, side);
    const key = classSetKey(classes);
    if (classes.length < 2 || known.has(key)) return [];
    known.add(key);
    return [classes];
  });
}

function rankOf(order: Int32Array): Int32Array {
  const ranks = new Int32Array(order.length);
  order.forEach((k, rank) => {
    ranks[k] = rank;
  });
  return ranks;
}
