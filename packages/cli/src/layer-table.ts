import { formatNumber, formatPercent } from "vouch";
import { alignedTable } from "./aligned-table.js";
import type { Layer } from "./layers.js";

/** What the table is about, above it. */
export const LAYER_TABLE_TITLE = "margins from layer to layer (training rows, out of fold)";

/** Cells of the little histogram of the margins from −1 to 1: each is 1/8 wide. */
const CELLS = 16;
const BARS = "▁▂▃▄▅▆▇█";

/**
 * How the margin distribution moves from layer to layer: a line for each, with the distribution from −1 to 1 as bars, all
 * to the same scale.
 *
 *     layer      α  accuracy    mean  variance       λ  median  −1 to 1
 *         1      1    93.5 %  0.5612   0.07318   0.482    0.62  ·····▁▁▁▁▂▂▄▆█▅▂
 *         2  0.843    95.1 %  0.6234   0.06101   0.396    0.71  ······▁▁▁▁▁▂▄▇█▆
 */
export function layerTable(layers: readonly Layer[], columns: number): string {
  const histograms = layers.map(({ margins }) => histogram(margins.quantiles));
  const largest = Math.max(...histograms.flat());
  const rows = layers.map(({ layer, alpha, outOfFoldAccuracy, margins }, i) => [
    layer,
    formatNumber(alpha),
    formatPercent(outOfFoldAccuracy),
    formatNumber(margins.mean),
    formatNumber(margins.variance),
    formatNumber(margins.ratio),
    formatNumber(margins.quantiles[margins.quantiles.length >> 1]),
    histograms[i].map((count) => bar(count, largest)).join(""),
  ]);
  const numbers = ["layer", "α", "accuracy", "mean", "variance", "λ", "median"];
  const headings = [...numbers.map((title) => ({ title, right: true })), { title: "−1 to 1", whole: true }];
  return alignedTable(headings, rows, columns);
}

/** How many of the margins lie in each cell; 1 in the last. */
function histogram(margins: readonly number[]): number[] {
  const counts = new Array<number>(CELLS).fill(0);
  for (const margin of margins) {
    const cell = Math.floor(((margin + 1) / 2) * CELLS);
    counts[Math.max(0, Math.min(CELLS - 1, cell))]++;
  }
  return counts;
}

/** A bar of one of eight heights, the tallest for the largest count; a dot for none. */
function bar(count: number, largest: number): string {
  return count === 0 ? "·" : BARS[Math.ceil((count / largest) * BARS.length) - 1];
}
