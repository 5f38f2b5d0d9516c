/** Rows per block: searches find the best block first, then the row in it. Vectors are padded to whole blocks. */
@inline export const BLOCK: i32 = 32;

/** A problem and the state of its solution. `src/learners/svm/` allocates its memory. */
@unmanaged export class Smo {
  // Shape: rows, and rows padded to whole blocks.
  size: i32;
  padded: i32;

  // The kernel: a matrix with rows `stride` values apart, or a cache of its rows.
  kernel: usize;
  stride: i32;
  cache: usize;

  // Vectors of f64.
  gradient: usize;
  beta: usize;
  lower: usize;
  upper: usize;
  diagonal: usize;

  // Vectors of f32.
  /** 0 where β can rise, −∞ where not. */
  rise: usize;
  /** 0 where β can fall, ∞ where not. */
  fall: usize;
  /** G − shift where β can fall, ∞ where not. */
  falling: usize;
  /** Kᵢᵢ · curvatureScale */
  scaledDiagonal: usize;

  /** Index of each row in the whole problem; i32. */
  origin: usize;

  /** A power of two that scales kernel values to about 1, for curvatures in f32. */
  curvatureScale: f64;
  shift: f64;
  /** The extremes: the largest G − shift of a row that can rise, the smallest of one that can fall. */
  highest: f32;
  lowest: f32;
  /** The row with the largest value, or −1. */
  first: i32;

  tolerance: f64;
  iterations: i32;
}

/** Bytes of the vectors per row. */
@inline export const VECTOR_BYTES: i32 = 5 * 8 + 4 * 4 + 4;

/** Lays the vectors out for `capacity` rows, a multiple of BLOCK. */
export function layOut(smo: Smo, vectors: usize, capacity: i32): void {
  const double = <usize>capacity << 3, single = <usize>capacity << 2;
  smo.gradient = vectors;
  smo.beta = smo.gradient + double;
  smo.lower = smo.beta + double;
  smo.upper = smo.lower + double;
  smo.diagonal = smo.upper + double;
  smo.rise = smo.diagonal + double;
  smo.fall = smo.rise + single;
  smo.falling = smo.fall + single;
  smo.scaledDiagonal = smo.falling + single;
  smo.origin = smo.scaledDiagonal + single;
}

/** Sets βᵢ and whether it can rise and fall. */
export function setBeta(smo: Smo, i: i32, beta: f64): void {
  store<f64>(smo.beta + (<usize>i << 3), beta);
  store<f32>(smo.rise + (<usize>i << 2), beta < value(smo.upper, i) ? 0 : -Infinity);
  store<f32>(smo.fall + (<usize>i << 2), beta > value(smo.lower, i) ? 0 : Infinity);
}

@inline export function value(vector: usize, i: i32): f64 {
  return load<f64>(vector + (<usize>i << 3));
}

/** Converts four doubles to singles. */
@inline export function singles(low: v128, high: v128): v128 {
  return v128.shuffle<f32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5);
}
