import { loadDataset } from "@vouch/datasets";
import {
  type Column,
  formatNumber,
  holdout,
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  Table,
} from "vouch";
import { type BinnedColumns, fitEncoder, Matrix, Sample, type Target } from "vouch/learning";

/** Rows to train on and to test on, and rows enough to time their prediction. */
export interface Parts<Rows> {
  readonly train: Rows;
  readonly test: Rows;
  readonly query: Rows;
}

/** One form of a data set that forests are grown on. */
export interface ForestWork {
  /** With its size. */
  readonly name: string;
  readonly classes: readonly string[];
  readonly labels: Parts<Int32Array>;
  /** Bins the training rows and gives a way to bin the others: part of the work that is timed. */
  bin(): BinnedParts;
  /** What scikit-learn gets: numbers only. */
  readonly numeric: Parts<Matrix>;
  /** What ranger gets: the same, or categories as codes from 1. */
  readonly coded: Parts<Matrix>;
  /** How many categories each column of `coded` has; 0 for numbers. */
  readonly categories: readonly number[];
}

/** The training rows in bins, and the others as they are wanted. */
export interface BinnedParts {
  readonly train: BinnedColumns;
  other(part: "test" | "query"): BinnedColumns;
}

/** What is known of a data set before a form is chosen. */
export interface RawParts {
  readonly name: string;
  readonly train: Labelled;
  readonly test: LabelledRows;
  readonly query: LabelledRows;
}

/** How many rows are predicted where prediction is timed. */
export const QUERIES = 10_000;

/**
 * The official parts of a data set, of the training part at most the first `most` rows; where there are none, a random
 * 30 % of the rows of each class are the test part. Test rows repeat to make the queries.
 */
export async function loadParts(name: string, most = Infinity): Promise<RawParts> {
  const { train: table, test: official, entry } = await loadDataset(name);
  const rows = Math.min(table.rows, most);
  const data = labelled(rows < table.rows ? table.select(cycle(rows, rows)) : table, entry.target);
  const { train, test } = official ? { train: data, test: labelsFor(official, data) } : randomParts(data);
  return { name, train, test, query: select(test, cycle(QUERIES, test.labels.length)) };
}

function randomParts(data: Labelled): { train: Labelled; test: LabelledRows } {
  const { train, test } = holdout(data.labels, 0.3, 1);
  return { train: select(data, train), test: select(data, test) };
}

function select<Rows extends LabelledRows>(from: Rows, rows: Int32Array): Rows {
  return { ...from, features: from.features.select(rows), labels: rows.map((row) => from.labels[row]) };
}

/** All features as numbers, one 0/1 feature for each category: the same numbers for everyone. */
export function numericWork(parts: RawParts): ForestWork {
  const numeric = numericParts(parts);
  const tables = eachPart(numeric, (matrix) => tableOf(columnsOf(matrix), matrix));
  return {
    ...describe(parts),
    name: `${parts.name}, ${size(numeric.train)}`,
    bin: () => binned(tables, parts.train),
    numeric,
    coded: numeric,
    categories: [0],
  };
}

/** Categories as everyone takes them best: as they are, one-hot for scikit-learn, codes for ranger. */
export function categoriesWork(parts: RawParts): ForestWork {
  const numeric = numericParts(parts);
  const tables = eachPart(parts, ({ features }) => features);
  const bin = () => binned(tables, parts.train);
  const { train, other } = bin();
  return {
    ...describe(parts),
    name: `${parts.name}, ${size(train)} with categories (${numeric.train.columns} columns for scikit-learn)`,
    bin,
    numeric,
    coded: {
      train: coded(tables.train, train),
      test: coded(tables.test, other("test")),
      query: coded(tables.query, other("query")),
    },
    categories: train.features.map((feature) =>
      feature.kind === "categorical" ? feature.levels.length + 1 : 0,
    ),
  };
}

/** The training rows in bins, labelled. */
export function trainingSample(
  { labels, classes }: ForestWork,
  { train: features }: BinnedParts,
): Sample<BinnedColumns> {
  return new Sample({ features, labels: labels.train, classes });
}

/** A matrix column after column, which is how vouch holds raw data. */
export function columnsOf({ rows, columns, values }: Matrix): Float32Array {
  const turned = new Float32Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = values[i * columns + j];
  }
  return turned;
}

/** Raw columns that lie one after the other. */
export function tableOf(
  values: Float32Array,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Table {
  const each = Array.from({ length: columns }, (_, j): Column => {
    return { kind: "numeric", name: `x${j + 1}`, values: values.subarray(j * rows, (j + 1) * rows) };
  });
  return new Table("numbers", rows, each);
}

/** Bins the columns of a table, as fast as it goes from there to what trees take. */
export function binned(tables: Parts<Table>, target: Target): BinnedParts {
  const encoder = fitEncoder(tables.train, target, { kind: "binned", maxBins: 255 });
  return { train: encoder.encode(tables.train), other: (part) => encoder.encode(tables[part]) };
}

function describe(parts: RawParts): Pick<ForestWork, "classes" | "labels"> {
  return { classes: parts.train.classes, labels: eachPart(parts, ({ labels }) => labels) };
}

/** In single precision, which is what scikit-learn's trees take without a copy. */
function numericParts(parts: RawParts): Parts<Matrix> {
  const encoding = { kind: "numeric", standardise: false, precision: "f32" } as const;
  const encoder = fitEncoder(parts.train.features, parts.train, encoding);
  return eachPart(parts, ({ features }) => encoder.encode(features));
}

/** Numbers as they are; categories by their bins, counted from 1, with a last code for missing and unknown cells. */
function coded(table: Table, binned: BinnedColumns): Matrix {
  const { rows, columns, features } = binned;
  const matrix = new Matrix(rows, columns, new Float32Array(rows * columns));
  features.forEach((feature, j) => {
    const column = table.column(feature.name);
    const bins = binned.column(j);
    for (let i = 0; i < rows; i++) {
      matrix.values[i * columns + j] =
        feature.kind === "categorical"
          ? Math.min(bins[i], feature.levels.length) + 1
          : column.kind === "numeric"
            ? column.values[i]
            : Number.NaN;
    }
  });
  return matrix;
}

function eachPart<From, To>(parts: Parts<From>, make: (rows: From) => To): Parts<To> {
  return { train: make(parts.train), test: make(parts.test), query: make(parts.query) };
}

function size({ rows, columns }: { rows: number; columns: number }): string {
  return `${formatNumber(rows)} × ${formatNumber(columns)}`;
}

/** 0, 1, … up to `from`, then again from 0, `length` numbers in all. */
function cycle(length: number, from: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => i % from);
}
