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
  const blocks = pooled(tiedRows(rows)).filter(
    // Means of neighbours may round to the same number.
    (block, k, all) => k === 0 || block.scores / block.weight > all[k - 1].scores / all[k - 1].weight,
  );
  return {
    at: Float64Array.from(blocks, ({ weight, scores }) => scores / weight),
    probabilities: Float64Array.from(blocks, ({ weight, events }) => events / weight),
  };
}

/** Consecutive rows: their weight, and weighted sums of scores and events. */
interface Block {
  readonly weight: number;
  readonly scores: number;
  readonly events: number;
}

/** Yields the rows in order of their scores, those with the same score as one block. */
function* tiedRows({ scores, events, weights }: ScoredEvents): Generator<Block> {
  const sorter = new IndexSorter(scores.length);
  const order = sorter.sort(scores).filter((row) => weights[row] > 0);
  sorter.release();
  const last = order.length - 1;
  for (let first = 0; first <= last; ) {
    const score = scores[order[first]];
    let weight = first === 0 ? END_WEIGHT : 0;
    let happened = weight / 2;
    let next = first;
    for (; next <= last && scores[order[next]] === score; next++) {
      weight += weights[order[next]];
      happened += weights[order[next]] * events[order[next]];
    }
    if (next > last) {
      weight += END_WEIGHT;
      happened += END_WEIGHT / 2;
    }
    yield { weight, scores: weight * score, events: happened };
    first = next;
  }
}

/** Pools adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955): blocks whose means do not ascend become one. */
function pooled(blocks: Iterable<Block>): Block[] {
  const stack: Block[] = [];
  for (const block of blocks) {
    let last = block;
    for (let before = stack.at(-1); before && !ascends(before, last); before = stack.at(-1)) {
      stack.pop();
      last = {
        weight: before.weight + last.weight,
        scores: before.scores + last.scores,
        events: before.events + last.events,
      };
    }
    stack.push(last);
  }
  return stack;
}

function ascends(a: Block, b: Block): boolean {
  return a.events * b.weight < b.events * a.weight;
}
