/** Intervals of a number and categories of a picture; the least frequent categories are counted together. */
export const MOST_INTERVALS = 16;
export const MOST_NAMED_LEVELS = 12;

/** Counts of bins by class. */
export type BinCounts = readonly Int32Array[];

/** The rows of a split by class and cell. */
export interface CountedCells {
  /** Edges of the intervals of a number. */
  readonly edges?: readonly number[];
  /** Ends at which rows beyond the edges are counted in the outermost interval. */
  readonly beyond?: "below" | "above" | "both";
  /** Names of the cells of a category. */
  readonly names?: readonly string[];
  /** Number of cells, from the first, whose rows go left. */
  readonly left: number;
  /** Rows of each class in each cell. */
  readonly counts: readonly (readonly number[])[];
}

/** Divides the values of a split into intervals of about the same length, one of whose edges is the threshold, after the bin `last`. */
export function numberCells(last: number, cuts: Float64Array, counts: BinCounts): CountedCells | undefined {
  const present = Array.from({ length: cuts.length + 1 }, (_, bin) => bin).filter((bin) =>
    counts.some((own) => own[bin] > 0),
  );
  const [lowest, highest] = [present[0], present[present.length - 1]];
  if (lowest === undefined || lowest > last || highest <= last) return undefined;
  const threshold = cuts[last];
  const edgesOf = binEdges(cuts);
  const [from, to] = shownBins(present, last, counts, edgesOf);
  const [low, high] = [edgesOf(from)[0], edgesOf(to)[1]];
  const left = Math.min(
    MOST_INTERVALS - 1,
    Math.max(1, Math.round((MOST_INTERVALS * (threshold - low)) / (high - low))),
  );
  const edges = [...evenly(low, threshold, left), ...evenly(threshold, high, MOST_INTERVALS - left), high];
  if (!edges.every((edge, i) => Number.isFinite(edge) && (i === 0 || edge > edges[i - 1]))) return undefined;
  const cellOf = (bin: number) => {
    const [from, to] = edgesOf(bin);
    const middle = from / 2 + to / 2;
    const cell = edges.findLastIndex((edge) => edge <= middle);
    return bin <= last
      ? Math.min(left - 1, Math.max(0, cell))
      : Math.min(MOST_INTERVALS - 1, Math.max(left, cell));
  };
  const beyond = endsBeyond(from > lowest, to < highest);
  return {
    edges,
    ...(beyond && { beyond }),
    left,
    counts: counts.map((own) => summed(own, present, cellOf, MOST_INTERVALS)),
  };
}

/** Fraction of the rows at either end that may be beyond the edges, if the others need less than half of the range. */
const TAIL = 0.01;

/** Returns the first and the last bin that are drawn to scale; there is at least one on each side of the threshold. */
function shownBins(
  present: readonly number[],
  last: number,
  counts: BinCounts,
  edgesOf: ReturnType<typeof binEdges>,
): readonly [from: number, to: number] {
  const rowsOf = (bin: number) => counts.reduce((sum, own) => sum + own[bin], 0);
  const rows = present.reduce((sum, bin) => sum + rowsOf(bin), 0);
  const beyondTail = (bins: readonly number[]) => {
    let before = 0;
    return (
      bins.find((bin) => {
        before += rowsOf(bin);
        return before > TAIL * rows;
      }) ?? bins[0]
    );
  };
  const from = Math.min(last, beyondTail(present));
  const to = Math.max(last + 1, beyondTail(present.toReversed()));
  const whole: readonly [number, number] = [present[0], present[present.length - 1]];
  const length = ([a, b]: readonly [number, number]) => edgesOf(b)[1] - edgesOf(a)[0];
  return 2 * length([from, to]) < length(whole) ? [from, to] : whole;
}

function endsBeyond(below: boolean, above: boolean): CountedCells["beyond"] {
  if (below && above) return "both";
  return below ? "below" : above ? "above" : undefined;
}

/**
 * Returns the edges of each bin. Cuts lie halfway between values, so those at the ends are half as wide as their neighbours: whole
 * numbers begin and end at their smallest and largest. Positive numbers do not begin below 0.
 */
function binEdges(cuts: Float64Array): (bin: number) => readonly [number, number] {
  const end = cuts.length - 1;
  const [first, last] = cuts.length > 1 ? [cuts[1] - cuts[0], cuts[end] - cuts[end - 1]] : [1, 1];
  const start = cuts[0] - first / 2;
  const low = cuts[0] > 0 ? Math.max(0, start) : start;
  return (bin) => [bin === 0 ? low : cuts[bin - 1], bin > end ? cuts[end] + last / 2 : cuts[bin]];
}

function evenly(from: number, to: number, parts: number): number[] {
  return Array.from({ length: parts }, (_, i) => from + (i * (to - from)) / parts);
}

/** Lists the most frequent categories of a split, those that go left first. */
export function categoryCells(
  goesLeft: (bin: number) => boolean,
  levels: readonly string[],
  counts: BinCounts,
): CountedCells | undefined {
  const rowsOf = (bin: number) => counts.reduce((sum, own) => sum + own[bin], 0);
  const present = [...levels.keys()].filter((bin) => rowsOf(bin) > 0);
  const shown = present.toSorted((a, b) => rowsOf(b) - rowsOf(a) || a - b).slice(0, MOST_NAMED_LEVELS);
  const sides = [true, false].map((isLeft) => {
    const own = present.filter((bin) => goesLeft(bin) === isLeft);
    const named = shown.filter((bin) => own.includes(bin));
    const others = own.length - named.length;
    const names = [...named.map((bin) => levels[bin]), ...(others > 0 ? [`${others} more`] : [])];
    return { own, named, names };
  });
  const [left, right] = sides;
  if (left.names.length === 0 || right.names.length === 0) return undefined;
  const cellOf = (bin: number) => {
    const isLeft = goesLeft(bin);
    const { named, names } = isLeft ? left : right;
    const place = named.indexOf(bin);
    return (isLeft ? 0 : left.names.length) + (place < 0 ? names.length - 1 : place);
  };
  const names = [...left.names, ...right.names];
  return {
    names,
    left: left.names.length,
    counts: counts.map((own) => summed(own, present, cellOf, names.length)),
  };
}

function summed(
  counts: Int32Array,
  bins: readonly number[],
  cellOf: (bin: number) => number,
  cells: number,
): number[] {
  const sums = new Array<number>(cells).fill(0);
  for (const bin of bins) sums[cellOf(bin)] += counts[bin];
  return sums;
}
