/** Pooling of rows with scores, target probabilities (or events, 0 or 1) and weights, all f64, in ascending order of their scores. */

/** Consecutive rows: their weight, and weighted sums of scores and events. */
@unmanaged class PooledBlock {
  weight: f64;
  scores: f64;
  events: f64;
}

/**
 * Pools adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955): blocks of rows in ascending order of their scores
 * whose means do not ascend become one. Rows of the same score are one block; rows of weight 0 do not count. A row of weight
 * `end` with half an event is added to the first and to the last score. Returns the number of blocks.
 */
export function isotonicBlocks(
  order: usize, rows: i32, scores: usize, targets: usize, weights: usize, end: f64, blocks: usize,
): i32 {
  let top = blocks - offsetof<PooledBlock>(), i = nextCounted(order, rows, weights, 0);
  for (let extra = end; i < rows; extra = 0) {
    const score = at(scores, rowAt(order, i));
    let weight = extra, happened = 0.5 * extra;
    do {
      const row = rowAt(order, i), own = at(weights, row);
      weight += own;
      happened += own * at(targets, row);
      i = nextCounted(order, rows, weights, i + 1);
    } while (i < rows && at(scores, rowAt(order, i)) == score);
    if (i == rows) {
      weight += end;
      happened += 0.5 * end;
    }
    top += offsetof<PooledBlock>();
    const block = changetype<PooledBlock>(top);
    block.weight = weight;
    block.scores = weight * score;
    block.events = happened;
    while (top > blocks && !ascends(top)) top = joined(top);
  }
  return <i32>((top - blocks) / offsetof<PooledBlock>()) + 1;
}

/** Tells whether the mean of a block is above that of the one before. */
@inline function ascends(top: usize): bool {
  const block = changetype<PooledBlock>(top), before = changetype<PooledBlock>(top - offsetof<PooledBlock>());
  return before.events * block.weight < block.events * before.weight;
}

/** Adds a block to the one before, and returns that. */
@inline function joined(top: usize): usize {
  const block = changetype<PooledBlock>(top), before = changetype<PooledBlock>(top - offsetof<PooledBlock>());
  before.weight += block.weight;
  before.scores += block.scores;
  before.events += block.events;
  return top - offsetof<PooledBlock>();
}

@inline function rowAt(order: usize, i: i32): usize {
  return load<u32>(order + (<usize>i << 2));
}

@inline function at(values: usize, row: usize): f64 {
  return load<f64>(values + (row << 3));
}

/** Returns the first place from `i` on whose row has a weight. */
@inline function nextCounted(order: usize, rows: i32, weights: usize, i: i32): i32 {
  while (i < rows && at(weights, rowAt(order, i)) == 0) i++;
  return i;
}

/**
 * Pools the `counted` rows that have a weight to points of nearly the same number of rows. Writes the mean score of each point, then
 * the mean targets, then the weights.
 */
export function pooledPoints(
  order: usize, rows: i32, scores: usize, targets: usize, weights: usize, counted: i32, points: i32, to: usize,
): void {
  const bytes = <usize>points << 3;
  for (let point = 0, i = 0, taken = 0; point < points; point++, to += 8) {
    const last = <i32>(<i64>(point + 1) * counted / points);
    let weight: f64 = 0, score: f64 = 0, target: f64 = 0;
    for (; taken < last; i++) {
      const row = rowAt(order, i), own = at(weights, row);
      if (own == 0) continue;
      taken++;
      weight += own;
      score += own * at(scores, row);
      target += own * at(targets, row);
    }
    store<f64>(to, score / weight);
    store<f64>(to + bytes, target / weight);
    store<f64>(to + 2 * bytes, weight);
  }
}
