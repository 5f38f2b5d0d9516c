import { PANEL_STEP, panelWidth } from "./panels";

/** A tile of a product is TILE_ROWS rows high and one panel wide: eight SIMD registers stay in the processor. */
@inline export const TILE_ROWS: i32 = 4;

/**
 * Computes one tile of a product, tile[i, j] = Σₖ a[k, i] · b[k, j] for k < depth, where `a` points to TILE_ROWS neighbouring
 * vectors in a panel and `b` to a panel. Writes its first `rows` × `columns` elements to `c`, or adds them. The rows of `c` lie
 * `stride` bytes apart; depth ≥ 1.
 *
 * Three things, each measured, make the loop tight in V8. The first step is outside of it, so that V8 computes the addresses of
 * the splats (`a` + offset) once. A round of the loop makes four steps, since V8 checks for interrupts in every round. A test
 * between the steps keeps Binaryen from merging them into an order that needs more registers than there are. The steps are
 * written out, since a function could return eight sums only through memory.
 */
export function multiplyTile<T>(
  a: usize, b: usize, depth: i32,
  c: usize, stride: usize, rows: i32, columns: i32,
  accumulate: bool,
): void {
  const size = sizeof<T>();
  const end = a + <usize>depth * PANEL_STEP;

  let left = v128.load(b);
  let right = v128.load(b, 16);
  let x = v128.load_splat<T>(a);
  let left0 = v128.mul<T>(x, left), right0 = v128.mul<T>(x, right);
  x = v128.load_splat<T>(a, size);
  let left1 = v128.mul<T>(x, left), right1 = v128.mul<T>(x, right);
  x = v128.load_splat<T>(a, 2 * size);
  let left2 = v128.mul<T>(x, left), right2 = v128.mul<T>(x, right);
  x = v128.load_splat<T>(a, 3 * size);
  let left3 = v128.mul<T>(x, left), right3 = v128.mul<T>(x, right);
  a += PANEL_STEP; b += PANEL_STEP;

  if (a < end) {
    do {
      left = v128.load(b); right = v128.load(b, 16);
      x = v128.load_splat<T>(a); left0 = mac<T>(left0, x, left); right0 = mac<T>(right0, x, right);
      x = v128.load_splat<T>(a, size); left1 = mac<T>(left1, x, left); right1 = mac<T>(right1, x, right);
      x = v128.load_splat<T>(a, 2 * size); left2 = mac<T>(left2, x, left); right2 = mac<T>(right2, x, right);
      x = v128.load_splat<T>(a, 3 * size); left3 = mac<T>(left3, x, left); right3 = mac<T>(right3, x, right);
      a += PANEL_STEP; b += PANEL_STEP;
      if (a >= end) break;

      left = v128.load(b); right = v128.load(b, 16);
      x = v128.load_splat<T>(a); left0 = mac<T>(left0, x, left); right0 = mac<T>(right0, x, right);
      x = v128.load_splat<T>(a, size); left1 = mac<T>(left1, x, left); right1 = mac<T>(right1, x, right);
      x = v128.load_splat<T>(a, 2 * size); left2 = mac<T>(left2, x, left); right2 = mac<T>(right2, x, right);
      x = v128.load_splat<T>(a, 3 * size); left3 = mac<T>(left3, x, left); right3 = mac<T>(right3, x, right);
      a += PANEL_STEP; b += PANEL_STEP;
      if (a >= end) break;

      left = v128.load(b); right = v128.load(b, 16);
      x = v128.load_splat<T>(a); left0 = mac<T>(left0, x, left); right0 = mac<T>(right0, x, right);
      x = v128.load_splat<T>(a, size); left1 = mac<T>(left1, x, left); right1 = mac<T>(right1, x, right);
      x = v128.load_splat<T>(a, 2 * size); left2 = mac<T>(left2, x, left); right2 = mac<T>(right2, x, right);
      x = v128.load_splat<T>(a, 3 * size); left3 = mac<T>(left3, x, left); right3 = mac<T>(right3, x, right);
      a += PANEL_STEP; b += PANEL_STEP;
      if (a >= end) break;

      left = v128.load(b); right = v128.load(b, 16);
      x = v128.load_splat<T>(a); left0 = mac<T>(left0, x, left); right0 = mac<T>(right0, x, right);
      x = v128.load_splat<T>(a, size); left1 = mac<T>(left1, x, left); right1 = mac<T>(right1, x, right);
      x = v128.load_splat<T>(a, 2 * size); left2 = mac<T>(left2, x, left); right2 = mac<T>(right2, x, right);
      x = v128.load_splat<T>(a, 3 * size); left3 = mac<T>(left3, x, left); right3 = mac<T>(right3, x, right);
      a += PANEL_STEP; b += PANEL_STEP;
    } while (a < end);
  }

  storeRow<T>(c, left0, right0, columns, accumulate);
  if (rows > 1) storeRow<T>(c + stride, left1, right1, columns, accumulate);
  if (rows > 2) storeRow<T>(c + 2 * stride, left2, right2, columns, accumulate);
  if (rows > 3) storeRow<T>(c + 3 * stride, left3, right3, columns, accumulate);
}

/** Writes the first `columns` elements of a row of a tile, or adds them. */
@inline function storeRow<T>(c: usize, left: v128, right: v128, columns: i32, accumulate: bool): void {
  if (columns >= panelWidth<T>()) {
    storeVector<T>(c, left, accumulate);
    storeVector<T>(c + 16, right, accumulate);
  } else {
    storePartOfRow<T>(c, left, right, columns, accumulate);
  }
}

function storePartOfRow<T>(c: usize, left: v128, right: v128, columns: i32, accumulate: bool): void {
  const half = panelWidth<T>() / 2;
  let vector = left;
  if (columns >= half) {
    storeVector<T>(c, left, accumulate);
    vector = right;
    c += 16;
    columns -= half;
  }
  if (columns > 0) storeElement<T>(c, v128.extract_lane<T>(vector, 0), accumulate);
  if (sizeof<T>() == 4) {
    if (columns > 1) storeElement<T>(c + 4, v128.extract_lane<T>(vector, 1), accumulate);
    if (columns > 2) storeElement<T>(c + 8, v128.extract_lane<T>(vector, 2), accumulate);
  }
}

@inline function storeVector<T>(c: usize, vector: v128, accumulate: bool): void {
  if (accumulate) vector = v128.add<T>(v128.load(c), vector);
  v128.store(c, vector);
}

@inline function storeElement<T>(c: usize, element: T, accumulate: bool): void {
  if (accumulate) element = <T>(load<T>(c) + element);
  store<T>(c, element);
}

/** Multiplies and accumulates with two roundings: not all machines have the fused operation, which gives other bits. */
@inline export function mac<T>(sum: v128, x: v128, y: v128): v128 {
  return v128.add<T>(sum, v128.mul<T>(x, y));
}
