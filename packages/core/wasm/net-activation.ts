import { exponential } from "./exponential";

/** Codes of the activations. */
@inline const SIGMOID: i32 = 1;
@inline const TANH: i32 = 2;
@inline const RELU: i32 = 3;

/** Computes 1 / (1 + e^−x) from e^−|x|, so that nothing overflows. */
@inline export function sigmoids(x: v128): v128 {
  const e = exponential(f32x4.neg(f32x4.abs(x)));
  const one = f32x4.splat(1);
  const s = f32x4.div(one, f32x4.add(one, e));
  return v128.bitselect(s, f32x4.mul(e, s), f32x4.ge(x, f32x4.splat(0)));
}

/** Computes tanh x = ±(1 − e^−2|x|) / (1 + e^−2|x|), with the sign of x. */
@inline function tangents(x: v128): v128 {
  const size = f32x4.abs(x);
  const e = exponential(f32x4.neg(f32x4.add(size, size)));
  const one = f32x4.splat(1);
  const t = f32x4.div(f32x4.sub(one, e), f32x4.add(one, e));
  return v128.or(t, v128.and(x, i32x4.splat(0x80000000)));
}

/**
 * Replaces the sums of `rows` rows of units by their activations. The first `units` of the `width` columns of a row, a multiple
 * of 4, are units; the others become 0, so that no weight learns from them.
 */
export function activate(kind: i32, values: usize, stride: i32, units: i32, width: i32, rows: i32): void {
  for (let r = 0; r < rows; r++) {
    const row = values + ((<usize>r * stride) << 2);
    const end = row + (<usize>width << 2);
    if (kind == SIGMOID) for (let at = row; at < end; at += 16) v128.store(at, sigmoids(v128.load(at)));
    else if (kind == TANH) for (let at = row; at < end; at += 16) v128.store(at, tangents(v128.load(at)));
    else if (kind == RELU) {
      // A plain maximum keeps NaN: a network that has diverged must not look healthy.
      for (let at = row; at < end; at += 16) v128.store(at, f32x4.max(v128.load(at), f32x4.splat(0)));
    }
    for (let at = row + (<usize>units << 2); at < end; at += 4) store<f32>(at, 0);
  }
}

/** Multiplies the derivatives by those of the activation, h(1 − h), 1 − h² or [h > 0]. */
export function derive(kind: i32, values: usize, delta: usize, stride: i32, width: i32, rows: i32): void {
  const one = f32x4.splat(1);
  for (let r = 0; r < rows; r++) {
    const row = (<usize>r * stride) << 2;
    for (let at = row, end = row + (<usize>width << 2); at < end; at += 16) {
      const h = v128.load(values + at), d = v128.load(delta + at);
      if (kind == SIGMOID) v128.store(delta + at, f32x4.mul(d, f32x4.mul(h, f32x4.sub(one, h))));
      else if (kind == TANH) v128.store(delta + at, f32x4.mul(d, f32x4.sub(one, f32x4.mul(h, h))));
      else if (kind == RELU) v128.store(delta + at, v128.and(d, f32x4.gt(h, f32x4.splat(0))));
    }
  }
}
