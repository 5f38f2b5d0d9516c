/**
 * Lists of the numbers that are not zero, of a batch or of all rows: products skip the others. Inputs such as pixels and categories, and the
 * units of ReLU layers, are mostly zero. An entry is the index of the number, then the number.
 */

/** Bytes of an entry. */
@inline export const ENTRY: usize = 8;

/** Columns of a block. The list of a row has a part for each block, so that a product can stay in some rows of its matrix. */
@inline export const BLOCK_COLUMNS: i32 = 256;

/** Bytes per entry of the table of parts: start and end address of the list of one block of one row. */
@inline export const PART: usize = 8;

/** Returns the number of blocks of a row. */
@inline export function blocksOf(width: i32): i32 {
  return (width + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
}

/** Lists the rows from `begin` to `end` − 1, row r at entry r · width. */
export function listRows(
  x: usize, stride: i32, width: i32, begin: i32, end: i32,
  lists: usize, parts: usize,
): void {
  const partBytes = <usize>blocksOf(width) * PART;
  for (let r = begin; r < end; r++) {
    listRow(x + (<usize>(r * stride) << 2), width, lists + <usize>(r * width) * ENTRY, parts + <usize>r * partBytes);
  }
}

/** Lists rows one after the other; returns the end of the last list. Needs room for one extra entry. */
export function packLists(x: usize, stride: i32, width: i32, rows: i32, lists: usize, parts: usize): usize {
  const partBytes = <usize>blocksOf(width) * PART;
  for (let r = 0; r < rows; r++, parts += partBytes) {
    lists = listRow(x + (<usize>(r * stride) << 2), width, lists, parts);
  }
  return lists;
}

/** Lists a row; returns the end of the list. */
function listRow(x: usize, width: i32, to: usize, parts: usize): usize {
  for (let first = 0; first < width; first += BLOCK_COLUMNS, parts += PART) {
    store<u32>(parts, <u32>to);
    to = list(x + (<usize>first << 2), first, min(first + BLOCK_COLUMNS, width), to);
    store<u32>(parts, <u32>to, 4);
  }
  return to;
}

/**
 * Lists the columns from `begin` to `end` − 1, from the lists of the first rows: column k at entry k · capacity. Rows come in
 * their order.
 */
export function listColumns(
  parts: usize, width: i32, rows: i32, begin: i32, end: i32,
  lists: usize, capacity: i32, counts: usize,
): void {
  const blocks = blocksOf(width);
  memory.fill(counts + (<usize>begin << 2), 0, <usize>(end - begin) << 2);
  for (let r = 0; r < rows; r++) {
    for (let b = begin / BLOCK_COLUMNS; b * BLOCK_COLUMNS < end; b++) {
      const part = parts + <usize>(r * blocks + b) * PART;
      distribute(load<u32>(part), load<u32>(part, 4), r, begin, end, lists, capacity, counts);
    }
  }
}

/** Writes the first rows from their lists, with zeros between the entries. */
export function scatterLists(parts: usize, width: i32, rows: i32, to: usize, stride: i32): void {
  const blocks = blocksOf(width);
  for (let r = 0; r < rows; r++, to += <usize>stride << 2) {
    memory.fill(to, 0, <usize>width << 2);
    for (let b = 0; b < blocks; b++, parts += PART) {
      const end: usize = load<u32>(parts, 4);
      for (let at: usize = load<u32>(parts); at < end; at += ENTRY) {
        store<u32>(to + (<usize>load<u32>(at) << 2), load<u32>(at, 4));
      }
    }
  }
}

/** Appends the entries of a part of row r to the lists of their columns. Entries are in the order of their columns. */
function distribute(
  at: usize, atEnd: usize, r: i32, begin: i32, end: i32,
  lists: usize, capacity: i32, counts: usize,
): void {
  while (at < atEnd && load<i32>(at) < begin) at += ENTRY;
  for (; at < atEnd; at += ENTRY) {
    const k = load<i32>(at);
    if (k >= end) return;
    const place = counts + (<usize>k << 2);
    const count = load<i32>(place);
    const to = lists + <usize>(k * capacity + count) * ENTRY;
    store<i32>(to, r);
    store<u32>(to, load<u32>(at, 4), 4);
    store<i32>(place, count + 1);
  }
}

/** Lists the numbers with the indices from `index` to `end` − 1, a multiple of 4; returns the end of the list. */
function list(x: usize, index: i32, end: i32, to: usize): usize {
  for (; index < end; index += 4, x += 16) {
    to = append(load<u32>(x), index, to);
    to = append(load<u32>(x, 4), index + 1, to);
    to = append(load<u32>(x, 8), index + 2, to);
    to = append(load<u32>(x, 12), index + 3, to);
  }
  return to;
}

/** Writes an entry, and returns where the next one goes: to its place if it is zero. So no branch depends on the numbers. */
@inline function append(bits: u32, index: i32, to: usize): usize {
  store<u64>(to, (<u64>bits << 32) | <u64>index);
  // Both zeros have no other bit than the sign.
  return to + (<usize>((bits << 1) != 0) << 3);
}
