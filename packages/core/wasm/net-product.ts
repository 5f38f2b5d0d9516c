import { blocksOf, PART } from "./net-lists";
import { addRows, STRIPE, stripeAt, stripeBytes } from "./net-sums";
import { PANEL_STEP } from "./panels";
import { mac } from "./tile";

/** Rows that are computed together. Rows beyond the last one are computed, too, and need memory. */
@inline const TILE_ROWS: i32 = 4;

/** Columns of a panel. */
@inline const PANEL_COLUMNS: i32 = 8;

/**
 * Computes out = x · M + bias for the rows from `begin`, a multiple of 4, to `end` − 1. M has `depth` rows and `columns`
 * columns, a multiple of 8, in stripes. Strides are in elements. `panel` has 32 bytes for each row of M.
 *
 * Every element is the bias plus the products in the order of the depth, in this function and in `productOfLists`: the division
 * of the rows does not change bits.
 */
export function product(
  x: usize, xStride: i32,
  matrix: usize, depth: i32, columns: i32, bias: usize,
  out: usize, outStride: i32, begin: i32, end: i32, panel: usize,
): void {
  for (let c = 0; c < columns; c += PANEL_COLUMNS) {
    const inStripe = c % STRIPE;
    const stripe = stripeAt(matrix, depth, c - inStripe) + (<usize>inStripe << 2);
    copyPanel(stripe, stripeBytes(columns, c - inStripe), depth, panel);
    productPanel(
      x, <usize>xStride << 2, depth, panel, bias + (<usize>c << 2),
      out + (<usize>c << 2), <usize>outStride << 2, begin, end,
    );
  }
}

/** Computes the same product from the lists of x, given the table of their parts (see `net-lists.ts`). */
export function productOfLists(
  parts: usize,
  matrix: usize, depth: i32, columns: i32, bias: usize,
  out: usize, outStride: i32, begin: i32, end: i32,
): void {
  const blocks = blocksOf(depth);
  for (let c = 0; c < columns; c += STRIPE) {
    const offset = <usize>c << 2;
    const stripe = stripeAt(matrix, depth, c), bytes = stripeBytes(columns, c);
    for (let b = 0; b < blocks; b++) {
      for (let r = begin; r < end; r++) {
        const part = parts + <usize>(r * blocks + b) * PART;
        const to = out + (<usize>(r * outStride) << 2) + offset;
        addRows(columns - c, load<u32>(part), load<u32>(part, 4), stripe, bytes, b == 0 ? bias + offset : to, to);
      }
    }
  }
}

/** Copies eight columns of a matrix, so that they lie together. */
function copyPanel(from: usize, bytes: usize, depth: i32, panel: usize): void {
  const end = panel + <usize>depth * PANEL_STEP;
  for (; panel < end; panel += PANEL_STEP, from += bytes) {
    v128.store(panel, v128.load(from));
    v128.store(panel, v128.load(from, 16), 16);
  }
}

function productPanel(
  x: usize, xBytes: usize, depth: i32, panel: usize, bias: usize,
  out: usize, outBytes: usize, begin: i32, end: i32,
): void {
  for (let r = begin; r < end; r += TILE_ROWS) {
    productTile(x + <usize>r * xBytes, xBytes, depth, panel, bias, out + <usize>r * outBytes, outBytes);
  }
}

/**
 * Computes four rows times eight columns; depth ≥ 1. As in `tile.ts`, a round of the loop makes four steps, with tests between
 * them that keep Binaryen from merging them. A separate function would take 50% longer.
 */
@inline function productTile(
  x: usize, xBytes: usize, depth: i32,
  w: usize, bias: usize,
  out: usize, outBytes: usize,
): void {
  const end = x + (<usize>depth << 2);
  const left = v128.load(bias), right = v128.load(bias, 16);
  let c00 = left, c01 = right, c10 = left, c11 = right;
  let c20 = left, c21 = right, c30 = left, c31 = right;
  const xBytes2 = 2 * xBytes, xBytes3 = 3 * xBytes;
  let w0: v128, w1: v128, s: v128;
  do {
    w0 = v128.load(w); w1 = v128.load(w, 16);
    s = v128.load32_splat(x); c00 = mac<f32>(c00, s, w0); c01 = mac<f32>(c01, s, w1);
    s = v128.load32_splat(x + xBytes); c10 = mac<f32>(c10, s, w0); c11 = mac<f32>(c11, s, w1);
    s = v128.load32_splat(x + xBytes2); c20 = mac<f32>(c20, s, w0); c21 = mac<f32>(c21, s, w1);
    s = v128.load32_splat(x + xBytes3); c30 = mac<f32>(c30, s, w0); c31 = mac<f32>(c31, s, w1);
    x += 4; w += PANEL_STEP;
    if (x >= end) break;

    w0 = v128.load(w); w1 = v128.load(w, 16);
    s = v128.load32_splat(x); c00 = mac<f32>(c00, s, w0); c01 = mac<f32>(c01, s, w1);
    s = v128.load32_splat(x + xBytes); c10 = mac<f32>(c10, s, w0); c11 = mac<f32>(c11, s, w1);
    s = v128.load32_splat(x + xBytes2); c20 = mac<f32>(c20, s, w0); c21 = mac<f32>(c21, s, w1);
    s = v128.load32_splat(x + xBytes3); c30 = mac<f32>(c30, s, w0); c31 = mac<f32>(c31, s, w1);
    x += 4; w += PANEL_STEP;
    if (x >= end) break;

    w0 = v128.load(w); w1 = v128.load(w, 16);
    s = v128.load32_splat(x); c00 = mac<f32>(c00, s, w0); c01 = mac<f32>(c01, s, w1);
    s = v128.load32_splat(x + xBytes); c10 = mac<f32>(c10, s, w0); c11 = mac<f32>(c11, s, w1);
    s = v128.load32_splat(x + xBytes2); c20 = mac<f32>(c20, s, w0); c21 = mac<f32>(c21, s, w1);
    s = v128.load32_splat(x + xBytes3); c30 = mac<f32>(c30, s, w0); c31 = mac<f32>(c31, s, w1);
    x += 4; w += PANEL_STEP;
    if (x >= end) break;

    w0 = v128.load(w); w1 = v128.load(w, 16);
    s = v128.load32_splat(x); c00 = mac<f32>(c00, s, w0); c01 = mac<f32>(c01, s, w1);
    s = v128.load32_splat(x + xBytes); c10 = mac<f32>(c10, s, w0); c11 = mac<f32>(c11, s, w1);
    s = v128.load32_splat(x + xBytes2); c20 = mac<f32>(c20, s, w0); c21 = mac<f32>(c21, s, w1);
    s = v128.load32_splat(x + xBytes3); c30 = mac<f32>(c30, s, w0); c31 = mac<f32>(c31, s, w1);
    x += 4; w += PANEL_STEP;
  } while (x < end);
  v128.store(out, c00);
  v128.store(out, c01, 16);
  out += outBytes;
  v128.store(out, c10);
  v128.store(out, c11, 16);
  out += outBytes;
  v128.store(out, c20);
  v128.store(out, c21, 16);
  out += outBytes;
  v128.store(out, c30);
  v128.store(out, c31, 16);
}
