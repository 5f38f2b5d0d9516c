import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { onSharedMemory, sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { indexOfLargest } from "../scores.js";
import { thresholdBetween } from "./prepare-column.js";
import { prepareFeatures, sharingExecutor } from "./prepare-features.js";
import { type Cut, markSides, type PreparedFeature, ROW, rowsRead } from "./prepared-feature.js";
import { boundsTask, cutTask, type FoundCut, MARGIN, TIE, type Weighting } from "./split-search.js";

/** Milliseconds to read a row of a feature, roughly; only for estimates of time. */
const MILLISECONDS_PER_ROW = 1.3e-6;

/** A shorter search, in milliseconds, is done in one part. */
const WORTH_DIVIDING = 2;

/** Several parts per thread, so that no thread waits long for the last one. */
const PARTS_PER_THREAD = 2;

/**
 * Finds the first of the best cuts of all features, on the threads of the run where that pays; undefined if none is better
 * than `constant`. First all features are bounded; few are left to be searched after that.
 */
async function bestCut(
  features: readonly PreparedFeature[],
  weighting: Weighting,
  constant: number,
  run: Run,
): Promise<FoundCut | undefined> {
  const executor = sharingExecutor(run);
  const search = divide(features, executor.threads);
  const weights = search.parts.length > 1 ? onSharedMemory(weighting.weights) : weighting.weights;
  const shared = { ...weighting, weights };
  const { signal } = run;
  const bounds = await executor.map(
    boundsTask,
    search.parts.map((part) => ({ features: part, weighting: shared })),
    { signal, milliseconds: search.milliseconds },
  );
  const boundsOf = bounds.flat();
  const atLeast = boundsOf.reduce((most, { accuracy }) => Math.max(most, accuracy), constant);
  const promising = features.filter((_, f) => boundsOf[f].bound >= atLeast - MARGIN);
  const rest = divide(promising, executor.threads);
  const found = await executor.map(
    cutTask,
    rest.parts.map((part) => ({ features: part, weighting: shared, atLeast })),
    { signal, milliseconds: rest.milliseconds },
  );
  const cuts = found.flat();
  const best = cuts.reduce((most, { accuracy }) => Math.max(most, accuracy), constant);
  return constant >= best - TIE ? undefined : cuts.find(({ accuracy }) => accuracy >= best - TIE);
}

interface Division {
  readonly parts: readonly (readonly PreparedFeature[])[];
  /** An estimate of the work on all of them. */
  readonly milliseconds: number;
}

/** Divides features into parts of about the same work, as many as threads can use. */
function divide(features: readonly PreparedFeature[], threads: number): Division {
  const total = features.reduce((sum, prepared) => sum + rowsRead(prepared), 0);
  const milliseconds = total * MILLISECONDS_PER_ROW;
  const count = threads > 1 && milliseconds >= WORTH_DIVIDING ? threads * PARTS_PER_THREAD : 1;
  const parts: PreparedFeature[][] = Array.from({ length: count }, () => []);
  let rows = 0;
  for (const prepared of features) {
    parts[Math.min(count - 1, Math.floor((count * rows) / total))].push(prepared);
    rows += rowsRead(prepared);
  }
  return { parts: parts.filter((part) => part.length > 0), milliseconds };
}

/**
 * Sums the weight of each class over all rows. Here and below, every fourth row is added to the same sum: sums in memory
 * would otherwise wait for each other.
 */
function addByClass(weights: Float64Array, labels: Int32Array, classes: number): Float64Array {
  const sums = new Float64Array(4 * classes);
  const full = weights.length - (weights.length % 4);
  for (let i = 0; i < full; i += 4) {
    sums[labels[i]] += weights[i];
    sums[classes + labels[i + 1]] += weights[i + 1];
    sums[2 * classes + labels[i + 2]] += weights[i + 2];
    sums[3 * classes + labels[i + 3]] += weights[i + 3];
  }
  for (let i = full; i < weights.length; i++) sums[labels[i]] += weights[i];
  return addFour(sums);
}

/** Sums the weight of each class on side 0, then on side 1. */
function addBySideAndClass(
  weights: Float64Array,
  sides: Uint8Array,
  labels: Int32Array,
  classes: number,
): Float64Array {
  const size = 2 * classes;
  const sums = new Float64Array(4 * size);
  const full = weights.length - (weights.length % 4);
  for (let i = 0; i < full; i += 4) {
    sums[sides[i] * classes + labels[i]] += weights[i];
    sums[size + sides[i + 1] * classes + labels[i + 1]] += weights[i + 1];
    sums[2 * size + sides[i + 2] * classes + labels[i + 2]] += weights[i + 2];
    sums[3 * size + sides[i + 3] * classes + labels[i + 3]] += weights[i + 3];
  }
  for (let i = full; i < weights.length; i++) sums[sides[i] * classes + labels[i]] += weights[i];
  return addFour(sums);
}

/** Adds four vectors, which follow each other. */
function addFour(vectors: Float64Array): Float64Array {
  const size = vectors.length / 4;
  const sum = (k: number) => vectors[k] + vectors[size + k] + (vectors[2 * size + k] + vectors[3 * size + k]);
  return vectors.subarray(0, size).map((_, k) => sum(k));
}

/** The split of a stump: rows with `x[feature] ≤ threshold` go left. */
export interface StumpSplit {
  readonly feature: number;
  readonly threshold: number;
}

/** A stump with the lowest error under some weights of the rows. */
export interface FoundStump {
  /** Absent: no split has a lower error than a constant prediction; then all rows go left. */
  readonly split: StumpSplit | undefined;
  /** The heaviest class of each side, which it predicts; ties go to the smaller index. */
  readonly left: number;
  readonly right: number;
  /** Weight of each class on the left side, then on the right side. */
  readonly leaves: Float64Array;
  /** 0 for each row that goes left, 1 for each that goes right; overwritten by the next search. */
  readonly sides: Uint8Array;
}

/**
 * Exact empirical risk minimisation over decision stumps (thesis, definition 3.2): all features, all thresholds,
 * all labels of the two sides. Features are prepared once; then a search with any weights takes one pass over each feature,
 * for any number of classes, on the threads of the run where that pays.
 *
 * Ties go to the constant stump, then to the earlier feature, then to the lower threshold.
 */
export class StumpFinder {
  readonly #matrix: Matrix;
  readonly #labels: Int32Array;
  readonly #classes: number;
  readonly #features: readonly PreparedFeature[];
  readonly #sides: Uint8Array;

  private constructor(
    { features, classes }: Sample,
    labels: Int32Array,
    prepared: readonly PreparedFeature[],
  ) {
    this.#matrix = features;
    this.#labels = labels;
    this.#classes = classes.length;
    this.#features = prepared;
    this.#sides = new Uint8Array(labels.length);
  }

  /** Prepares the features of a sample of finite numbers whose rows all have a class. */
  static async of(sample: Sample, run: Run): Promise<StumpFinder> {
    const labels = new Int32Array(sharedBuffer(4 * sample.rows));
    labels.set(sample.labels);
    const prepared = await prepareFeatures(sample.features, labels, sample.classes.length, run);
    return new StumpFinder(sample, labels, prepared);
  }

  /** Finds the best stump for weights of the rows that are non-negative and sum to one; threads share them if they can. */
  async best(weights: Float64Array, run: Run): Promise<FoundStump> {
    const classes = this.#classes;
    const totals = addByClass(weights, this.#labels, classes);
    const constant = totals[indexOfLargest(totals)];
    const weighting = { weights, labels: this.#labels, totals };
    const split = this.#mark(await bestCut(this.#features, weighting, constant, run));
    await checkpoint(run);
    const leaves = addBySideAndClass(weights, this.#sides, this.#labels, classes);
    const left = heaviestClass(leaves.subarray(0, classes));
    const right = split ? heaviestClass(leaves.subarray(classes)) : left;
    return { split, left, right, leaves, sides: this.#sides };
  }

  /** Turns a cut into a split, and marks the rows on either side of it. */
  #mark(cut: FoundCut | undefined): StumpSplit | undefined {
    const prepared = this.#features.find(({ feature }) => feature === cut?.feature);
    if (!cut || !prepared) {
      this.#sides.fill(0);
      return undefined;
    }
    markSides(prepared, cut, this.#classes, this.#sides);
    return { feature: cut.feature, threshold: this.#thresholdAt(prepared, cut) };
  }

  #thresholdAt(prepared: PreparedFeature, { bucket, inside }: Cut): number {
    const { feature, thresholds } = prepared;
    if (prepared.kind === "two-valued" || !prepared.inner || inside === 0) return thresholds[bucket - 1];
    const { rows, starts } = prepared.inner;
    const { values, columns } = this.#matrix;
    const [below, above] = rows.subarray(starts[bucket] + inside - 1);
    return thresholdBetween(
      values[(below & ROW) * columns + feature],
      values[(above & ROW) * columns + feature],
    );
  }
}

function heaviestClass(weights: Float64Array): number {
  const heaviest = weights[indexOfLargest(weights)];
  return weights.findIndex((weight) => weight >= heaviest * (1 - TIE));
}
