import { CHI_SQUARE, kernelSums, kernelValues, RBF } from "./kernel-values";
import { PANEL_STEP, panelWidth } from "./panels";
import { multiplyPanels } from "./product";
import { transpose } from "./transpose";

/**
 * Computes the part of the kernel matrix that belongs to the panels [begin, end): their rows up to the diagonal, and the mirror
 * image above it. So the matrix is symmetric to the last bit, and different ranges of panels write different elements and can
 * run at the same time. Sums over features are T, values f32; f64 sums are rounded once. The last column is followed by zeros up
 * to the stride.
 *
 * `sums` is scratch for f64 sums of the rows of the range, `stride` doubles apart; f32 sums are turned into values in place.
 */
export function kernelPanels<T>(
  kind: i32, degree: i32, factor: f64,
  panels: usize, depth: i32, norms: usize,
  matrix: usize, stride: i32, rows: i32,
  begin: i32, end: i32, sums: usize,
): void {
  const width = panelWidth<T>();
  const panelBytes = <usize>depth * PANEL_STEP;
  const sumBytes = <usize>stride * sizeof<T>(), rowBytes = <usize>stride << 2;
  // The address that the sums of row 0 would have; it may be outside the memory, but only rows of the range are touched.
  const origin = begin * width, sumsOrigin = sizeof<T>() == 4 ? matrix : sums - <usize>origin * sumBytes;
  if (kind < CHI_SQUARE) {
    multiplyPanels<T>(panels, panels, depth, sumsOrigin, stride, rows, rows, begin, end, false, true);
  }
  for (let p = begin; p < end; p++) {
    const first = p * width, last = min(first + width, rows);
    for (let i = first; i < last; i++) {
      const own = sumsOrigin + <usize>i * sumBytes, row = matrix + <usize>i * rowBytes;
      if (kind >= CHI_SQUARE) {
        const x = panels + <usize>p * panelBytes + <usize>(i - first) * sizeof<T>();
        kernelSums<T>(kind, x, panels, p + 1, depth, own);
      }
      const norm = load<T>(norms + <usize>i * sizeof<T>());
      kernelValues<T, f32>(kind, degree, <T>factor, <T>1, own, first + width, norm, norms, row);
      // Deep products are summed in a different order than the norms.
      if (kind == RBF) store<f32>(row + (<usize>i << 2), 1);
      memory.fill(row + (<usize>rows << 2), 0, <usize>(stride - rows) << 2);
    }
    // Above the diagonal, within the square of the range.
    transpose<f32>(
      matrix + <usize>first * rowBytes + (<usize>origin << 2), rowBytes, last - first, first - origin,
      matrix + <usize>origin * rowBytes + (<usize>first << 2), rowBytes,
    );
  }
  mirror(matrix, rowBytes, origin, min(end * width, rows));
}

/** Columns that are mirrored at a time: a cache line. */
@inline const MIRRORED: i32 = 16;

/**
 * Writes the rows [begin, end), left of column `begin`, to the columns [begin, end) above. It writes a few target rows at a
 * time, each as long as the range: target rows lie in different pages, so every visit to one is expensive.
 */
export function mirror(matrix: usize, rowBytes: usize, begin: i32, end: i32): void {
  const below = matrix + <usize>begin * rowBytes, above = matrix + (<usize>begin << 2);
  for (let column = 0; column < begin; column += MIRRORED) {
    const columns = min(MIRRORED, begin - column);
    transpose<f32>(
      below + (<usize>column << 2), rowBytes, end - begin, columns,
      above + <usize>column * rowBytes, rowBytes,
    );
  }
}
