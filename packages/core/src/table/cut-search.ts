/**
 * Counts the cuts below a value. An even grid over the range of the cuts narrows them down, and a binary search does
 * the rest. With evenly spread cuts, nothing is left to search. Supports at most 255 cuts.
 */
export class CutSearch {
  readonly #cuts: Float64Array;
  readonly #lowest: number;
  readonly #cellsPerUnit: number;
  readonly #lastCell: number;
  /** Number of cuts in the grid cells before each cell. */
  readonly #before: Uint8Array;

  constructor(cuts: Float64Array, cells: number) {
    this.#cuts = cuts;
    this.#lowest = cuts[0];
    const cellsPerUnit = cells / (cuts[cuts.length - 1] - cuts[0]);
    this.#cellsPerUnit = Number.isFinite(cellsPerUnit) ? cellsPerUnit : 0;
    this.#lastCell = cells - 1;
    this.#before = new Uint8Array(cells + 1);
    for (const cut of cuts) this.#before[this.#cell(cut) + 1]++;
    for (let cell = 0; cell < cells; cell++) this.#before[cell + 1] += this.#before[cell];
  }

  /** Returns the number of cuts below x, which is not NaN. */
  cutsBelow(x: number): number {
    const cuts = this.#cuts;
    const cell = this.#cell(x);
    let low = this.#before[cell];
    let high = this.#before[cell + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cuts[middle] < x) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Finds the grid cell. Rounding is monotonic, so a cut in an earlier cell than x is below x, and one in a later cell
   * above.
   */
  #cell(x: number): number {
    const position = (x - this.#lowest) * this.#cellsPerUnit;
    return position > 0 ? Math.min(position, this.#lastCell) | 0 : 0;
  }
}
