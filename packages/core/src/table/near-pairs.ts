import * as real from "../runtime/maths/portable-math.js";
import { Random } from "../runtime/maths/random.js";
import { inParallel, type Pausable } from "../runtime/parallel/pausable.js";
import { onSharedMemory } from "../runtime/parallel/shared-array.js";
import { definePureTask } from "../runtime/parallel/task.js";
import { exceedsShare } from "./chernoff.js";

/** Probability of mistaking natural repeats for copies, in each comparison. */
const FALSE_ALARM = 1e-3;
/** Maximum number of columns to compare together, and of columns to choose them from. */
const MAX_TOGETHER = 6;
const MAX_CANDIDATES = 12;
/** Number of near repeats that a sample without any may have missed: e⁻³ is 5%. */
const MISSED = 3;

/** Returns whether there are significantly more repeats than near pairs. */
export function outnumber(repeats: number, near: number): boolean {
  return exceedsShare(repeats, repeats + near, 0.5, -real.log(FALSE_ALARM));
}

/** Cells of a column in distinct rows, with missing ones as NaN. */
export interface ComparedCells {
  readonly name: string;
  readonly cells: Float64Array;
  /** Whether values are ordered, like numbers. */
  readonly ordered: boolean;
}

/** Reference for judging near pairs. */
interface Comparison {
  /** Number of kinds of rows that occur more than once. */
  readonly repeats: number;
  /** Fraction of all kinds among the compared rows. */
  readonly share: number;
}

/** Approximate milliseconds per cell, for sorting and for all counts of near pairs. */
const MILLISECONDS_TO_SORT = 2e-4;
const MILLISECONDS_TO_COUNT = 2e-3;

/**
 * Finds a numeric column in which rows have fewer near pairs than repeats, alone or together with other columns;
 * undefined if there is none. Columns to compare together are chosen greedily to have few near pairs, a numeric one
 * first, and are at most half of all columns.
 */
export function* columnOfCopies(
  columns: readonly ComparedCells[],
  comparison: Comparison,
): Pausable<string | undefined> {
  const cells = columns.reduce((sum, column) => sum + column.cells.length, 0);
  const grid = yield* inParallel(
    gridTask,
    columns.map((column, j) => ({ ...column, stream: j })),
    {
      milliseconds: cells * MILLISECONDS_TO_SORT,
      share: (input) => ({ ...input, cells: onSharedMemory(input.cells) }),
    },
  );
  const [found] = yield* inParallel(searchTask, [{ columns: grid, ...comparison }], {
    milliseconds: cells * MILLISECONDS_TO_COUNT,
  });
  return found;
}

/** A column as steps on a grid. */
interface GridColumn {
  readonly name: string;
  /** Rank of the value of each row. */
  readonly places: Int32Array;
  /** 1 if the next value is one step away; absent if values are not ordered. */
  readonly steps?: Uint8Array;
  /** A random integer for each value; sums of them identify combinations of values. */
  readonly keys: Float64Array;
}

interface GridInput extends ComparedCells {
  /** Random stream of the column. */
  readonly stream: number;
}

const gridTask = definePureTask(
  "table/grid-column",
  ({ name, cells, ordered, stream }: GridInput): GridColumn => {
    const values = distinctValues(cells);
    const places = onSharedMemory(Int32Array.from(cells, (cell) => placeOf(values, cell)));
    const random = new Random(0).fork(stream);
    const keys = Float64Array.from({ length: values.length + 1 }, () => random.integer(2 ** 32) * 2 ** 12);
    return { name, places, keys, ...(ordered && { steps: stepsBetween(values) }) };
  },
);

interface SearchInput extends Comparison {
  readonly columns: readonly GridColumn[];
}

const searchTask = definePureTask(
  "table/near-pairs",
  ({ columns, repeats, share }: SearchInput): string | undefined => {
    const scale = (pairs: number) => (share < 1 ? (pairs + MISSED) / share ** 2 : pairs);
    let others = fewestFirst(columns).slice(0, MAX_CANDIDATES);
    const first = others.find(({ steps }) => steps !== undefined);
    let together: readonly GridColumn[] = [];
    const most = Math.max(1, Math.min(MAX_TOGETHER, columns.length >> 1));
    for (let next = first; next && together.length < most; ) {
      const { name } = next;
      together = [...together, next];
      if (outnumber(repeats, scale(nearPairs(together)))) return first?.name;
      // Rows that are near in more columns are near in these.
      const kept = rowsInPairs(together);
      together = together.map((column) => rowsOf(column, kept));
      others = others.filter((column) => column.name !== name).map((column) => rowsOf(column, kept));
      next = fewest(others, (column) => nearPairs([...together, column]));
    }
    return undefined;
  },
);

/** Lists the values that occur, ascending, without NaN. */
function distinctValues(cells: Float64Array): Float64Array {
  const ascending = cells.filter((cell) => !Number.isNaN(cell)).sort();
  return ascending.filter((value, i) => i === 0 || value !== ascending[i - 1]);
}

/** Finds the index of a value; missing cells have the index after the last. */
function placeOf(values: Float64Array, cell: number): number {
  if (Number.isNaN(cell)) return values.length;
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < cell) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Marks values with 1 if the next one is a smallest step away; allows for rounding of decimal fractions. */
function stepsBetween(values: Float64Array): Uint8Array {
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 1; i < values.length; i++) smallest = Math.min(smallest, values[i] - values[i - 1]);
  return Uint8Array.from({ length: values.length + 1 }, (_, i) =>
    Number(i + 1 < values.length && values[i + 1] - values[i] <= 1.5 * smallest),
  );
}

/** Returns the key of the combination of values of each row. */
function cellKeys(columns: readonly GridColumn[]): Float64Array {
  const rows = columns[0].places.length;
  const cellOf = new Float64Array(rows);
  for (const { places, keys } of columns) {
    for (let i = 0; i < rows; i++) cellOf[i] += keys[places[i]];
  }
  return cellOf;
}

/** Lists the rows that are in a near pair. */
function rowsInPairs(columns: readonly GridColumn[]): Int32Array {
  const cellOf = cellKeys(columns);
  const counts = new CellCounts(cellOf.length);
  for (let i = 0; i < cellOf.length; i++) counts.add(cellOf[i]);
  const found = new Uint8Array(cellOf.length);
  for (let i = 0; i < cellOf.length; i++) if (counts.of(cellOf[i]) > 1) found[i] = 1;
  for (const { places, keys, steps } of columns) {
    if (!steps) continue;
    for (let i = 0; i < cellOf.length; i++) {
      const place = places[i];
      const isNear = (other: number) => counts.of(cellOf[i] - keys[place] + keys[other]) > 0;
      if (found[i] === 0 && steps[place] === 1 && isNear(place + 1)) found[i] = 1;
      if (found[i] === 0 && place > 0 && steps[place - 1] === 1 && isNear(place - 1)) found[i] = 1;
    }
  }
  const rows = new Int32Array(found.reduce((sum, one) => sum + one, 0));
  for (let i = 0, next = 0; i < found.length; i++) if (found[i] === 1) rows[next++] = i;
  return rows;
}

/** Returns some rows of a column. */
function rowsOf(column: GridColumn, rows: Int32Array): GridColumn {
  return { ...column, places: rows.map((row) => column.places[row]) };
}

/** Counts the pairs of rows that are equal in all columns, or in all but one, in which they are a step apart. */
function nearPairs(columns: readonly GridColumn[]): number {
  const cellOf = cellKeys(columns);
  const rows = cellOf.length;
  const counts = new CellCounts(rows);
  let pairs = 0;
  for (let i = 0; i < rows; i++) pairs += counts.add(cellOf[i]);
  for (const { places, keys, steps } of columns) {
    if (!steps) continue;
    for (let i = 0; i < rows; i++) {
      const place = places[i];
      if (steps[place] === 1) pairs += counts.of(cellOf[i] - keys[place] + keys[place + 1]);
    }
  }
  return pairs;
}

/**
 * Counts cells by their keys, sums of random multiples of 2¹²: a hash table with linear probing, several times as fast
 * as a Map.
 */
class CellCounts {
  readonly #keys: Float64Array;
  readonly #counts: Int32Array;
  readonly #mask: number;

  constructor(cells: number) {
    const size = 2 ** Math.ceil(real.log2(2 * cells + 2));
    this.#keys = new Float64Array(size);
    this.#counts = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** Adds a cell, and returns the number of equal ones. */
  add(key: number): number {
    const place = this.#placeOf(key);
    this.#keys[place] = key;
    return this.#counts[place]++;
  }

  of(key: number): number {
    return this.#counts[this.#placeOf(key)];
  }

  /** Finds the slot of a key, or the free slot where it belongs. */
  #placeOf(key: number): number {
    let place = (key / 2 ** 12) & this.#mask;
    while (this.#counts[place] > 0 && this.#keys[place] !== key) place = (place + 1) & this.#mask;
    return place;
  }
}

/** Sorts columns by their number of near pairs. */
function fewestFirst(columns: readonly GridColumn[]): GridColumn[] {
  const pairs = new Map(columns.map((column) => [column, nearPairs([column])]));
  const of = (column: GridColumn) => pairs.get(column) ?? 0;
  return columns.toSorted((a, b) => of(a) - of(b));
}

function fewest(
  columns: readonly GridColumn[],
  pairsOf: (column: GridColumn) => number,
): GridColumn | undefined {
  let best: { column: GridColumn; pairs: number } | undefined;
  for (const column of columns) {
    const pairs = pairsOf(column);
    if (!best || pairs < best.pairs) best = { column, pairs };
  }
  return best?.column;
}
