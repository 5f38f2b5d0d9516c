import { PANEL_STEP } from "./panels";
import { mac } from "./tile";

/** Rows that are computed together. Rows beyond the last one are computed, too, and need memory. */
@inline const TILE_ROWS: i32 = 4;

/**
 * Computes out = x · Wᵀ + bias of a dense layer, for `rows` rows of `depth` numbers. W is packed in panels of 8 outputs, each
 * `depth` steps deep. Strides are in elements.
 */
export function forward(
  x: usize, xStride: i32,
  weights: usize, depth: i32, bias: usize, panels: i32,
  out: usize, outStride: i32, rows: i32,
): void {
  const panelBytes = <usize>depth * PANEL_STEP;
  for (let p = 0; p < panels; p++) {
    const w = weights + <usize>p * panelBytes;
    const b = bias + <usize>p * PANEL_STEP;
    for (let r = 0; r < rows; r += TILE_ROWS) {
      forwardTile(
        x + ((<usize>r * xStride) << 2), <usize>xStride << 2, depth, w, b,
        out + ((<usize>r * outStride) << 2) + <usize>p * PANEL_STEP, <usize>outStride << 2,
      );
    }
  }
}

/**
 * Computes four rows times eight outputs; depth ≥ 1. As in `tile.ts`, a round of the loop makes four steps, with tests between
 * them that keep Binaryen from merging them. A separate function would take 50 % longer.
 */
@inline function forwardTile(
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
