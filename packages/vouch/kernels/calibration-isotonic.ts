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
  order: usize, rows: i32, scores: usize, events: usize, weights: usize, end: f64, blocks: usize,
): i32 {
  let top = blocks - offsetof<PooledBlock>(), i = nextCounted(order, rows, weights, 0);
  for (let extra = end; i < rows; extra = 0) {
    const score = at(scores, rowAt(order, i));
    let weight = extra, happened = 0.5 * extra;
    do {
      const row = rowAt(order, i), own = at(weights, row);
      weight += own;
      if (load<u8>(events + row)) happened += own;
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
