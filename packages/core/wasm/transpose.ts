/** Lanes of T in a SIMD register. */
@inline function lanes<T>(): i32 {
  return <i32>(16 / sizeof<T>());
}

/**
 * Writes the transpose of a rows × columns matrix: to[j, i] = from[i, j]. Strides are in bytes. Full squares of
 * lanes × lanes go through registers, the edges element by element.
 */
export function transpose<T>(
  from: usize, fromStride: usize, rows: i32, columns: i32,
  to: usize, toStride: usize,
): void {
  const step = lanes<T>();
  const fullRows = rows - (rows % step);
  const fullColumns = columns - (columns % step);
  for (let i = 0; i < fullRows; i += step) {
    let source = from + <usize>i * fromStride;
    let target = to + <usize>i * sizeof<T>();
    for (let j = 0; j < fullColumns; j += step) {
      transposeSquare<T>(source, fromStride, target, toStride);
      source += 16;
      target += <usize>step * toStride;
    }
  }
  copyTransposed<T>(from, fromStride, 0, fullRows, fullColumns, columns, to, toStride);
  copyTransposed<T>(from, fromStride, fullRows, rows, 0, columns, to, toStride);
}

/** Transposes the elements in [firstRow, lastRow) × [firstColumn, lastColumn) one by one. */
function copyTransposed<T>(
  from: usize, fromStride: usize,
  firstRow: i32, lastRow: i32, firstColumn: i32, lastColumn: i32,
  to: usize, toStride: usize,
): void {
  for (let i = firstRow; i < lastRow; i++) {
    let source = from + <usize>i * fromStride + <usize>firstColumn * sizeof<T>();
    let target = to + <usize>firstColumn * toStride + <usize>i * sizeof<T>();
    for (let j = firstColumn; j < lastColumn; j++) {
      store<T>(target, load<T>(source));
      source += sizeof<T>();
      target += toStride;
    }
  }
}

@inline function transposeSquare<T>(from: usize, fromStride: usize, to: usize, toStride: usize): void {
  if (sizeof<T>() == 4) transpose4x4(from, fromStride, to, toStride);
  else transpose2x2(from, fromStride, to, toStride);
}

@inline function transpose4x4(from: usize, fromStride: usize, to: usize, toStride: usize): void {
  const row0 = v128.load(from);
  const row1 = v128.load(from + fromStride);
  const row2 = v128.load(from + 2 * fromStride);
  const row3 = v128.load(from + 3 * fromStride);
  const left01 = v128.shuffle<f32>(row0, row1, 0, 4, 1, 5);
  const left23 = v128.shuffle<f32>(row2, row3, 0, 4, 1, 5);
  const right01 = v128.shuffle<f32>(row0, row1, 2, 6, 3, 7);
  const right23 = v128.shuffle<f32>(row2, row3, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<f32>(left01, left23, 0, 1, 4, 5));
  v128.store(to + toStride, v128.shuffle<f32>(left01, left23, 2, 3, 6, 7));
  v128.store(to + 2 * toStride, v128.shuffle<f32>(right01, right23, 0, 1, 4, 5));
  v128.store(to + 3 * toStride, v128.shuffle<f32>(right01, right23, 2, 3, 6, 7));
}

@inline function transpose2x2(from: usize, fromStride: usize, to: usize, toStride: usize): void {
  const row0 = v128.load(from);
  const row1 = v128.load(from + fromStride);
  v128.store(to, v128.shuffle<f64>(row0, row1, 0, 2));
  v128.store(to + toStride, v128.shuffle<f64>(row0, row1, 1, 3));
}
