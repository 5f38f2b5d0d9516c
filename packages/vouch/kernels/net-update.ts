import { PANEL_STEP } from "./panels";
import { step, StepRule } from "./net-step";

/** Inputs whose weights are updated together. */
@inline const TILE_INPUTS: i32 = 4;

/**
 * One step of the weights and biases of a dense layer: the gradients xᵀ · delta and Σ delta are made in registers, tile
 * by tile, and go into the step at once. W lies in panels of 8 outputs, each `depth` steps deep, a multiple of 4. Strides
 * are in elements. What the step remembers of each weight lies `memory` bytes behind it, and twice as far.
 */
export function update(
  x: usize, xStride: i32,
  delta: usize, deltaStride: i32,
  weights: usize, depth: i32, bias: usize, panels: i32,
  rows: i32, rule: usize, weightMemory: usize, biasMemory: usize,
): void {
  const xBytes = <usize>xStride << 2, deltaBytes = <usize>deltaStride << 2;
  const panelBytes = <usize>depth * PANEL_STEP;
  const end = delta + <usize>rows * deltaBytes;
  const how = changetype<StepRule>(rule);
  for (let p = 0; p < panels; p++) {
    updateBias(delta + <usize>p * PANEL_STEP, end, deltaBytes, bias + <usize>p * PANEL_STEP, how, biasMemory);
  }
  for (let k = 0; k < depth; k += TILE_INPUTS) {
    for (let p = 0; p < panels; p++) {
      updateTile(
        x + (<usize>k << 2), xBytes, delta + <usize>p * PANEL_STEP, end, deltaBytes,
        weights + <usize>p * panelBytes + <usize>k * PANEL_STEP, how, weightMemory,
      );
    }
  }
}

/** The biases of eight outputs, which are not held back by weight decay. */
function updateBias(
  delta: usize, end: usize, deltaBytes: usize,
  bias: usize, how: StepRule, memory: usize,
): void {
  let left = f32x4.splat(0), right = left;
  for (; delta < end; delta += deltaBytes) {
    left = f32x4.add(left, v128.load(delta));
    right = f32x4.add(right, v128.load(delta, 16));
  }
  const one = f32x4.splat(1);
  step(bias, left, one, how, memory);
  step(bias + 16, right, one, how, memory);
}

/** The weights of four inputs of eight outputs. */
function updateTile(
  x: usize, xBytes: usize,
  delta: usize, end: usize, deltaBytes: usize,
  w: usize, how: StepRule, memory: usize,
): void {
  let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00;
  let c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  for (; delta < end; delta += deltaBytes, x += xBytes) {
    const d0 = v128.load(delta), d1 = v128.load(delta, 16);
    let s = v128.load32_splat(x);
    c00 = f32x4.add(c00, f32x4.mul(s, d0));
    c01 = f32x4.add(c01, f32x4.mul(s, d1));
    s = v128.load32_splat(x, 4);
    c10 = f32x4.add(c10, f32x4.mul(s, d0));
    c11 = f32x4.add(c11, f32x4.mul(s, d1));
    s = v128.load32_splat(x, 8);
    c20 = f32x4.add(c20, f32x4.mul(s, d0));
    c21 = f32x4.add(c21, f32x4.mul(s, d1));
    s = v128.load32_splat(x, 12);
    c30 = f32x4.add(c30, f32x4.mul(s, d0));
    c31 = f32x4.add(c31, f32x4.mul(s, d1));
  }
  const shrink = f32x4.splat(how.shrink);
  step(w, c00, shrink, how, memory);
  step(w + 16, c01, shrink, how, memory);
  step(w + 32, c10, shrink, how, memory);
  step(w + 48, c11, shrink, how, memory);
  step(w + 64, c20, shrink, how, memory);
  step(w + 80, c21, shrink, how, memory);
  step(w + 96, c30, shrink, how, memory);
  step(w + 112, c31, shrink, how, memory);
}
