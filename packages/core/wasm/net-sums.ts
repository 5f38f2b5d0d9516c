import { ENTRY } from "./net-lists";
import { mac } from "./tile";

/**
 * Columns that are summed together: eight registers. Matrices of weights are stored in stripes of so many columns, row after
 * row, so that a product with a part of the rows stays in few pages. Only the last stripe is narrower.
 */
@inline export const STRIPE: i32 = 32;

/** Returns the address of the stripe that begins with column c. */
@inline export function stripeAt(matrix: usize, depth: i32, c: i32): usize {
  return matrix + (<usize>c * <usize>depth << 2);
}

/** Returns the bytes of a row of the stripe that begins with column c. */
@inline export function stripeBytes(columns: i32, c: i32): usize {
  return <usize>min(STRIPE, columns - c) << 2;
}

/**
 * Adds the rows of a matrix that a list names, each times the number of its entry: to = from + Σ value · row, for up to 32
 * columns, a multiple of 8. Rows are `bytes` apart.
 */
export function addRows(
  columns: i32, list: usize, end: usize,
  matrix: usize, bytes: usize, from: usize, to: usize,
): void {
  if (columns >= 32) add32(list, end, matrix, bytes, from, to);
  else if (columns >= 24) add24(list, end, matrix, bytes, from, to);
  else if (columns >= 16) add16(list, end, matrix, bytes, from, to);
  else add8(list, end, matrix, bytes, from, to);
}

/** The test between the halves never holds: it keeps the compiler from loading both at once, for which registers do not suffice. */
function add32(list: usize, end: usize, matrix: usize, bytes: usize, from: usize, to: usize): void {
  let c0 = v128.load(from), c1 = v128.load(from, 16), c2 = v128.load(from, 32), c3 = v128.load(from, 48);
  let c4 = v128.load(from, 64), c5 = v128.load(from, 80), c6 = v128.load(from, 96), c7 = v128.load(from, 112);
  for (; list < end; list += ENTRY) {
    const row = matrix + <usize>load<u32>(list) * bytes;
    const s = v128.load32_splat(list, 4);
    c0 = mac<f32>(c0, s, v128.load(row));
    c1 = mac<f32>(c1, s, v128.load(row, 16));
    c2 = mac<f32>(c2, s, v128.load(row, 32));
    c3 = mac<f32>(c3, s, v128.load(row, 48));
    if (row == 0) break;
    c4 = mac<f32>(c4, s, v128.load(row, 64));
    c5 = mac<f32>(c5, s, v128.load(row, 80));
    c6 = mac<f32>(c6, s, v128.load(row, 96));
    c7 = mac<f32>(c7, s, v128.load(row, 112));
  }
  v128.store(to, c0);
  v128.store(to, c1, 16);
  v128.store(to, c2, 32);
  v128.store(to, c3, 48);
  v128.store(to, c4, 64);
  v128.store(to, c5, 80);
  v128.store(to, c6, 96);
  v128.store(to, c7, 112);
}

function add24(list: usize, end: usize, matrix: usize, bytes: usize, from: usize, to: usize): void {
  let c0 = v128.load(from), c1 = v128.load(from, 16), c2 = v128.load(from, 32);
  let c3 = v128.load(from, 48), c4 = v128.load(from, 64), c5 = v128.load(from, 80);
  for (; list < end; list += ENTRY) {
    const row = matrix + <usize>load<u32>(list) * bytes;
    const s = v128.load32_splat(list, 4);
    c0 = mac<f32>(c0, s, v128.load(row));
    c1 = mac<f32>(c1, s, v128.load(row, 16));
    c2 = mac<f32>(c2, s, v128.load(row, 32));
    c3 = mac<f32>(c3, s, v128.load(row, 48));
    c4 = mac<f32>(c4, s, v128.load(row, 64));
    c5 = mac<f32>(c5, s, v128.load(row, 80));
  }
  v128.store(to, c0);
  v128.store(to, c1, 16);
  v128.store(to, c2, 32);
  v128.store(to, c3, 48);
  v128.store(to, c4, 64);
  v128.store(to, c5, 80);
}

function add16(list: usize, end: usize, matrix: usize, bytes: usize, from: usize, to: usize): void {
  let c0 = v128.load(from), c1 = v128.load(from, 16), c2 = v128.load(from, 32), c3 = v128.load(from, 48);
  for (; list < end; list += ENTRY) {
    const row = matrix + <usize>load<u32>(list) * bytes;
    const s = v128.load32_splat(list, 4);
    c0 = mac<f32>(c0, s, v128.load(row));
    c1 = mac<f32>(c1, s, v128.load(row, 16));
    c2 = mac<f32>(c2, s, v128.load(row, 32));
    c3 = mac<f32>(c3, s, v128.load(row, 48));
  }
  v128.store(to, c0);
  v128.store(to, c1, 16);
  v128.store(to, c2, 32);
  v128.store(to, c3, 48);
}

function add8(list: usize, end: usize, matrix: usize, bytes: usize, from: usize, to: usize): void {
  let c0 = v128.load(from), c1 = v128.load(from, 16);
  for (; list < end; list += ENTRY) {
    const row = matrix + <usize>load<u32>(list) * bytes;
    const s = v128.load32_splat(list, 4);
    c0 = mac<f32>(c0, s, v128.load(row));
    c1 = mac<f32>(c1, s, v128.load(row, 16));
  }
  v128.store(to, c0);
  v128.store(to, c1, 16);
}
