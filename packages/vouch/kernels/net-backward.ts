import { PANEL_STEP } from "./panels";

/** Rows and inputs that are computed together. Rows beyond the last one are computed, too, and need memory. */
@inline const TILE_ROWS: i32 = 2;
@inline const TILE_INPUTS: i32 = 4;

/**
 * Computes dx = delta · W of a dense layer, the derivative of the loss by the layer's inputs from that by its outputs. W is
 * packed in panels of 8 outputs, each `depth` steps deep, a multiple of 4. Strides are in elements; dx has `depth` columns.
 */
export function backward(
  delta: usize, deltaStride: i32,
  weights: usize, depth: i32, panels: i32,
  dx: usize, dxStride: i32, rows: i32,
): void {
  const deltaBytes = <usize>deltaStride << 2, dxBytes = <usize>dxStride << 2;
  for (let k = 0; k < depth; k += TILE_INPUTS) {
    for (let r = 0; r < rows; r += TILE_ROWS) {
      backwardTile(
        delta + <usize>r * deltaBytes, deltaBytes,
        weights + <usize>k * PANEL_STEP, <usize>depth * PANEL_STEP, panels,
        dx + <usize>r * dxBytes + (<usize>k << 2), dxBytes,
      );
    }
  }
}

/** Computes two rows times four inputs: eight sums, each of four lanes. */
function backwardTile(
  delta: usize, deltaBytes: usize,
  w: usize, panelBytes: usize, panels: i32,
  dx: usize, dxBytes: usize,
): void {
  const end = delta + <usize>panels * PANEL_STEP;
  let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0;
  let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  for (; delta < end; delta += PANEL_STEP, w += panelBytes) {
    const p0 = v128.load(delta), p1 = v128.load(delta, 16);
    const q0 = v128.load(delta + deltaBytes), q1 = v128.load(delta + deltaBytes, 16);
    let w0 = v128.load(w), w1 = v128.load(w, 16);
    a0 = f32x4.add(f32x4.add(a0, f32x4.mul(p0, w0)), f32x4.mul(p1, w1));
    b0 = f32x4.add(f32x4.add(b0, f32x4.mul(q0, w0)), f32x4.mul(q1, w1));
    w0 = v128.load(w, 32);
    w1 = v128.load(w, 48);
    a1 = f32x4.add(f32x4.add(a1, f32x4.mul(p0, w0)), f32x4.mul(p1, w1));
    b1 = f32x4.add(f32x4.add(b1, f32x4.mul(q0, w0)), f32x4.mul(q1, w1));
    w0 = v128.load(w, 64);
    w1 = v128.load(w, 80);
    a2 = f32x4.add(f32x4.add(a2, f32x4.mul(p0, w0)), f32x4.mul(p1, w1));
    b2 = f32x4.add(f32x4.add(b2, f32x4.mul(q0, w0)), f32x4.mul(q1, w1));
    w0 = v128.load(w, 96);
    w1 = v128.load(w, 112);
    a3 = f32x4.add(f32x4.add(a3, f32x4.mul(p0, w0)), f32x4.mul(p1, w1));
    b3 = f32x4.add(f32x4.add(b3, f32x4.mul(q0, w0)), f32x4.mul(q1, w1));
  }
  v128.store(dx, sumsOfLanes(a0, a1, a2, a3));
  v128.store(dx + dxBytes, sumsOfLanes(b0, b1, b2, b3));
}

/** Sums the lanes of each of four vectors. */
@inline function sumsOfLanes(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}
