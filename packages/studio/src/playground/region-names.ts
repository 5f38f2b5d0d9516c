import type { PictureColours } from "./class-marks.js";
import { CELLS } from "./decision-regions.js";

/** A region with its name; cells with value 1 belong to it. */
interface NamedRegion {
  readonly name: string;
  readonly cells: Uint8Array;
  readonly size: number;
}

/** Costs of a covered point and of a covered cell of another name, in cells. */
const POINT_COST = 4;
const NAME_COST = 20;

/** Writes the name of each region inside it, where it covers the fewest points and no other name. */
export function writeRegionNames(
  context: CanvasRenderingContext2D,
  side: number,
  regions: readonly NamedRegion[],
  points: readonly (readonly [number, number])[],
  { ink, paper }: PictureColours,
): void {
  const cell = side / CELLS;
  const costs = new Float64Array(CELLS * CELLS);
  for (const [x, y] of points) {
    const at = cellAt(Math.floor(x / cell), Math.floor(y / cell));
    if (at !== undefined) costs[at] += POINT_COST;
  }
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const { name, cells, size } of regions) {
    context.font = `700 ${size}px system-ui,sans-serif`;
    // Half the size of the name's box in cells, with room for its halo and for point marks.
    const width = Math.ceil((context.measureText(name).width / 2 + size / 3) / cell);
    const height = Math.ceil((0.85 * size) / cell);
    const at = placeOfName(cells, costs, width, height);
    if (at === undefined) continue;
    const column = at % CELLS;
    const row = Math.floor(at / CELLS);
    forBox(column, row, width, height, (covered) => {
      costs[covered] += NAME_COST;
    });
    const x = (column + 0.5) * cell;
    const y = (row + 0.5) * cell;
    context.lineWidth = size / 3;
    context.strokeStyle = paper;
    context.strokeText(name, x, y);
    context.fillStyle = ink;
    context.fillText(name, x, y);
  }
}

/**
 * Finds the cell of a region where a box covers the least of other regions and of costs. Ties go to the cell farthest
 * from other regions. Undefined if the region has no cells.
 */
function placeOfName(
  cells: Uint8Array,
  costs: Float64Array,
  width: number,
  height: number,
): number | undefined {
  const steps = stepsInside(cells);
  const sums = boxSums(cells, costs);
  const farthest = Math.max(...steps);
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < cells.length; at++) {
    if (cells[at] !== 1) continue;
    const cost = sums(at % CELLS, Math.floor(at / CELLS), width, height) + 1 - steps[at] / farthest;
    if (cost >= least) continue;
    best = at;
    least = cost;
  }
  return best;
}

/**
 * Returns a function that sums the costs of a box: its cells, plus one for each cell outside the region or the picture.
 */
function boxSums(cells: Uint8Array, costs: Float64Array) {
  const wide = CELLS + 1;
  const before = new Float64Array(wide * wide);
  for (let row = 0; row < CELLS; row++) {
    for (let column = 0; column < CELLS; column++) {
      const at = row * CELLS + column;
      const above = before[row * wide + column + 1] + before[(row + 1) * wide + column];
      before[(row + 1) * wide + column + 1] =
        above - before[row * wide + column] + costs[at] + (cells[at] === 1 ? 0 : 1);
    }
  }
  const inside = (value: number) => Math.max(0, Math.min(CELLS, value));
  return (column: number, row: number, width: number, height: number): number => {
    const [left, right] = [inside(column - width), inside(column + width + 1)];
    const [top, bottom] = [inside(row - height), inside(row + height + 1)];
    const outside = (2 * width + 1) * (2 * height + 1) - (right - left) * (bottom - top);
    const sum =
      before[bottom * wide + right] -
      before[top * wide + right] -
      before[bottom * wide + left] +
      before[top * wide + left];
    // A name cut off at the edge of the picture is worse than anything else.
    return sum + NAME_COST * outside;
  };
}

/**
 * Counts the steps from each cell to the nearest cell outside its region or to the edge, in two passes: one from the
 * upper left, one from the lower right.
 */
function stepsInside(cells: Uint8Array): Int32Array {
  const steps = new Int32Array(cells.length);
  const stepsAt = (column: number, row: number) => {
    const at = cellAt(column, row);
    return at === undefined ? 0 : steps[at];
  };
  for (let at = 0; at < cells.length; at++) {
    const column = at % CELLS;
    const row = Math.floor(at / CELLS);
    steps[at] = cells[at] === 1 ? Math.min(stepsAt(column - 1, row), stepsAt(column, row - 1)) + 1 : 0;
  }
  for (let at = cells.length - 1; at >= 0; at--) {
    const column = at % CELLS;
    const row = Math.floor(at / CELLS);
    const nearest = Math.min(stepsAt(column + 1, row), stepsAt(column, row + 1));
    if (cells[at] === 1) steps[at] = Math.min(steps[at], nearest + 1);
  }
  return steps;
}

function cellAt(column: number, row: number): number | undefined {
  const isInside = column >= 0 && row >= 0 && column < CELLS && row < CELLS;
  return isInside ? row * CELLS + column : undefined;
}

function forBox(
  column: number,
  row: number,
  width: number,
  height: number,
  visit: (at: number) => void,
): void {
  for (let y = row - height; y <= row + height; y++) {
    for (let x = column - width; x <= column + width; x++) {
      const at = cellAt(x, y);
      if (at !== undefined) visit(at);
    }
  }
}
