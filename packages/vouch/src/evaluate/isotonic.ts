import { Arena, MemoryScope } from "../runtime/arena.js";
import { ALIGNMENT } from "../runtime/heap.js";
import { IndexSorter } from "../runtime/sort.js";

/** Rows of one event: whether it happened, at which score. Rows of weight 0 do not count. */
interface ScoredEvents {
  readonly scores: Float64Array;
  /** 1 if the event happened, 0 if not. */
  readonly events: Uint8Array;
  readonly weights: Float64Array;
}

/** A piecewise linear, non-decreasing curve. */
export interface IsotonicCurve {
  readonly at: Float64Array;
  readonly probabilities: Float64Array;
}

/** Weight of each of the two rows that are added at the ends, where the event happens half of the time. */
const END_WEIGHT = 1;

/**
 * Fits a non-decreasing curve of probabilities to events by least squares, which also maximises their likelihood (Zadrozny and
 * Elkan 2002): blocks of rows in order of their scores, each with the mean of its events. A row with half an event is added at
 * either end, so that no probability is 0 or 1.
 *
 * The curve has a knot at the mean score of each block and is linear in between (centred isotonic regression: Oron and Flournoy
 * 2017). The usual step function lies further from the truth and ties the rows of a block.
 */
export function isotonicCurve(rows: ScoredEvents): IsotonicCurve {
  const blocks = pooledBlocks(rows);
  const at: number[] = [];
  const probabilities: number[] = [];
  for (let b = 0; b < blocks.length; b += BLOCK_NUMBERS) {
    const [weight, scores, events] = blocks.subarray(b, b + BLOCK_NUMBERS);
    // Means of neighbours may round to the same number.
    if (b > 0 && scores / weight <= blocks[b - 2] / blocks[b - 3]) continue;
    at.push(scores / weight);
    probabilities.push(events / weight);
  }
  return { at: Float64Array.from(at), probabilities: Float64Array.from(probabilities) };
}

/** A block is its weight, and weighted sums of scores and events. */
const BLOCK_NUMBERS = 3;

/** Pools the rows to blocks of ascending means; see `kernels/calibration-isotonic.ts`. */
function pooledBlocks({ scores, events, weights }: ScoredEvents): Float64Array {
  const rows = scores.length;
  const memory = new MemoryScope();
  try {
    const order = memory.hold(new IndexSorter(rows)).sort(scores);
    const bytes = rows * (4 + 8 + 1 + 8 + 8 * BLOCK_NUMBERS) + 5 * ALIGNMENT;
    const arena = memory.hold(Arena.allocate(bytes));
    const [places, at, weight] = [arena.i32(rows), arena.f64(rows), arena.f64(rows)];
    const [happened, blocks] = [arena.u8(rows), arena.f64(BLOCK_NUMBERS * rows)];
    places.view.set(order);
    at.view.set(scores);
    weight.view.set(weights);
    happened.view.set(events);
    const count = arena.memory.kernels.isotonicBlocks(
      places.pointer,
      rows,
      at.pointer,
      happened.pointer,
      weight.pointer,
      END_WEIGHT,
      blocks.pointer,
    );
    return blocks.view.slice(0, BLOCK_NUMBERS * count);
  } finally {
    memory.release();
  }
}
