import type { BinnedColumns } from "@vouch/core/internal/encode/binned-columns";
import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { Sample } from "@vouch/core/internal/encode/sample";
import type { Learner } from "@vouch/core/internal/learners/learner";
import type { Model } from "@vouch/core/internal/learners/model";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { type Column, numberAt } from "@vouch/core/internal/table/column";
import { stratifiedHoldout } from "@vouch/core/internal/table/splits";
import { Table } from "@vouch/core/internal/table/table";
import type { Target } from "@vouch/core/internal/table/target";
import {
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  selectRows,
} from "@vouch/core/internal/table/target";
import { loadDataset } from "@vouch/datasets";
import { localOn } from "./contestants.js";
import type { Contestant } from "./race.js";

/** Training rows, test rows, and enough rows to time predictions. */
export interface Parts<Rows> {
  readonly train: Rows;
  readonly test: Rows;
  readonly query: Rows;
}

/** A data set prepared for forests. */
export interface ForestWork {
  /** Name and size. */
  readonly name: string;
  readonly classes: readonly string[];
  readonly labels: Parts<Int32Array>;
  /** Bins the training rows, and other parts on demand; included in the timing. */
  bin(): BinnedParts;
  /** Rows for scikit-learn: numbers only. */
  readonly numeric: Parts<Matrix>;
  /** Rows for ranger: the same, or categories as codes from 1. */
  readonly coded: Parts<Matrix>;
  /** Number of categories of each column of `coded`; 0 for numbers. */
  readonly categories: readonly number[];
}

/** Binned training rows, and other parts on demand. */
interface BinnedParts {
  readonly train: BinnedColumns;
  other(part: "test" | "query"): BinnedColumns;
}

/** The parts of a data set before encoding. */
interface RawParts {
  readonly name: string;
  readonly train: Labelled;
  readonly test: LabelledRows;
  readonly query: LabelledRows;
}

/** Number of rows for timing predictions. */
export const QUERIES = 10_000;

/**
 * Loads the official parts of a data set, with at most the first `most` training rows. Without official parts, a
 * stratified 30% of the rows is the test part. Test rows are repeated to make the queries.
 */
export async function loadParts(name: string, most = Infinity): Promise<RawParts> {
  const { train: table, test: official, entry } = await loadDataset(name);
  const rows = Math.min(table.rows, most);
  const data = labelled(rows < table.rows ? table.select(cycle(rows, rows)) : table, entry.target);
  const { train, test } = official ? { train: data, test: labelsFor(official, data) } : randomParts(data);
  return { name, train, test, query: selectRows(test, cycle(QUERIES, test.labels.length)) };
}

function randomParts(data: Labelled): { train: Labelled; test: LabelledRows } {
  const { train, test } = stratifiedHoldout(data.labels, 0.3, 1);
  return { train: selectRows(data, train), test: selectRows(data, test) };
}

/** Encodes all features as numbers, with one 0/1 feature per category, the same for all contestants. */
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

/** Encodes categories as suits each contestant: unchanged, one-hot for scikit-learn, codes for ranger. */
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

/** Makes a sample of the binned training rows. */
export function binnedSample(
  { labels, classes }: ForestWork,
  { train: features }: BinnedParts,
): Sample<BinnedColumns> {
  return new Sample({ features, labels: labels.train, classes });
}

/** Returns the values of a matrix by columns, the layout of raw data in vouch. */
export function columnsOf({ rows, columns, values }: Matrix): Float32Array {
  const turned = new Float32Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = values[i * columns + j];
  }
  return turned;
}

/** Makes a table of values by columns. */
export function tableOf(
  values: Float32Array,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Table {
  const each = Array.from({ length: columns }, (_, j): Column => {
    return { kind: "numeric", name: `x${j + 1}`, values: values.subarray(j * rows, (j + 1) * rows) };
  });
  return new Table("numbers", rows, each);
}

/** Bins the columns of tables. */
function binned(tables: Parts<Table>, target: Target): BinnedParts {
  const encoder = fitEncoder(tables.train, target, { kind: "binned", maxBins: 255 });
  return { train: encoder.encode(tables.train), other: (part) => encoder.encode(tables[part]) };
}

/** Computes the accuracy in per cent. */
export function accuracyPercent(predictions: Int32Array, labels: Int32Array): number {
  return (100 * (labels.length - countErrors(predictions, labels))) / labels.length;
}

/** Creates a contestant that bins and trains with a vouch learner; the accuracy is computed outside the timing. */
export function trainForestWork(
  work: ForestWork,
  learner: Learner<Model<BinnedColumns>, BinnedColumns>,
  threads: number,
): Contestant {
  return localOn(
    "vouch",
    threads,
    async (executor) => {
      const binned = work.bin();
      const model = await learner.fit(binnedSample(work, binned), { executor, seed: 1 });
      return { model, binned };
    },
    ({ model, binned }) => ({
      "accuracy %": accuracyPercent(model.predict(binned.other("test")), work.labels.test),
    }),
  );
}

function describe(parts: RawParts): Pick<ForestWork, "classes" | "labels"> {
  return { classes: parts.train.classes, labels: eachPart(parts, ({ labels }) => labels) };
}

/** Encodes in single precision, which scikit-learn's trees accept without a copy. */
function numericParts(parts: RawParts): Parts<Matrix> {
  const encoding = { kind: "numeric", standardise: false, precision: "f32" } as const;
  const encoder = fitEncoder(parts.train.features, parts.train, encoding);
  return eachPart(parts, ({ features }) => encoder.encode(features));
}

/** Keeps numbers, and codes categories by their bins from 1; the last code is for missing and unknown cells. */
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
            ? numberAt(column.values, i)
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

/** Counts 0, 1, … up to `from`, then again from 0; `length` numbers in total. */
function cycle(length: number, from: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => i % from);
}
