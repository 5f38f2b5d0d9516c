import type { Random } from "@vouch/core/internal/runtime/maths/random";
import { type Column, denseValues } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";

/** How the rows of a population arise, and therefore must be held out. */
export type Sampling = "independent" | "groups" | "copies" | "time";

/**
 * A distribution of rows with a finite support, so that every measure of a classifier follows by enumeration. Its rows
 * come from one law, from one law per kind of group, or from one law per period.
 */
export interface Population {
  readonly sampling: Sampling;
  readonly classes: readonly string[];
  /** Every combination of features that occurs. */
  readonly support: Table;
  /** P(x, y) under each law: a row per row of the support, a column per class. */
  readonly laws: readonly Float64Array[];
  /** The probability of each law, for a row or for a group. */
  readonly shares: readonly number[];
}

/** Rows that were drawn from a population. */
export interface DrawnRows {
  /** The features, the columns `group` and `time` if present, and `label`. */
  readonly table: Table;
  /** The law of each row. */
  readonly lawOf: Int32Array;
  /** The row of the support with the same features as each row. */
  readonly supportRow: Int32Array;
}

/** Share of the rows that are copies of others, where there are copies. */
const COPIES = 1 / 3;
const PERIODS = 20;
/** Rows per group of each kind. A large group has its own error, so that rows and groups weigh differently. */
const GROUP_SIZES = [4, 4, 8];
const GRID = 8;
/** Number of values of a practically continuous column, of which few among 200 rows coincide. */
const FINE = 2048;

/** Number of values of a column with repeated values; each is rarer than the previous one by the same factor. */
const VALUES = 24;
const RARER = 0.85;

const square = gridTable(["x1", "x2"], [GRID, GRID]);
const line = gridTable(["x1"], [VALUES]);
const strip = gridTable(["x1", "x2"], [2, FINE]);

/** The populations by name. */
export const populations = {
  "balanced noise": independent(square, () => 0.5),
  "rare class": independent(square, ([x1]) => (x1 >= 6 ? 0.22 : 0.02)),
  clusters: {
    ...independent(square, ([x1]) => (x1 >= 4 ? 0.85 : 0.15)),
    sampling: "groups",
    laws: [
      binaryLaw(square, ([x1]) => (x1 >= 4 ? 0.85 : 0.15)),
      binaryLaw(square, ([x1]) => (x1 >= 4 ? 0.15 : 0.85)),
      binaryLaw(square, () => 0.9),
    ],
    shares: [0.5, 0.3, 0.2],
  },
  "repeated rows": { ...independent(strip, ([x1]) => (x1 === 1 ? 0.7 : 0.3)), sampling: "copies" },
  drift: {
    ...independent(square, () => 0.5),
    sampling: "time",
    laws: Array.from({ length: PERIODS }, (_, period) => {
      const signal = 0.45 - (0.6 * period) / (PERIODS - 1);
      return binaryLaw(square, ([x1]) => 0.5 + (x1 >= 4 ? signal : -signal));
    }),
    shares: new Array(PERIODS).fill(1 / PERIODS),
  },
  "few values": {
    ...independent(line, () => 0.5),
    // Noise in values that may be absent from a small training set.
    laws: [
      lawOn(
        line,
        ([x1]) => (x1 >= 6 && x1 < 12 ? [0.5, 0.5] : [0.98, 0.02]),
        ([x1]) => RARER ** x1,
      ),
    ],
  },
  separable: independent(square, ([x1, x2]) => (x1 + x2 >= GRID - 1 ? 1 : 0)),
  "three classes": {
    sampling: "independent",
    classes: ["a", "b", "c"],
    support: square,
    laws: [
      lawOn(square, ([x1]) => {
        const likely = x1 < 3 ? 0 : x1 < 6 ? 1 : 2;
        return [0, 1, 2].map((c) => (c === likely ? 0.8 : 0.1));
      }),
    ],
    shares: [1],
  },
} as const satisfies Readonly<Record<string, Population>>;

/** A key of `populations`. */
export type PopulationName = keyof typeof populations;

/** The names of all populations, in the order of the tables. */
export const populationNames = Object.keys(populations).filter(
  (name): name is PopulationName => name in populations,
);

function independent(support: Table, chanceOfSecond: (x: readonly number[]) => number): Population {
  const laws = [binaryLaw(support, chanceOfSecond)];
  return { sampling: "independent", classes: ["no", "yes"], support, laws, shares: [1] };
}

function binaryLaw(support: Table, chanceOfSecond: (x: readonly number[]) => number): Float64Array {
  return lawOn(support, (x) => [1 - chanceOfSecond(x), chanceOfSecond(x)]);
}

/** Makes a law from class probabilities given the features, and weights of the features, equal by default. */
function lawOn(
  support: Table,
  chances: (x: readonly number[]) => readonly number[],
  weight: (x: readonly number[]) => number = () => 1,
): Float64Array {
  const columns = support.columns.map((column) =>
    column.kind === "numeric" ? denseValues(column.values) : column.codes,
  );
  const rows = Array.from({ length: support.rows }, (_, row) => columns.map((values) => values[row]));
  const total = rows.reduce((sum, x) => sum + weight(x), 0);
  return Float64Array.from(rows.flatMap((x) => chances(x).map((chance) => (chance * weight(x)) / total)));
}

/** Makes a table of all combinations of 0, 1, … size − 1, for each column. */
function gridTable(names: readonly string[], sizes: readonly number[]): Table {
  const rows = sizes.reduce((product, size) => product * size, 1);
  let step = rows;
  const columns = names.map((name, j): Column => {
    step /= sizes[j];
    const every = step;
    const values = Float64Array.from({ length: rows }, (_, row) => Math.floor(row / every) % sizes[j]);
    return { kind: "numeric", name, values };
  });
  return new Table("support", rows, columns);
}

/** Draws rows in the way of the population: independent, in groups, with copies, or period by period. */
export function drawRows(population: Population, rows: number, random: Random): DrawnRows {
  const { sampling, shares } = population;
  if (sampling === "groups") return drawGroups(population, rows, random);
  if (sampling === "copies") return drawCopies(population, rows, random);
  if (sampling === "independent") return drawnFrom(population, new Int32Array(rows), random);
  const lawOf = Int32Array.from({ length: rows }, (_, row) => Math.floor((row * shares.length) / rows));
  return drawnFrom(population, lawOf, random, [
    { kind: "numeric", name: "time", values: Float64Array.from(lawOf) },
  ]);
}

/** Draws whole groups with about the given number of rows in total. */
function drawGroups(population: Population, rows: number, random: Random): DrawnRows {
  const { shares } = population;
  const size = shares.reduce((sum, share, kind) => sum + share * GROUP_SIZES[kind], 0);
  const kinds = Array.from({ length: Math.round(rows / size) }, () => pick(shares, random));
  const lawOf = Int32Array.from(kinds.flatMap((kind) => new Array<number>(GROUP_SIZES[kind]).fill(kind)));
  const groups = kinds.flatMap((kind, group) => new Array<number>(GROUP_SIZES[kind]).fill(group));
  return drawnFrom(population, lawOf, random, [
    { kind: "numeric", name: "group", values: Float64Array.from(groups) },
  ]);
}

/** Draws independent rows, copies some of them, class included, and shuffles all. */
function drawCopies(population: Population, rows: number, random: Random): DrawnRows {
  const distinct = Math.round(rows * (1 - COPIES));
  const { table, lawOf, supportRow } = drawnFrom(population, new Int32Array(distinct), random);
  const copied = random.shuffle(Int32Array.from(lawOf.keys()));
  const order = random.shuffle(
    Int32Array.from({ length: rows }, (_, i) => (i < distinct ? i : copied[i - distinct])),
  );
  return {
    table: table.select(order),
    lawOf: order.map((row) => lawOf[row]),
    supportRow: order.map((row) => supportRow[row]),
  };
}

/** Draws features and class of each row from its law, and adds columns. */
function drawnFrom(
  { support, laws, classes }: Population,
  lawOf: Int32Array,
  random: Random,
  columns: readonly Column[] = [],
): DrawnRows {
  const sums = laws.map(cumulated);
  const cells = lawOf.map((law) => placeIn(sums[law], random.uniform()));
  const codes = cells.map((cell) => cell % classes.length);
  const supportRow = cells.map((cell) => Math.floor(cell / classes.length));
  const { columns: features } = support.select(supportRow);
  const label: Column = { kind: "categorical", name: "label", codes, levels: [...classes] };
  const table = new Table("drawn rows", lawOf.length, [...features, ...columns, label]);
  return { table, lawOf, supportRow };
}

function cumulated(probabilities: Float64Array): Float64Array {
  let sum = 0;
  return probabilities.map((probability) => {
    sum += probability;
    return sum;
  });
}

/** Finds the first entry whose cumulative probability exceeds u, by bisection. */
function placeIn(sums: Float64Array, u: number): number {
  const aim = u * sums[sums.length - 1];
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sums[middle] > aim) high = middle;
    else low = middle + 1;
  }
  return low;
}

function pick(shares: readonly number[], random: Random): number {
  return placeIn(cumulated(Float64Array.from(shares)), random.uniform());
}
