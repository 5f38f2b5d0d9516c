/** Writes rows [begin, end) of to = from[list, list]; the last column is followed by zeros up to the stride. */
export function compactMatrix(
  from: usize, fromStride: i32, list: usize, count: i32,
  to: usize, toStride: i32, begin: i32, end: i32,
): void {
  const listEnd = list + (<usize>count << 2);
  for (let row = begin; row < end; row++) {
    const source = from + (<usize>load<i32>(list + (<usize>row << 2)) * fromStride << 2);
    const target = to + (<usize>row * toStride << 2);
    compactRow(source, list, listEnd, target, target + (<usize>toStride << 2));
  }
}

/** Writes the listed values of one row, then zeros up to `targetEnd`. */
export function compactRow(source: usize, list: usize, listEnd: usize, target: usize, targetEnd: usize): void {
  const rounds = list + ((listEnd - list) & ~15);
  for (; list < rounds; list += 16, target += 16) {
    const a = load<f32>(source + (<usize>load<i32>(list) << 2));
    const b = load<f32>(source + (<usize>load<i32>(list, 4) << 2));
    const c = load<f32>(source + (<usize>load<i32>(list, 8) << 2));
    const d = load<f32>(source + (<usize>load<i32>(list, 12) << 2));
    store<f32>(target, a);
    store<f32>(target, b, 4);
    store<f32>(target, c, 8);
    store<f32>(target, d, 12);
  }
  for (; list < listEnd; list += 4, target += 4) store<f32>(target, load<f32>(source + (<usize>load<i32>(list) << 2)));
  for (; target < targetEnd; target += 4) store<f32>(target, 0);
}
