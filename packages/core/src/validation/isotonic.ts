import { inOrder, type TargetedScores } from "./pooled-scores.js";

/** A piecewise linear, non-decreasing curve. */
export interface IsotonicCurve {
  readonly at: Float64Array;
  readonly probabilities: Float64Array;
}

/** Weight of each of the two rows added at the ends, where the event happens half of the time. */
const END_WEIGHT = 1;

/**
 * Fits a non-decreasing curve of probabilities to events (targets of 0 or 1) by least squares, which also maximises
 * their likelihood (Zadrozny and Elkan 2002). The curve consists of blocks of rows in order of their scores, each with
 * the mean of its events. A row with half an event is added at either end, so that no probability is 0 or 1.
 *
 * The curve has a knot at the mean score of each block and is linear in between (centred isotonic regression: Oron and
 * Flournoy 2017). The usual step function lies further from the truth and ties the rows of a block.
 */
export function isotonicCurve(rows: TargetedScores): IsotonicCurve {
  const blocks = pooledBlocks(rows);
  const at: number[] = [];
  const probabilities: number[] = [];
  for (let b = 0; b < blocks.length; b += BLOCK_NUMBERS) {
    const [weight, scores, events] = blocks.subarray(b, b + BLOCK_NUMBERS);
    // Neighbouring means may round to the same number.
    if (b > 0 && scores / weight <= blocks[b - 2] / blocks[b - 3]) continue;
    at.push(scores / weight);
    probabilities.push(events / weight);
  }
  return { at: Float64Array.from(at), probabilities: Float64Array.from(probabilities) };
}

/** Numbers per block: its weight, and weighted sums of scores and events. */
const BLOCK_NUMBERS = 3;

/** Pools the rows into blocks of ascending means; see `wasm/calibration-pooling.ts`. */
function pooledBlocks(rows: TargetedScores): Float64Array {
  return inOrder(rows, BLOCK_NUMBERS * rows.scores.length, ({ exports, input, result }) => {
    const count = exports.isotonicBlocks(...input, END_WEIGHT, result.pointer);
    return result.view.slice(0, BLOCK_NUMBERS * count);
  });
}
