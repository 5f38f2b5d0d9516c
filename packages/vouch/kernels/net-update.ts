import { PANEL_STEP } from "./panels";
import { step, StepRule } from "./net-step";
import { mac } from "./tile";

/** Inputs whose weights are updated together. */
@inline const TILE_INPUTS: i32 = 4;

/** Inputs that are copied together, 128 bytes of each row: in the rows themselves every step would touch another page. */
@inline const BLOCK_INPUTS: i32 = 32;
@inline const BLOCK_BYTES: usize = 128;

/**
 * Updates the weights and biases of a dense layer: the gradients xᵀ · delta and Σ delta are computed in registers, tile by
 * tile, and used at once. W is packed in panels of 8 outputs, each `depth` steps deep, a multiple of 4. Strides are in
 * elements. The state of each weight lies `memory` bytes behind it, and twice as far. `scratch` has 128 bytes for each row.
 */
export function update(
  x: usize, xStride: i32,
  delta: usize, deltaStride: i32,
  weights: usize, depth: i32, bias: usize, panels: i32,
  rows: i32, rule: usize, weightMemory: usize, biasMemory: usize, scratch: usize,
): void {
  const deltaBytes = <usize>deltaStride << 2;
  const panelBytes = <usize>depth * PANEL_STEP;
  const end = delta + <usize>rows * deltaBytes;
  const how = changetype<StepRule>(rule);
  for (let p = 0; p < panels; p++) {
    updateBias(delta + <usize>p * PANEL_STEP, end, deltaBytes, bias + <usize>p * PANEL_STEP, how, biasMemory);
  }
  for (let first = 0; first < depth; first += BLOCK_INPUTS) {
    const inputs = min(BLOCK_INPUTS, depth - first);
    copyBlock(x + (<usize>first << 2), <usize>xStride << 2, rows, inputs, scratch);
    for (let p = 0; p < panels; p++) {
      const w = weights + <usize>p * panelBytes + <usize>first * PANEL_STEP;
      for (let k = 0; k < inputs; k += TILE_INPUTS) {
        updateTile(
          scratch + (<usize>k << 2), delta + <usize>p * PANEL_STEP, end, deltaBytes,
          w + <usize>k * PANEL_STEP, how, weightMemory,
        );
      }
    }
  }
}

/** Copies some inputs of all rows, a multiple of 4. */
function copyBlock(x: usize, xBytes: usize, rows: i32, inputs: i32, to: usize): void {
  for (let r = 0; r < rows; r++) {
    const end = x + (<usize>inputs << 2);
    for (let from = x, at = to; from < end; from += 16, at += 16) v128.store(at, v128.load(from));
    x += xBytes;
    to += BLOCK_BYTES;
  }
}

/** Updates the biases of eight outputs, without weight decay. */
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

/** Updates the weights of four inputs of eight outputs, from at least one row; steps in rounds of four, as in `tile.ts`. */
function updateTile(
  x: usize,
  delta: usize, end: usize, deltaBytes: usize,
  w: usize, how: StepRule, memory: usize,
): void {
  let left = f32x4.splat(0), right = left;
  let left0 = left, left1 = left, left2 = left, left3 = left;
  let right0 = left, right1 = left, right2 = left, right3 = left;
  let s: v128;
  do {
    left = v128.load(delta); right = v128.load(delta, 16);
    s = v128.load32_splat(x); left0 = mac<f32>(left0, s, left); right0 = mac<f32>(right0, s, right);
    s = v128.load32_splat(x, 4); left1 = mac<f32>(left1, s, left); right1 = mac<f32>(right1, s, right);
    s = v128.load32_splat(x, 8); left2 = mac<f32>(left2, s, left); right2 = mac<f32>(right2, s, right);
    s = v128.load32_splat(x, 12); left3 = mac<f32>(left3, s, left); right3 = mac<f32>(right3, s, right);
    x += BLOCK_BYTES; delta += deltaBytes;
    if (delta >= end) break;

    left = v128.load(delta); right = v128.load(delta, 16);
    s = v128.load32_splat(x); left0 = mac<f32>(left0, s, left); right0 = mac<f32>(right0, s, right);
    s = v128.load32_splat(x, 4); left1 = mac<f32>(left1, s, left); right1 = mac<f32>(right1, s, right);
    s = v128.load32_splat(x, 8); left2 = mac<f32>(left2, s, left); right2 = mac<f32>(right2, s, right);
    s = v128.load32_splat(x, 12); left3 = mac<f32>(left3, s, left); right3 = mac<f32>(right3, s, right);
    x += BLOCK_BYTES; delta += deltaBytes;
    if (delta >= end) break;

    left = v128.load(delta); right = v128.load(delta, 16);
    s = v128.load32_splat(x); left0 = mac<f32>(left0, s, left); right0 = mac<f32>(right0, s, right);
    s = v128.load32_splat(x, 4); left1 = mac<f32>(left1, s, left); right1 = mac<f32>(right1, s, right);
    s = v128.load32_splat(x, 8); left2 = mac<f32>(left2, s, left); right2 = mac<f32>(right2, s, right);
    s = v128.load32_splat(x, 12); left3 = mac<f32>(left3, s, left); right3 = mac<f32>(right3, s, right);
    x += BLOCK_BYTES; delta += deltaBytes;
    if (delta >= end) break;

    left = v128.load(delta); right = v128.load(delta, 16);
    s = v128.load32_splat(x); left0 = mac<f32>(left0, s, left); right0 = mac<f32>(right0, s, right);
    s = v128.load32_splat(x, 4); left1 = mac<f32>(left1, s, left); right1 = mac<f32>(right1, s, right);
    s = v128.load32_splat(x, 8); left2 = mac<f32>(left2, s, left); right2 = mac<f32>(right2, s, right);
    s = v128.load32_splat(x, 12); left3 = mac<f32>(left3, s, left); right3 = mac<f32>(right3, s, right);
    x += BLOCK_BYTES; delta += deltaBytes;
  } while (delta < end);
  const shrink = f32x4.splat(how.shrink);
  step(w, left0, shrink, how, memory);
  step(w + 16, right0, shrink, how, memory);
  step(w + 32, left1, shrink, how, memory);
  step(w + 48, right1, shrink, how, memory);
  step(w + 64, left2, shrink, how, memory);
  step(w + 80, right2, shrink, how, memory);
  step(w + 96, left3, shrink, how, memory);
  step(w + 112, right3, shrink, how, memory);
}
