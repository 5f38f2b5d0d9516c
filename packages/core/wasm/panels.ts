import { transpose } from "./transpose";

/**
 * Panels are the layout of operands of matrix products. A panel holds `panelWidth` vectors of the same length (8 of f32, 4 of
 * f64) side by side: first element 0 of each of them, then element 1 of each, and so on. So a step along the depth is
 * PANEL_STEP bytes, two SIMD registers, for both types. The last panel is padded with zero vectors.
 */

/** Bytes of one step along the depth of a panel. */
@inline export const PANEL_STEP: usize = 32;

/** Returns the number of vectors of T in a panel. */
@inline export function panelWidth<T>(): i32 {
  return <i32>(PANEL_STEP / sizeof<T>());
}

/** Packs the rows of a rows × depth matrix into panels. Neighbouring rows lie `stride` elements apart. */
export function packRows<T>(matrix: usize, stride: i32, rows: i32, depth: i32, panels: usize): void {
  const width = panelWidth<T>();
  const rowBytes = <usize>stride * sizeof<T>();
  const panelBytes = <usize>depth * PANEL_STEP;
  for (let row = 0; row < rows; row += width) {
    const present = min(width, rows - row);
    if (present < width) memory.fill(panels, 0, panelBytes);
    transpose<T>(matrix + <usize>row * rowBytes, rowBytes, present, depth, panels, PANEL_STEP);
    panels += panelBytes;
  }
}

/**
 * Packs the columns of a depth × columns matrix into panels. Neighbouring rows lie `stride` elements apart. The panels are
 * `panelDepth` steps long, of which these are the first, so that a matrix can be packed a few rows at a time.
 */
export function packColumns<T>(
  matrix: usize, stride: i32, columns: i32, depth: i32,
  panels: usize, panelDepth: i32,
): void {
  const width = panelWidth<T>();
  const rowBytes = <usize>stride * sizeof<T>();
  for (let column = 0; column < columns; column += width) {
    const present = min(width, columns - column);
    let from = matrix + <usize>column * sizeof<T>();
    let to = panels;
    for (let k = 0; k < depth; k++) {
      if (present == width) copyStep(from, to);
      else copyPartOfStep<T>(from, present, to);
      from += rowBytes;
      to += PANEL_STEP;
    }
    panels += <usize>panelDepth * PANEL_STEP;
  }
}

@inline function copyStep(from: usize, to: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
}

function copyPartOfStep<T>(from: usize, present: i32, to: usize): void {
  const end = from + <usize>present * sizeof<T>();
  v128.store(to, i32x4.splat(0));
  v128.store(to, i32x4.splat(0), 16);
  for (; from < end; from += sizeof<T>(), to += sizeof<T>()) store<T>(to, load<T>(from));
}
