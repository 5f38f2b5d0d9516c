import { PANEL_STEP, panelWidth } from "./panels";
import { multiplyTile, TILE_ROWS } from "./tile";

/** Maximum part of the depth that is summed at a time, 32 KiB of a panel, so that deep panels stay in the cache. */
@inline const DEPTH_BLOCK: i32 = 1024;

/** Bytes of panels of B that are multiplied by all panels of A before the next; they stay in the L2 cache. */
@inline const PANELS_BLOCK: i32 = 256 * 1024;

/**
 * Computes the rows of C = A · Bᵀ that belong to the panels [begin, end) of A, for packed A (rows × depth) and B (columns ×
 * depth). C is rows × columns with its rows `stride` elements apart; only its elements are written. `accumulate` adds to C;
 * `lower` skips the panels of C right of its diagonal.
 *
 * Each element is summed in the same order for any split of the panels into calls, so that the result does not depend on the
 * number of threads.
 */
export function multiplyPanels<T>(
  a: usize, b: usize, depth: i32,
  c: usize, stride: i32, rows: i32, columns: i32,
  begin: i32, end: i32,
  accumulate: bool, lower: bool,
): void {
  const width = panelWidth<T>();
  const rowBytes = <usize>stride * sizeof<T>();
  const panelBytes = <usize>depth * PANEL_STEP;
  if (depth == 0 && !accumulate) clearRows<T>(c, rowBytes, begin * width, min(end * width, rows), columns);

  const panelsOfB = lower ? end : (columns + width - 1) / width;
  const depthBlocks = (depth + DEPTH_BLOCK - 1) / DEPTH_BLOCK;
  for (let block = 0; block < depthBlocks; block++) {
    // Blocks of nearly equal depth: a very short one would read C as often as a full one.
    const blockBegin = <i32>(<i64>depth * block / depthBlocks);
    const blockDepth = <i32>(<i64>depth * (block + 1) / depthBlocks) - blockBegin;
    const offset = <usize>blockBegin * PANEL_STEP;
    const together = max(1, PANELS_BLOCK / (blockDepth * <i32>PANEL_STEP));
    for (let first = 0; first < panelsOfB; first += together) {
      const last = min(first + together, panelsOfB);
      for (let p = begin; p < end; p++) {
        multiplyPanel<T>(
          a + <usize>p * panelBytes + offset, b + offset, panelBytes, blockDepth,
          c + <usize>(p * width) * rowBytes, rowBytes, min(width, rows - p * width), columns,
          first, lower ? min(last, p + 1) : last,
          accumulate || block > 0,
        );
      }
    }
  }
}

/** Multiplies one panel of A by the panels [first, last) of B, over a part of the depth. */
function multiplyPanel<T>(
  a: usize, b: usize, panelBytes: usize, depth: i32,
  c: usize, rowBytes: usize, rows: i32, columns: i32,
  first: i32, last: i32,
  accumulate: bool,
): void {
  const width = panelWidth<T>();
  for (let r = 0; r < rows; r += TILE_ROWS) {
    for (let q = first; q < last; q++) {
      multiplyTile<T>(
        a + <usize>r * sizeof<T>(), b + <usize>q * panelBytes, depth,
        c + <usize>r * rowBytes + <usize>q * PANEL_STEP, rowBytes, rows - r, columns - q * width,
        accumulate,
      );
    }
  }
}

/** Writes zeros: the product of matrices without depth. */
function clearRows<T>(c: usize, rowBytes: usize, first: i32, last: i32, columns: i32): void {
  for (let r = first; r < last; r++) memory.fill(c + <usize>r * rowBytes, 0, <usize>columns * sizeof<T>());
}
