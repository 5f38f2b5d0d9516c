import { MISSING_BIN } from "@vouch/core/internal/encode/binned-columns";
import type { Scan } from "@vouch/core/internal/learners/deep-forest/deep-forest-parts";
import { type BinnedTensor, binColumns, binsOfMatrix } from "../features.js";
import type { Graph, Value } from "../graph.js";
import { type TreeInput, walkTrees } from "./trees.js";

/** Number of byte values: bins, the last of which is for missing cells. */
const BINS = MISSING_BIN + 1;

/** Scans images or sequences by windows: returns the class vectors of forests at all positions, as columns to bin. */
export function scannedColumns(
  graph: Graph,
  { shape, bins, grains }: Scan,
  { columns }: BinnedTensor,
  classes: number,
): BinnedTensor {
  const pixels = sharedBins(graph, bins, binColumns(graph, columns), columns.length);
  const scanned = grains.map(({ window, forests, features }) => {
    const corners = cornersOf(shape, window);
    const offsets = offsetsOf(shape, window);
    const places = corners.flatMap((corner) => offsets.map((offset) => corner + offset));
    const windows = graph.reshape(graph.columns(pixels, places), [-1, offsets.length]);
    const input: TreeInput = {
      bins: windows,
      place: (feature) => feature,
      threshold: (_, bin) => bin,
      levels: () => 0,
    };
    const vectors = forests.map((trees) => {
      const sums = graph.cast(walkTrees(graph, trees, input), "double");
      const shares = graph.div(sums, graph.double(trees.trees));
      return graph.reshape(shares, [-1, corners.length, classes]);
    });
    const joined = graph.reshape(graph.concat(vectors, 2), [-1, features.length]);
    // The library keeps these vectors in single precision.
    const values = graph.cast(graph.cast(joined, "float"), "double");
    return binsOfMatrix({ kind: "matrix", values, columns: features.length }, features).columns;
  });
  return { kind: "binned", columns: scanned.flat() };
}

/** Maps the bins of each column to bins that all positions share. */
function sharedBins(graph: Graph, bins: Uint8Array, cells: Value, columns: number): Value {
  const table = Float32Array.from(bins, (bin) => (bin === MISSING_BIN ? Number.NaN : bin));
  const filled = graph.where(graph.isNaN(cells), graph.floats([MISSING_BIN], []), cells);
  const starts = graph.integers(
    Array.from({ length: columns }, (_, j) => j * BINS),
    [1, columns],
  );
  const indices = graph.add(graph.cast(filled, "int64"), starts);
  return graph.lookUp(graph.floats(table), indices);
}

type Grid = Scan["shape"];
type Window = Scan["grains"][number]["window"];

/** Lists the feature in the first corner of each window position, row by row. */
function cornersOf({ width, height, channels }: Grid, window: Window): number[] {
  const corners: number[] = [];
  for (let y = 0; y + window.height <= height; y += window.stride) {
    for (let x = 0; x + window.width <= width; x += window.stride) corners.push((y * width + x) * channels);
  }
  return corners;
}

/** Lists the offset of each feature of a window from its first corner. */
function offsetsOf({ width, channels }: Grid, window: Window): number[] {
  return Array.from({ length: window.height }, (_, y) =>
    Array.from({ length: window.width * channels }, (_, k) => y * width * channels + k),
  ).flat();
}
