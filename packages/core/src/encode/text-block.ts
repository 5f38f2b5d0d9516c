import * as z from "zod";
import { checked, object, type PartsOf, sized } from "../runtime/codec/parts.js";
import { nonNegativeInteger } from "../runtime/codec/schema-numbers.js";
import { float64 } from "../runtime/codec/tensor-parts.js";
import { Matrix } from "../runtime/maths/matrix.js";
import * as real from "../runtime/maths/portable-math.js";
import { SparseRows } from "../runtime/maths/sparse-rows.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import type { CategoricalColumn } from "../table/column.js";
import { countNgrams } from "./vocabulary.js";

const fields = {
  /** Index of the raw column in the schema. */
  column: nonNegativeInteger,
  ngrams: sized("ngrams", z.array(z.string()).min(1).readonly()),
  /** Inverse document frequency of each n-gram. */
  weights: float64(["ngrams"], { min: 0, max: 1e3 }),
};

/** The n-grams of a column of text that are features of sparse rows. */
export type TextBlock = PartsOf<typeof fields>;

/** Codec of a block. */
export const textBlockPart = checked(object(fields), ({ ngrams }) =>
  new Set(ngrams).size === ngrams.length ? undefined : "n-grams repeat",
);

/**
 * The Euclidean norm of the n-grams of a text. Standardised columns have a mean square of 1, so a text counts as much as 16 of
 * them: with norm 1, learners that penalise weights would hardly look at texts.
 */
const TEXT_NORM = 4;

/** Sparse rows in the making: the entries of each level of a column. */
interface LevelRows {
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;
}

/**
 * Computes tf-idf of the levels of a column: an n-gram that a text has c times gets (1 + ln c) times its weight, and all values of
 * a text are scaled to the same Euclidean norm, so that long and short texts count alike (Salton and Buckley, 1988).
 */
export function* tfIdf(column: CategoricalColumn, { ngrams, weights }: TextBlock): Pausable<LevelRows> {
  const { starts, indices, counts } = yield* countNgrams(column, ngrams);
  const values = new Float64Array(indices.length);
  for (let level = 0; level + 1 < starts.length; level++) {
    let squares = 0;
    for (let e = starts[level]; e < starts[level + 1]; e++) {
      values[e] = (1 + real.log(counts[e])) * weights[indices[e]];
      squares += values[e] ** 2;
    }
    const factor = squares > 0 ? TEXT_NORM / Math.sqrt(squares) : 0;
    for (let e = starts[level]; e < starts[level + 1]; e++) values[e] *= factor;
  }
  return { starts, indices, values };
}

/** Joins features that are not zero with the n-grams of texts to sparse rows. */
export function* joinBlocks(
  others: Matrix | SparseRows | undefined,
  rows: number,
  blocks: readonly { readonly column: CategoricalColumn; readonly block: TextBlock }[],
): Pausable<SparseRows> {
  const left = others instanceof SparseRows ? others : SparseRows.fromMatrix(others ?? new Matrix(rows, 0));
  yield;
  const levels: LevelRows[] = [];
  for (const { column, block } of blocks) levels.push(yield* tfIdf(column, block));
  const codes = blocks.map(({ column }) => column.codes);
  const starts = new Int32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    let entries = left.starts[i + 1] - left.starts[i];
    for (const [b, own] of levels.entries()) entries += lengthOf(own, codes[b][i]);
    starts[i + 1] = starts[i] + entries;
  }
  const indices = new Int32Array(starts[rows]);
  const values = new Float64Array(starts[rows]);
  for (let i = 0; i < rows; i++) {
    let next = starts[i];
    for (let e = left.starts[i]; e < left.starts[i + 1]; e++) {
      indices[next] = left.indices[e];
      values[next++] = left.values[e];
    }
    let offset = left.columns;
    for (const [b, own] of levels.entries()) {
      const code = codes[b][i];
      for (let e = code < 0 ? 0 : own.starts[code]; code >= 0 && e < own.starts[code + 1]; e++) {
        indices[next] = offset + own.indices[e];
        values[next++] = own.values[e];
      }
      offset += blocks[b].block.ngrams.length;
    }
  }
  yield;
  return new SparseRows(
    rows,
    blocks.reduce((sum, { block }) => sum + block.ngrams.length, left.columns),
    {
      starts,
      indices,
      values,
    },
  );
}

function lengthOf({ starts }: LevelRows, code: number): number {
  return code < 0 ? 0 : starts[code + 1] - starts[code];
}
