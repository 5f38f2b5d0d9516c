import { ENTRY } from "./net-lists";
import { step, StepRule } from "./net-step";
import { addRows, STRIPE, stripeAt, stripeBytes } from "./net-sums";
import { mac } from "./tile";
import { transpose } from "./transpose";

/** Inputs and outputs whose weights are updated together. */
@inline const TILE_INPUTS: i32 = 4;
@inline const TILE_OUTPUTS_BYTES: usize = 32;

/** Inputs that are copied together, 128 bytes of each row: in the rows themselves every step would touch another page. */
@inline const BLOCK_INPUTS: i32 = 32;
@inline const BLOCK_BYTES: usize = 128;

/** Bytes at the beginning of the scratch memory of `update` and `updateSparseThenDense`: sums of a block of inputs, and zeros. */
@inline const SUMS_BYTES: usize = <usize>BLOCK_INPUTS * BLOCK_BYTES;
@inline const ZEROS_BYTES: usize = BLOCK_BYTES;

/**
 * Updates the weights of the inputs from `begin` to `end` − 1 of a dense layer, multiples of 4: their gradients xᵀ · delta are
 * computed in registers, tile by tile, and used at once. W has a row for each of `depth` inputs, in stripes; `outputs` is a
 * multiple of 8. Strides are in elements. The state of each weight lies `memory` bytes behind it, and twice as far. `scratch` has
 * 128 bytes for each row, and 33 · 128 more.
 */
export function update(
  x: usize, xStride: i32, rows: i32,
  delta: usize, deltaStride: i32,
  weights: usize, depth: i32, outputs: i32, begin: i32, end: i32,
  rule: usize, memory: usize, scratch: usize,
): void {
  updateSparseThenDense(
    0, 0, 0, 0, x, xStride, rows, delta, deltaStride, weights, depth, outputs, begin, end, rule, memory, scratch,
  );
}

/**
 * Makes an update by the gradient of more rows than those of x: the columns of others, which come first, are listed (see
 * `net-lists.ts`), and their derivatives are at `listDelta`, in rows as far apart as those of `delta`. If `lists` is 0, there are none.
 */
export function updateSparseThenDense(
  lists: usize, capacity: i32, counts: usize, listDelta: usize,
  x: usize, xStride: i32, rows: i32,
  delta: usize, deltaStride: i32,
  weights: usize, depth: i32, outputs: i32, begin: i32, end: i32,
  rule: usize, memory: usize, scratch: usize,
): void {
  const deltaBytes = <usize>deltaStride << 2;
  const deltaEnd = delta + <usize>rows * deltaBytes;
  const how = changetype<StepRule>(rule);
  const zeros = scratch + SUMS_BYTES, block = zeros + ZEROS_BYTES;
  clear(zeros);
  for (let first = begin; first < end; first += BLOCK_INPUTS) {
    const inputs = min(BLOCK_INPUTS, end - first);
    copyBlock(x + (<usize>first << 2), <usize>xStride << 2, rows, inputs, block);
    for (let o = 0; o < outputs; o += STRIPE) {
      const bytes = stripeBytes(outputs, o);
      const w = stripeAt(weights, depth, o) + <usize>first * bytes;
      if (lists) {
        sumLists(lists, capacity, counts, first, inputs, listDelta + (<usize>o << 2), deltaBytes, outputs - o, zeros, scratch);
      }
      for (let inStripe: usize = 0; inStripe < bytes; inStripe += TILE_OUTPUTS_BYTES) {
        for (let k = 0; k < inputs; k += TILE_INPUTS) {
          updateTile(
            lists ? scratch + <usize>k * BLOCK_BYTES + inStripe : zeros, lists ? BLOCK_BYTES : 0,
            block + (<usize>k << 2),
            delta + (<usize>o << 2) + inStripe, deltaEnd, deltaBytes,
            w + <usize>k * bytes + inStripe, bytes, how, memory,
          );
        }
      }
    }
  }
}

/** Sums the derivatives of listed rows for a block of inputs and up to 32 outputs. */
function sumLists(
  lists: usize, capacity: i32, counts: usize, first: i32, inputs: i32,
  delta: usize, deltaBytes: usize, outputs: i32, zeros: usize, sums: usize,
): void {
  for (let k = first; k < first + inputs; k++, sums += BLOCK_BYTES) {
    addList(lists, capacity, counts, k, delta, deltaBytes, outputs, zeros, sums);
  }
}

/** Sums the derivatives of the listed rows of input k for up to 32 outputs. */
@inline
function addList(
  lists: usize, capacity: i32, counts: usize, k: i32,
  delta: usize, deltaBytes: usize, outputs: i32, zeros: usize, sums: usize,
): void {
  const list = lists + <usize>(k * capacity) * ENTRY;
  const end = list + <usize>load<i32>(counts + (<usize>k << 2)) * ENTRY;
  addRows(outputs, list, end, delta, deltaBytes, zeros, sums);
}

/** Makes the same update from the lists of the columns of x (see `net-lists.ts`). `scratch` has 256 bytes. */
export function updateOfLists(
  lists: usize, capacity: i32, counts: usize,
  delta: usize, deltaStride: i32,
  weights: usize, depth: i32, outputs: i32, begin: i32, end: i32,
  rule: usize, memory: usize, scratch: usize,
): void {
  const deltaBytes = <usize>deltaStride << 2;
  const how = changetype<StepRule>(rule);
  const shrink = f32x4.splat(how.shrink);
  const zeros = scratch + 128;
  clear(zeros);
  for (let o = 0; o < outputs; o += STRIPE) {
    const stripe = stripeAt(weights, depth, o), bytes = stripeBytes(outputs, o);
    for (let k = begin; k < end; k++) {
      addList(lists, capacity, counts, k, delta + (<usize>o << 2), deltaBytes, outputs - o, zeros, scratch);
      stepRow(stripe + <usize>k * bytes, bytes, scratch, shrink, how, memory);
    }
  }
}

function clear(zeros: usize): void {
  for (let at = zeros; at < zeros + 128; at += 16) v128.store(at, f32x4.splat(0));
}

function stepRow(w: usize, bytes: usize, gradient: usize, shrink: v128, how: StepRule, memory: usize): void {
  for (let end = w + bytes; w < end; w += 16, gradient += 16) {
    step(w, v128.load(gradient), shrink, how, memory);
  }
}

/** Copies the weights of some inputs, multiples of 8, to the transpose of W, which has a row for each output. */
export function transposeWeights(
  weights: usize, depth: i32, outputs: i32, begin: i32, end: i32,
  to: usize,
): void {
  for (let k = begin; k < end; ) {
    const inStripe = k % STRIPE;
    const last = min(end, k - inStripe + STRIPE);
    const target = stripeAt(to, outputs, k - inStripe) + (<usize>inStripe << 2);
    const targetBytes = stripeBytes(depth, k - inStripe);
    for (let o = 0; o < outputs; o += STRIPE) {
      const bytes = stripeBytes(outputs, o);
      transpose<f32>(
        stripeAt(weights, depth, o) + <usize>k * bytes, bytes, last - k, min(STRIPE, outputs - o),
        target + <usize>o * targetBytes, targetBytes,
      );
    }
    k = last;
  }
}

/** Updates the biases of all outputs by the gradient Σ delta, without weight decay. */
export function updateBiases(
  delta: usize, deltaStride: i32, rows: i32,
  biases: usize, outputs: i32, rule: usize, memory: usize,
): void {
  const how = changetype<StepRule>(rule);
  const deltaBytes = <usize>deltaStride << 2;
  for (let column: usize = 0; column < <usize>outputs << 2; column += 16) {
    let gradient = f32x4.splat(0);
    let at = delta + column;
    for (let r = 0; r < rows; r++, at += deltaBytes) gradient = f32x4.add(gradient, v128.load(at));
    step(biases + column, gradient, f32x4.splat(1), how, memory);
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

/**
 * Updates the weights of four inputs of eight outputs, from at least one row and from sums of rows before, which lie `sumsBytes`
 * apart; steps in rounds of four, as in `tile.ts`.
 */
function updateTile(
  sums: usize, sumsBytes: usize,
  x: usize,
  delta: usize, end: usize, deltaBytes: usize,
  w: usize, wBytes: usize, how: StepRule, memory: usize,
): void {
  let left0 = v128.load(sums), right0 = v128.load(sums, 16);
  sums += sumsBytes;
  let left1 = v128.load(sums), right1 = v128.load(sums, 16);
  sums += sumsBytes;
  let left2 = v128.load(sums), right2 = v128.load(sums, 16);
  sums += sumsBytes;
  let left3 = v128.load(sums), right3 = v128.load(sums, 16);
  let left: v128, right: v128, s: v128;
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
  w += wBytes;
  step(w, left1, shrink, how, memory);
  step(w + 16, right1, shrink, how, memory);
  w += wBytes;
  step(w, left2, shrink, how, memory);
  step(w + 16, right2, shrink, how, memory);
  w += wBytes;
  step(w, left3, shrink, how, memory);
  step(w + 16, right3, shrink, how, memory);
}
