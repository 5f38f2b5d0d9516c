import { PANEL_STEP, panelWidth } from "./panels";
import { multiplyPanels } from "./product";
import { transpose } from "./transpose";

/**
 * Computes the part of the Gram matrix G = X · Xᵀ of `rows` packed rows that belongs to the panels [begin, end): their rows of
 * G up to the diagonal, and the mirror image above it. So G is symmetric to the last bit, and different ranges of panels write
 * different elements and can run at the same time.
 */
export function gramPanels<T>(
  panels: usize, depth: i32,
  gram: usize, stride: i32, rows: i32,
  begin: i32, end: i32,
): void {
  multiplyPanels<T>(panels, panels, depth, gram, stride, rows, rows, begin, end, false, true);

  const width = panelWidth<T>();
  const rowBytes = <usize>stride * sizeof<T>();
  for (let p = begin; p < end; p++) {
    const row = p * width;
    const below = gram + <usize>row * rowBytes;
    const above = gram + <usize>p * PANEL_STEP;
    transpose<T>(below, rowBytes, min(width, rows - row), row, above, rowBytes);
  }
}
