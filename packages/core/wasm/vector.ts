/** Bytes of one round of the loops: four SIMD registers that do not wait for each other. */
@inline const ROUND: usize = 64;

/** Returns the end of the last full round of `length` elements at `x`. */
@inline function endOfRounds<T>(x: usize, length: i32): usize {
  return x + ((<usize>length * sizeof<T>()) & ~(ROUND - 1));
}

/** Computes x · y, summed in T. The order of the sum depends only on the length. */
export function dot<T>(x: usize, y: usize, length: i32): T {
  const end = x + <usize>length * sizeof<T>();
  const rounds = endOfRounds<T>(x, length);
  let sum0 = v128.splat<T>(<T>0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (; x < rounds; x += ROUND, y += ROUND) {
    sum0 = v128.add<T>(sum0, v128.mul<T>(v128.load(x), v128.load(y)));
    sum1 = v128.add<T>(sum1, v128.mul<T>(v128.load(x, 16), v128.load(y, 16)));
    sum2 = v128.add<T>(sum2, v128.mul<T>(v128.load(x, 32), v128.load(y, 32)));
    sum3 = v128.add<T>(sum3, v128.mul<T>(v128.load(x, 48), v128.load(y, 48)));
  }
  let sum = sumOfLanes<T>(v128.add<T>(v128.add<T>(sum0, sum1), v128.add<T>(sum2, sum3)));
  for (; x < end; x += sizeof<T>(), y += sizeof<T>()) sum += load<T>(x) * load<T>(y);
  return sum;
}

@inline function sumOfLanes<T>(vector: v128): T {
  let sum = v128.extract_lane<T>(vector, 0) + v128.extract_lane<T>(vector, 1);
  if (sizeof<T>() == 4) sum += v128.extract_lane<T>(vector, 2) + v128.extract_lane<T>(vector, 3);
  return sum;
}

/** Computes y ← y + alpha · x. */
export function axpy<T>(alpha: T, x: usize, y: usize, length: i32): void {
  const end = x + <usize>length * sizeof<T>();
  const rounds = endOfRounds<T>(x, length);
  const factor = v128.splat<T>(alpha);
  for (; x < rounds; x += ROUND, y += ROUND) {
    v128.store(y, v128.add<T>(v128.load(y), v128.mul<T>(factor, v128.load(x))));
    v128.store(y, v128.add<T>(v128.load(y, 16), v128.mul<T>(factor, v128.load(x, 16))), 16);
    v128.store(y, v128.add<T>(v128.load(y, 32), v128.mul<T>(factor, v128.load(x, 32))), 32);
    v128.store(y, v128.add<T>(v128.load(y, 48), v128.mul<T>(factor, v128.load(x, 48))), 48);
  }
  for (; x < end; x += sizeof<T>(), y += sizeof<T>()) store<T>(y, load<T>(y) + alpha * load<T>(x));
}
