import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { kernelMemory } from "../../runtime/memory.js";
import { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import type { ShardGroup } from "../../runtime/shard-group.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { checkShards, relativeShardWeights, sumOf, withoutZeroWeights } from "../shard-rows.js";
import { drawsPerTree } from "../tree/draw-subsample.js";
import { type ColumnExtent, executorFor } from "../tree/tree-columns.js";
import type { TreeGrowth } from "../tree/tree-growth.js";
import type { TreeSet } from "../tree/tree-set.js";
import { faultOfTrees } from "../tree/tree-set-part.js";
import { type ForestFit, type ForestFitOptions, sharesOfTotal } from "./fit-forest.js";
import { drawHalves } from "./fit-halves.js";
import { SMALLEST_WEIGHT } from "./grow-forest.js";
import { growOnShards, type ShardForest, type ShardGrowth } from "./grow-on-shards.js";
import { meanDecreases } from "./impurity-decreases.js";
import { joinTrees } from "./join-trees.js";
import { measureHalves, measureOutOfBag, type ShardRows } from "./measure-on-shards.js";
import type { ShardDraws } from "./shard-draws.js";

/** Kernels number rows with 31 bits. */
const MOST_ROWS = 2 ** 31 - 1;

/** A forest on shards: facts of the model, and the rows of this shard that it was grown on. */
export interface ShardFit {
  readonly sample: Sample<BinnedColumns>;
  readonly fit: ForestFit;
}

/** Grows a forest on rows that are divided among shards, in the order of the shards, and measures it as `fitForest` does. */
export async function fitOnShards(
  learner: string,
  given: Sample<BinnedColumns>,
  options: ForestFitOptions,
  growth: TreeGrowth,
  group: ShardGroup,
  run: Run,
): Promise<ShardFit> {
  const sample = withoutZeroWeights(given);
  const { features, labels, classes } = sample;
  const counts = await checkShards(learner, sample, group);
  const weights = await relativeShardWeights(sample, options.classWeights, counts, SMALLEST_WEIGHT, group);
  const rowCounts = counts.map((own) => sumOf(own));
  const rows = sumOf(rowCounts);
  if (rows > MOST_ROWS) {
    throw new VouchError(
      "data/too-large",
      `${learner} takes at most ${MOST_ROWS} rows, but there are ${rows}.`,
    );
  }
  const place = { first: sumOf(rowCounts.slice(0, group.shard)), rows, own: rowCounts[group.shard] };
  const draws = (options.halves ? drawsOfHalves : drawsOfTrees)(options, place, run.seed);
  const forest: ShardForest = {
    growth,
    draws,
    classes: classes.length,
    sample: {
      rows: place.own,
      columns: features.columns,
      bins: onSharedMemory(features.bins),
      labels: onSharedMemory(labels),
      ...(weights && { weights: onSharedMemory(weights) }),
    },
    features: features.features,
    extents: await extentsOfAll(features, group),
    rowCounts,
  };
  const grown = await growOnShards(forest, group, run);
  const trees = await joined(grown, forest, run);
  const own: ShardRows = { features, labels, classes: classes.length, weights, ...place };
  const hasOutOfBag = options.bootstrap || draws[0].draws < rows;
  const facts = options.halves
    ? await measureHalves(own, { trees, draws }, group, run)
    : options.outOfBag && hasOutOfBag
      ? await measureOutOfBag(own, { trees, draws }, group, run)
      : {};
  const importances = sharesOfTotal(meanDecreases(grown.decreases, options.trees));
  return { sample, fit: { trees, importances, trainingRows: rows, ...facts } };
}

/** Where the rows of this shard are. */
interface OwnRows {
  readonly first: number;
  readonly rows: number;
  readonly own: number;
}

function drawsOfTrees(
  { trees, bootstrap, rowsPerTree }: ForestFitOptions,
  place: OwnRows,
  seed: number,
): ShardDraws[] {
  const draws = drawsPerTree(place.rows, rowsPerTree);
  return seedsOf(seed, trees).map((own) => ({ seed: own, bootstrap, draws, ...place }));
}

/** Divides the rows of all shards into halves, and returns how the trees of each half draw from its rows. */
function drawsOfHalves(
  { trees, rowsPerTree }: ForestFitOptions,
  { first, rows, own }: OwnRows,
  seed: number,
): ShardDraws[] {
  return drawHalves(trees, rows, seed).flatMap((half) => {
    const start = placeOf(half.rows, first);
    const end = placeOf(half.rows, first + own);
    const list = onSharedMemory(half.rows.slice(start, end).map((row) => row - first));
    const draws = drawsPerTree(half.rows.length, rowsPerTree);
    const common = { bootstrap: false, draws, rows: half.rows.length, first: start, own: list.length, list };
    return seedsOf(half.seed, trees / 2).map((each) => ({ seed: each, ...common }));
  });
}

/** Returns the number of ascending rows before one. */
function placeOf(rows: Int32Array, row: number): number {
  const found = rows.findIndex((each) => each >= row);
  return found < 0 ? rows.length : found;
}

/** Returns the seeds of the trees of a forest, as the threads of a pool do. */
function seedsOf(seed: number, trees: number): number[] {
  const random = new Random(seed);
  return Array.from({ length: trees }, (_, t) => random.fork(t).uniform());
}

/** Finds the bins that occur on any shard, as `TreeColumns` does on one machine. */
async function extentsOfAll(features: BinnedColumns, group: ShardGroup): Promise<ColumnExtent[]> {
  const own: number[] = [];
  for (let j = 0; j < features.columns; j++) {
    let bins = 0;
    let missing = 0;
    for (const bin of features.column(j)) {
      if (bin === MISSING_BIN) missing = 1;
      else bins = Math.max(bins, bin + 1);
    }
    own.push(bins, missing);
  }
  const all = await group.gatherNumbers(own);
  return Array.from({ length: features.columns }, (_, j) => ({
    bins: Math.max(...all.map((extents) => extents[2 * j])),
    missing: all.some((extents) => extents[2 * j + 1] > 0),
  }));
}

/** Joins the trees of all shards, unless those of others are damaged. */
async function joined({ trees }: ShardGrowth, forest: ShardForest, run: Run): Promise<TreeSet> {
  const { classes, draws, features } = forest;
  const shape = { classes, columns: features.length };
  const executor = executorFor({ memory: kernelMemory() }, run);
  const [set] = await joinTrees(trees, [draws.length], shape, executor);
  const fault = faultOfTrees(set.arrays, "shares");
  if (fault === undefined) return set;
  throw new VouchError("task/failed", `The trees of another shard are damaged: ${fault}.`);
}
