import type { BinnedColumns } from "../../encode/binned-columns.js";
import { MemoryScope } from "../../runtime/arena.js";
import type { Run } from "../../runtime/run.js";
import { bytesOfDoubles, doublesFrom, malformed, type ShardGroup } from "../../runtime/shard-group.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
import type { TestedHalves } from "../../theory/forests/tested-halves.js";
import { TreeColumns } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import { TreeTarget } from "../tree/tree-target.js";
import type { ForestFit } from "./fit-forest.js";
import { testsOfHalves } from "./fit-halves.js";
import { ForestVotes } from "./forest-votes.js";
import { meanLosses, pairRows } from "./out-of-bag.js";
import { type PairSums, pairSums } from "./pair-losses.js";
import type { ShardDraws } from "./shard-draws.js";
import { countsOfAll } from "./tree-schedule.js";
import { paddedRows, type VotePlaces } from "./tree-voter.js";
import { ShardVoter } from "./vote-on-shards.js";

/** The rows of a shard, and where they are among those of all shards. */
export interface ShardRows {
  readonly features: BinnedColumns;
  readonly labels: Int32Array;
  readonly classes: number;
  readonly weights: Float64Array | undefined;
  /** Number of rows on earlier shards. */
  readonly first: number;
  /** Number of rows on all shards. */
  readonly rows: number;
  /** Number of rows on this shard. */
  readonly own: number;
}

interface ShardTrees {
  readonly trees: TreeSet;
  readonly draws: readonly ShardDraws[];
}

/**
 * Predicts each row by the trees that have not drawn it, on the shard that has the row. Counts and products of losses are integers. Sums of losses of
 * a tree go from shard to shard, in the order of the rows, while other trees vote on other shards.
 */
export async function measureOutOfBag(
  own: ShardRows,
  forest: ShardTrees,
  group: ShardGroup,
  run: Run,
): Promise<Pick<ForestFit, "outOfBag" | "outOfBagLosses">> {
  const trees = forest.trees.trees;
  // As on one machine: weights may depend on rows that are not in a bag.
  const hasLosses = own.weights === undefined;
  const measured = hasLosses ? pairRows(own.rows, trees) : 0;
  using ballot = own.own > 0 ? await Ballot.open(own, forest, measured, run) : undefined;
  const together = Math.max(...(await countsOfAll(run.executor.threads, group)));
  const sums = new Float64Array(trees);
  for (let begin = 0; begin < trees; begin += together) {
    const end = Math.min(trees, begin + together);
    const vote = async (losses: Float64Array) => ballot?.vote(begin, end, losses);
    if (!hasLosses) await vote(new Float64Array(end - begin));
    else sums.set(await group.relay(new Float64Array(end - begin), vote), begin);
    run.progress({ stage: "out-of-bag votes", done: end, total: trees });
  }
  const counted = (await ballot?.counts(run)) ?? { rows: 0, errors: 0, votes: new Float64Array(trees) };
  const numbers = new Float64Array(2 + trees);
  numbers.set([counted.rows, counted.errors]);
  numbers.set(counted.votes, 2);
  const [rows, errors, ...counts] = await group.sum(numbers);
  if (rows === 0) return {};
  if (!hasLosses) return { outOfBag: { rows, errors } };
  const lossSums = await ofLastShard(sums, group);
  const pairs = measured > 0 ? await pairsOfAll(ballot, trees, group, run) : undefined;
  return { outOfBag: { rows, errors }, outOfBagLosses: meanLosses(lossSums, counts, pairs) };
}

/** Returns the numbers of the last shard, which has the sums of all. */
async function ofLastShard(own: Float64Array, group: ShardGroup): Promise<Float64Array> {
  const last = group.shards - 1;
  const all = await group.gather(group.shard === last ? bytesOfDoubles(own) : new Uint8Array(0));
  const numbers = doublesFrom(all[last]);
  if (numbers.length !== own.length) throw malformed(last);
  return numbers;
}

/** Adds up the products of the losses of pairs. */
async function pairsOfAll(
  ballot: Ballot | undefined,
  trees: number,
  group: ShardGroup,
  run: Run,
): Promise<PairSums> {
  const pairs = (trees * (trees + 1)) / 2;
  const own = await ballot?.pairs(run);
  const numbers = new Float64Array(2 * pairs);
  if (own) {
    numbers.set(own.products);
    numbers.set(own.rows, pairs);
  }
  const sums = await group.sum(numbers);
  return { products: sums.subarray(0, pairs), rows: sums.subarray(pairs) };
}

/** The votes of a forest on the rows of a shard that has some. */
class Ballot {
  readonly #own: ShardRows;
  readonly #columns: TreeColumns;
  readonly #held: MemoryScope;
  readonly #votes: ForestVotes;
  readonly #places: VotePlaces & Required<Pick<VotePlaces, "outOfBag">>;
  readonly #voter: ShardVoter;
  readonly #trees: number;

  /** Makes room for the votes on the rows of a shard. */
  static async open(own: ShardRows, forest: ShardTrees, measured: number, run: Run): Promise<Ballot> {
    const columns = await TreeColumns.onThreads(own.features, run);
    const held = new MemoryScope();
    held.hold(columns);
    try {
      return new Ballot(own, forest, measured, columns, held, run);
    } catch (error) {
      held.release();
      throw error;
    }
  }

  private constructor(
    own: ShardRows,
    { trees, draws }: ShardTrees,
    measured: number,
    columns: TreeColumns,
    held: MemoryScope,
    run: Run,
  ) {
    this.#held = held;
    this.#own = own;
    this.#columns = columns;
    this.#trees = trees.trees;
    const target = held.hold(TreeTarget.of(own.labels, own.classes, own.weights, columns.memory));
    const votes = held.hold(new ForestVotes(columns, own.classes));
    this.#votes = votes;
    // The measured rows of a shard follow those of earlier ones.
    const before = (row: number) => Number((BigInt(row) * BigInt(measured)) / BigInt(own.rows));
    const here = before(own.first + own.own) - before(own.first);
    const padded = paddedRows(here);
    const even = trees.trees + (trees.trees % 2);
    const outOfBag = {
      votes: votes.zeros(4 * own.own),
      lossSums: votes.zeros(8 * trees.trees),
      lossCounts: votes.zeros(4 * trees.trees),
      measured: here,
      losses: votes.zeros(2 * padded * even),
      bits: votes.zeros((padded / 8) * even),
    };
    this.#places = { ...votes.allocate(trees.trees), outOfBag };
    const place = { first: own.first, rows: own.rows, measured };
    const request = { trees, draws, votesOf: () => this.#places, place };
    this.#voter = held.hold(new ShardVoter(columns, target, request, run));
  }

  /** Lets trees vote, and adds their losses to the sums of earlier shards. */
  async vote(begin: number, end: number, losses: Float64Array): Promise<void> {
    const sums = () => this.#columns.memory.f64(this.#places.outOfBag.lossSums + 8 * begin, end - begin);
    sums().set(losses);
    await this.#voter.vote(begin, end);
    losses.set(sums());
  }

  /** Counts the rows that some tree has voted on, the errors on them, and the votes of each tree. */
  async counts(run: Run) {
    const labels = onSharedMemory(this.#own.labels);
    const { rows, errors } = await this.#votes.scores(this.#places, 0, labels, run);
    const { lossCounts } = this.#places.outOfBag;
    return { rows, errors, votes: this.#columns.memory.i32(lossCounts, this.#trees).slice() };
  }

  /** Sums the products of losses, if some of the measured rows are here. */
  async pairs(run: Run): Promise<PairSums | undefined> {
    const { outOfBag } = this.#places;
    if (outOfBag.measured === 0) return undefined;
    return pairSums(outOfBag, this.#trees, this.#columns.memory, run);
  }

  [Symbol.dispose](): void {
    this.#held.release();
  }
}

/** Tests each half of the trees on the rows of the other half, on the shards that have them. */
export async function measureHalves(
  own: ShardRows,
  forest: ShardTrees,
  group: ShardGroup,
  run: Run,
): Promise<Pick<ForestFit, "outOfBag" | "halves">> {
  const counted = own.own > 0 ? await votesOfHalves(own, forest, run) : new Float64Array(6);
  const [rows, errors, ...tests] = await group.sum(counted);
  const tested: TestedHalves = {
    first: { rows: tests[0], errors: tests[1] },
    second: { rows: tests[2], errors: tests[3] },
  };
  return { outOfBag: { rows, errors }, ...(!own.weights && { halves: tested }) };
}

/** Counts rows and errors of all votes, then rows and errors of the test of each half, on the rows of a shard. */
async function votesOfHalves(own: ShardRows, { trees, draws }: ShardTrees, run: Run): Promise<Float64Array> {
  using columns = await TreeColumns.onThreads(own.features, run);
  using target = TreeTarget.of(own.labels, own.classes, own.weights, columns.memory);
  using votes = new ForestVotes(columns, own.classes);
  const places = votes.allocate(trees.trees);
  const perHalf = trees.trees / 2;
  // The rows of the other half, of which each tree of a half knows those that are here.
  const others = [0, 1].map((half) => draws[(1 - half) * perHalf].list ?? new Int32Array(0));
  const lists = others.map((rows) => votes.list(rows));
  const votesOf = (tree: number) => ({ ...places, rows: lists[tree < perHalf ? 0 : 1] });
  const place = { first: own.first, rows: own.rows, measured: 0 };
  using voter = new ShardVoter(columns, target, { trees, draws, votesOf, place }, run);
  await voter.vote(0, trees.trees);
  const { scores, rows, errors } = await votes.scores(places, perHalf, onSharedMemory(own.labels), run);
  const { first, second } = testsOfHalves(scores, own.labels, others[0], others[1], trees.trees);
  return Float64Array.of(rows, errors, first.rows, first.errors, second.rows, second.errors);
}
