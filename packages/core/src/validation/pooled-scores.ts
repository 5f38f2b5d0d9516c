import { IndexSorter } from "../runtime/maths/sort.js";
import { f64, i32, Scope, type Slice } from "../runtime/wasm/arena.js";
import type { WasmExports } from "../runtime/wasm/wasm-exports.js";
import { wasmMemory } from "../runtime/wasm/wasm-memory.js";

/** Scores of an event with a target probability each; scores of weight 0 do not count. */
export interface TargetedScores {
  readonly scores: Float64Array;
  readonly targets: Float64Array;
  readonly weights: Float64Array;
}

/** Maximum number of points after pooling. */
const MOST_POINTS = 512;

/** Minimum number of rows per point; otherwise sorting is not worthwhile. */
const LEAST_ROWS_PER_POINT = 3;

/**
 * Pools many scores in order into a few points, each with the total weight, mean score and mean target. The log loss of
 * a smooth curve of one score hardly changes, by terms of second order in the width of the points, and takes a fraction
 * of the time.
 */
export function pooledScores(rows: TargetedScores): TargetedScores {
  const { weights } = rows;
  let counted = 0;
  for (let i = 0; i < weights.length; i++) if (weights[i] > 0) counted++;
  if (counted < LEAST_ROWS_PER_POINT * MOST_POINTS) return rows;
  return inOrder(rows, 3 * MOST_POINTS, ({ exports, input, result }) => {
    exports.pooledPoints(...input, counted, MOST_POINTS, result.pointer);
    const part = (k: number) => result.view.slice(k * MOST_POINTS, (k + 1) * MOST_POINTS);
    return { scores: part(0), targets: part(1), weights: part(2) };
  });
}

/** Scores in WebAssembly memory. */
interface OrderedScores {
  readonly exports: WasmExports;
  /** Addresses of the order of the rows, and their number; addresses of scores, targets and weights. */
  readonly input: readonly [order: number, rows: number, scores: number, targets: number, weights: number];
  readonly result: Slice<Float64Array>;
}

/** Sorts scores, and runs work on them in WebAssembly memory, with room for a result of `length` doubles. */
export function inOrder<Result>(
  { scores, targets, weights }: TargetedScores,
  length: number,
  work: (ordered: OrderedScores) => Result,
): Result {
  const rows = scores.length;
  using scope = new Scope();
  const order = scope.hold(new IndexSorter(rows)).sort(scores);
  const slices = scope.take({
    order: i32(rows),
    scores: f64(rows),
    targets: f64(rows),
    weights: f64(rows),
    result: f64(length),
  });
  slices.order.view.set(order);
  slices.scores.view.set(scores);
  slices.targets.view.set(targets);
  slices.weights.view.set(weights);
  const { exports } = wasmMemory();
  const addresses = [slices.scores.pointer, slices.targets.pointer, slices.weights.pointer] as const;
  return work({ exports, input: [slices.order.pointer, rows, ...addresses], result: slices.result });
}
