import { binRows } from "../../encode/bin-matrix.js";
import { BinnedColumns, type BinnedFeature } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { Random, seedAt } from "../../runtime/maths/random.js";
import { type Pausable, runOnThreads } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { sharedBytes } from "../../runtime/parallel/shared-array.js";
import { kFold, type Split } from "../../table/splits.js";
import { bestGrowth, randomGrowth } from "../forest/forest.js";
import { growForests } from "../forest/grow-forest.js";
import type { TreeGrowth } from "../tree/growth-options.js";
import { allRows } from "../tree/sample-rows.js";
import { forestScores, walksRowByRow } from "../tree/score-trees.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { TreeSet } from "../tree/tree-set.js";
import { type TrainingRows, treeWeights } from "./block.js";
import type { ScanOptions } from "./deep-forest-options.js";
import type { Scan } from "./deep-forest-parts.js";
import { joinedColumns, predictionNames } from "./layer-input.js";
import {
  BINS,
  type GridShape,
  gridShape,
  type ScanWindow,
  scanWindows,
  sharedBins,
  windowCorners,
  windowOffsets,
} from "./windows.js";

/** Windows that are predicted at a time. */
const WINDOWS_AT_ONCE = 1 << 18;

/** How images or sequences are scanned. */
interface ScanPlan {
  readonly shape: GridShape;
  readonly windows: readonly ScanWindow[];
  /** How the trees of the two forests of a window grow on a number of pixels. */
  readonly growths: (pixels: number) => readonly TreeGrowth[];
  readonly trees: number;
  readonly folds: number;
  /** Maximum number of windows that train the forests of a fold. */
  readonly mostWindows: number;
}

/** Plans the scan that the options describe. Throws if the shape does not fit the number of features. */
export function scanPlan(
  learner: string,
  options: ScanOptions & { readonly folds: number },
  features: number,
): ScanPlan {
  const shape = gridShape(learner, options.shape, features);
  const limits = { maxDepth: "unlimited", minLeafRows: options.scanLeafRows, minSplitRows: 2 } as const;
  return {
    shape,
    windows: scanWindows(learner, shape, options.windows, options.stride),
    growths: (pixels) => [
      bestGrowth({ ...limits, criterion: "gini", featuresPerSplit: "sqrt" }, pixels),
      randomGrowth(limits),
    ],
    trees: options.scanTrees,
    folds: options.folds,
    mostWindows: options.scanWindows,
  };
}

/**
 * Scans training rows (multi-grained scanning; Z.-H. Zhou, J. Feng, *Deep forest*, 2017): windows slide over an image or a
 * sequence, forests predict the class of the whole at each position, and these class vectors are the features of the
 * cascade. Those of a training row come from forests that saw no window of the row.
 */
export async function fitScan(
  rows: TrainingRows,
  plan: ScanPlan,
  run: Run,
): Promise<{ readonly scan: Scan; readonly features: BinnedColumns }> {
  const bins = sharedBins(rows.features, plan.shape);
  const { folds } = kFold(rows.labels, plan.folds, seedAt(run.seed, 0));
  const grains: Scan["grains"][number][] = [];
  const columns: BinnedColumns[] = [];
  for (const [w, window] of plan.windows.entries()) {
    const own = { ...run, seed: seedAt(run.seed, 1, w), progress: stage(run, `window ${w + 1}`) };
    const pixels = new WindowReader(rows.features, bins, plan.shape, window);
    const { forests, outOfFold } = await fitGrain(rows, pixels, folds, plan, own);
    const predictions = await runOnThreads(
      binRows(outOfFold, { names: predictionNames(outOfFold.columns) }),
      run,
    );
    grains.push({ window, forests, features: predictions.features });
    columns.push(predictions);
  }
  return { scan: { shape: plan.shape, bins, grains }, features: joinedColumns(columns) };
}

/** Scans new rows. */
export function* scanned({ shape, bins, grains }: Scan, features: BinnedColumns): Pausable<BinnedColumns> {
  const parts: BinnedColumns[] = [];
  for (const { window, forests, features: ofGrain } of grains) {
    const reader = new WindowReader(features, bins, shape, window);
    const vectors = vectorsFor(features, ofGrain);
    yield* writeVectors(reader, forests, allRows(features.rows), vectors);
    parts.push(yield* binRows(vectors, ofGrain));
  }
  return joinedColumns(parts);
}

/** Writes the class vectors that forests predict for all windows of some rows. */
function* writeVectors(
  reader: WindowReader,
  forests: readonly TreeSet[],
  rows: Int32Array,
  vectors: Matrix,
): Pausable<void> {
  for (const batch of reader.batches(rows)) {
    yield;
    const windows = reader.all(batch);
    const isShort = forests.every((trees) => walksRowByRow(trees, windows.rows));
    using columns = isShort ? undefined : yield* TreeColumns.copy(windows);
    for (const [f, trees] of forests.entries()) {
      const scores = yield* forestScores(trees, columns ?? windows);
      placeVectors(scores, batch, vectors, f * trees.classes, forests.length * trees.classes);
    }
  }
}

/** Allocates the class vectors that the windows of a grain make. */
function vectorsFor({ rows }: BinnedColumns, ofGrain: readonly BinnedFeature[]): Matrix {
  return new Matrix(rows, ofGrain.length, new Float32Array(rows * ofGrain.length));
}

/** Reads windows of rows as binned columns, one for each pixel of the window. */
class WindowReader {
  readonly corners: Int32Array;
  readonly #features: BinnedColumns;
  readonly #bins: Uint8Array;
  readonly #offsets: Int32Array;
  readonly #pixels: readonly BinnedFeature[];

  constructor(features: BinnedColumns, bins: Uint8Array, shape: GridShape, window: ScanWindow) {
    this.#features = features;
    this.#bins = bins;
    this.corners = windowCorners(shape, window);
    this.#offsets = windowOffsets(shape, window);
    // Trees split on bins and need no cuts.
    const cuts = new Float64Array(0);
    this.#pixels = Array.from(this.#offsets, (_, k) => ({ kind: "numeric", name: `pixel ${k + 1}`, cuts }));
  }

  get pixels(): number {
    return this.#offsets.length;
  }

  /** Reads one window of each row, given its corner. */
  at(rows: Int32Array, corners: Int32Array): BinnedColumns {
    const windows = rows.length;
    const { bins, rows: stride } = this.#features;
    const cells = sharedBytes(windows * this.pixels);
    this.#offsets.forEach((offset, k) => {
      const to = k * windows;
      for (let i = 0; i < windows; i++) {
        const column = corners[i] + offset;
        cells[to + i] = this.#bins[column * BINS + bins[column * stride + rows[i]]];
      }
    });
    return new BinnedColumns(windows, this.#pixels, cells);
  }

  /** Reads all windows of the rows, row by row. */
  all(rows: Int32Array): BinnedColumns {
    const positions = this.corners.length;
    const windows = rows.length * positions;
    return this.at(
      Int32Array.from({ length: windows }, (_, i) => rows[Math.floor(i / positions)]),
      Int32Array.from({ length: windows }, (_, i) => this.corners[i % positions]),
    );
  }

  /** Divides rows into batches that do not have too many windows. */
  *batches(rows: Int32Array): Generator<Int32Array> {
    const size = Math.max(1, Math.floor(WINDOWS_AT_ONCE / this.corners.length));
    for (let from = 0; from < rows.length; from += size) yield rows.subarray(from, from + size);
  }
}

async function fitGrain(
  rows: TrainingRows,
  reader: WindowReader,
  folds: readonly Split[],
  plan: ScanPlan,
  run: Run,
): Promise<{ forests: TreeSet[]; outOfFold: Matrix }> {
  const growths = plan.growths(reader.pixels);
  const classes = rows.classes.length;
  const width = reader.corners.length * growths.length * classes;
  const outOfFold = new Matrix(rows.labels.length, width, new Float32Array(rows.labels.length * width));
  const grown: TreeSet[][] = [];
  for (const [fold, { train, test }] of folds.entries()) {
    const forests = await growOnWindows(rows, reader, train, growths, plan, {
      ...run,
      seed: seedAt(run.seed, fold),
    });
    await runOnThreads(writeVectors(reader, forests, test, outOfFold), run);
    grown.push(forests);
  }
  const forests = growths.map((_, f) => TreeSet.concat(grown.map((ofFold) => ofFold[f])));
  return { forests, outOfFold };
}

/** Grows the forests of one window size on the windows of the given rows, or on a sample of these windows. */
async function growOnWindows(
  { labels, classes, distribution }: TrainingRows,
  reader: WindowReader,
  train: Int32Array,
  growths: readonly TreeGrowth[],
  { trees, mostWindows }: ScanPlan,
  run: Run,
): Promise<TreeSet[]> {
  const { rows, corners } = sampledWindows(
    train,
    reader.corners,
    mostWindows,
    new Random(seedAt(run.seed, 0)),
  );
  const weights = treeWeights(distribution);
  const target = {
    labels: rows.map((row) => labels[row]),
    classes: classes.length,
    ...(weights && { weights: Float64Array.from(rows, (row) => weights[row]) }),
  };
  using columns = await runOnThreads(TreeColumns.copy(reader.at(rows, corners)), run);
  const plans = growths.map((growth, f) => ({
    growth,
    trees,
    bootstrap: growth.splits === "best",
    seed: seedAt(run.seed, 1, f),
    rows: allRows(rows.length),
  }));
  return await growForests(columns, target, plans, run);
}

/** Returns all windows of the rows, or a random sample of `most`, with replacement. */
function sampledWindows(train: Int32Array, corners: Int32Array, most: number, random: Random) {
  const all = train.length * corners.length;
  const count = Math.min(all, most);
  const drawn = Float64Array.from({ length: count }, (_, i) => (all <= most ? i : random.integer(all)));
  return {
    rows: Int32Array.from(drawn, (index) => train[Math.floor(index / corners.length)]),
    corners: Int32Array.from(drawn, (index) => corners[index % corners.length]),
  };
}

/** Writes the class vectors of all positions of some rows to `first`, `first + stride`, … in the features of each row. */
function placeVectors(scores: Matrix, rows: Int32Array, to: Matrix, first: number, stride: number): void {
  const positions = scores.rows / rows.length;
  rows.forEach((row, i) => {
    const features = to.row(row);
    for (let p = 0; p < positions; p++) features.set(scores.row(i * positions + p), p * stride + first);
  });
}

function stage(run: Run, name: string): Run["progress"] {
  return (progress) => run.progress({ ...progress, stage: `${name}: ${progress.stage}` });
}
