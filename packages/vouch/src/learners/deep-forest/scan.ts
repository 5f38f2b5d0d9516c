import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "../../encode/binned-columns.js";
import { binLike, binMatrix } from "../../encode/bins.js";
import { Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { sharedBytes } from "../../runtime/shared-array.js";
import { kFold, type Split } from "../../table/splits.js";
import { forestScores, forestScoresAtOnce } from "../forest/forest-scores.js";
import { growForests } from "../forest/grow-forest.js";
import { TreeColumns } from "../tree/tree-columns.js";
import type { TreeGrowth } from "../tree/tree-grower.js";
import { TreeSet } from "../tree/tree-set.js";
import type { TrainingRows } from "./grow-layers.js";
import { seedAt } from "./leaf-rows.js";
import { BINS, type GridShape, type ScanWindow, scanBins, windowCorners, windowOffsets } from "./windows.js";

/** So many windows are looked at in one go. */
const WINDOWS_AT_ONCE = 1 << 18;

/** How images or sequences are scanned. */
export interface ScanPlan {
  readonly shape: GridShape;
  readonly windows: readonly ScanWindow[];
  /** How the trees of the two forests of a window grow on so many pixels. */
  readonly growths: (pixels: number) => readonly TreeGrowth[];
  readonly trees: number;
  readonly folds: number;
  /** So many windows at most train the forests of a fold. */
  readonly mostWindows: number;
}

/** The forests of a window, and the features that they make. */
export interface ScanGrain {
  readonly window: ScanWindow;
  /** One set for each forest, with the trees of all folds. */
  readonly forests: readonly TreeSet[];
  /** How the class vectors of all places are binned: place after place, forest after forest. */
  readonly features: readonly BinnedFeature[];
}

/** A trained scan. */
export interface Scan {
  readonly shape: GridShape;
  /** See `scanBins`. */
  readonly bins: Uint8Array;
  readonly grains: readonly ScanGrain[];
}

/**
 * Multi-grained scanning (Z.-H. Zhou, J. Feng, *Deep forest*, 2017): windows slide over an image or a sequence, forests say
 * of each place which class the whole is of, and these class vectors are the features of the cascade. Those of training
 * rows come from forests that saw no window of the row.
 */
export async function fitScan(
  rows: TrainingRows,
  plan: ScanPlan,
  run: Run,
): Promise<{ readonly scan: Scan; readonly features: BinnedColumns }> {
  const bins = scanBins(rows.features, plan.shape);
  const { folds } = kFold(rows.labels, plan.folds, seedAt(run.seed, 0));
  const grains: ScanGrain[] = [];
  const scanned: BinnedColumns[] = [];
  for (const [w, window] of plan.windows.entries()) {
    const own = { ...run, seed: seedAt(run.seed, 1, w), progress: stage(run, `window ${w + 1}`) };
    const pixels = new WindowReader(rows.features, bins, plan.shape, window);
    const { forests, outOfFold } = await fitGrain(rows, pixels, folds, plan, own);
    const columns = binMatrix(outOfFold, MISSING_BIN, scanNames(w, outOfFold.columns));
    grains.push({ window, forests, features: columns.features });
    scanned.push(columns);
  }
  return { scan: { shape: plan.shape, bins, grains }, features: joinedColumns(scanned) };
}

/** The features that a trained scan makes of rows which it was not trained on. */
export function scanned({ shape, bins, grains }: Scan, features: BinnedColumns): BinnedColumns {
  const parts = grains.map(({ window, forests, features: ofGrain }) => {
    const reader = new WindowReader(features, bins, shape, window);
    const [{ classes }] = forests;
    const vectors = new Matrix(
      features.rows,
      ofGrain.length,
      new Float32Array(features.rows * ofGrain.length),
    );
    for (const rows of reader.batches(allRows(features.rows))) {
      const columns = reader.all(rows);
      forests.forEach((trees, f) => {
        placeVectors(
          forestScoresAtOnce(trees, columns),
          rows,
          vectors,
          f * classes,
          forests.length * classes,
        );
      });
    }
    return binLike(vectors, ofGrain);
  });
  return joinedColumns(parts);
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
    // Trees ask for bins; where the cuts between them were does not matter to anybody.
    const cuts = new Float64Array(0);
    this.#pixels = Array.from(this.#offsets, (_, k) => ({ kind: "numeric", name: `pixel ${k + 1}`, cuts }));
  }

  get pixels(): number {
    return this.#offsets.length;
  }

  /** The window at a corner of each row of a list. */
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

  /** All windows of the rows, row after row. */
  all(rows: Int32Array): BinnedColumns {
    const places = this.corners.length;
    const windows = rows.length * places;
    return this.at(
      Int32Array.from({ length: windows }, (_, i) => rows[Math.floor(i / places)]),
      Int32Array.from({ length: windows }, (_, i) => this.corners[i % places]),
    );
  }

  /** The rows in batches whose windows are not too many. */
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
    for (const batch of reader.batches(test)) {
      await checkpoint(run);
      using columns = TreeColumns.of(reader.all(batch));
      for (const [f, trees] of forests.entries()) {
        const scores = await forestScores(trees, columns, undefined, run);
        placeVectors(scores, batch, outOfFold, f * classes, growths.length * classes);
      }
    }
    grown.push(forests);
  }
  const forests = growths.map((_, f) => TreeSet.concat(grown.map((ofFold) => ofFold[f])));
  return { forests, outOfFold };
}

/** The forests of a window, grown on windows of some rows. */
async function growOnWindows(
  { labels, classes, distribution }: TrainingRows,
  reader: WindowReader,
  train: Int32Array,
  growths: readonly TreeGrowth[],
  { trees, mostWindows }: ScanPlan,
  run: Run,
): Promise<TreeSet[]> {
  const { rows, corners } = drawnWindows(train, reader.corners, mostWindows, new Random(seedAt(run.seed, 0)));
  const weighted = distribution.some((share) => share !== distribution[0]);
  const target = {
    labels: rows.map((row) => labels[row]),
    classes: classes.length,
    ...(weighted && { weights: Float64Array.from(rows, (row) => distribution[row] * labels.length) }),
  };
  using columns = TreeColumns.of(reader.at(rows, corners));
  const plans = growths.map((growth, f) => ({
    growth,
    trees,
    bootstrap: growth.splits === "best",
    seed: seedAt(run.seed, 1, f),
    rows: allRows(rows.length),
  }));
  return await growForests(columns, target, plans, run);
}

/** All windows of the rows, or as many at random as there may be. */
function drawnWindows(train: Int32Array, corners: Int32Array, most: number, random: Random) {
  const all = train.length * corners.length;
  const count = Math.min(all, most);
  const drawn = Float64Array.from({ length: count }, (_, i) => (all <= most ? i : random.integer(all)));
  return {
    rows: Int32Array.from(drawn, (index) => train[Math.floor(index / corners.length)]),
    corners: Int32Array.from(drawn, (index) => corners[index % corners.length]),
  };
}

/** Writes the class vectors of all places of some rows: `first` and `stride` say where in the row's features. */
function placeVectors(scores: Matrix, rows: Int32Array, to: Matrix, first: number, stride: number): void {
  const places = scores.rows / rows.length;
  rows.forEach((row, i) => {
    const features = to.row(row);
    for (let p = 0; p < places; p++) features.set(scores.row(i * places + p), p * stride + first);
  });
}

function joinedColumns(parts: readonly BinnedColumns[]): BinnedColumns {
  const [{ rows }] = parts;
  const bins = sharedBytes(parts.reduce((sum, part) => sum + part.bins.length, 0));
  let at = 0;
  for (const part of parts) {
    bins.set(part.bins, at);
    at += part.bins.length;
  }
  return new BinnedColumns(
    rows,
    parts.flatMap(({ features }) => features),
    bins,
  );
}

/** What the features of a window are called. */
export function scanNames(window: number, columns: number): string[] {
  return Array.from({ length: columns }, (_, k) => `window ${window + 1}, vote ${k + 1}`);
}

function stage(run: Run, name: string): Run["progress"] {
  return (progress) => run.progress({ ...progress, stage: `${name}: ${progress.stage}` });
}

function allRows(rows: number): Int32Array {
  return Int32Array.from({ length: rows }, (_, i) => i);
}
