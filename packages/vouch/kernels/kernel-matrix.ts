import { CHI_SQUARE, kernelSums, kernelValues, RBF } from "./kernel-values";
import { PANEL_STEP, panelWidth } from "./panels";
import { multiplyPanels } from "./product";
import { transpose } from "./transpose";

/**
 * The matrix of kernel values of all pairs of rows, in f32, as far as the panels [begin, end) determine it: their rows
 * up to the diagonal, and the mirror image of these above it. So the matrix is symmetric to the last bit, and
 * different ranges of panels write different elements and can run at the same time.
 *
 * `sums` is room for the rows of the range, `stride` elements of T apart; for T = f32 it may be the place of these
 * rows in the matrix itself.
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
  // Where the sums of row 0 would be; it may lie before the memory, but only rows of the range are touched.
  const sumsOrigin = sums - <usize>(begin * width) * sumBytes;
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
      kernelValues<T>(kind, degree, <T>factor, own, first + width, norm, norms, row);
      // Deep products are summed in another order than the norms.
      if (kind == RBF) store<f32>(row + (<usize>i << 2), 1);
    }
    const below = matrix + <usize>first * rowBytes, above = matrix + (<usize>first << 2);
    transpose<f32>(below, rowBytes, last - first, first, above, rowBytes);
  }
}
