import type { Encoder } from "../encode/encoder.js";
import type { Model } from "../learners/model.js";
import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import { checkpoint, completeRun, type Run } from "../runtime/parallel/run.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type CategoricalColumn, cellText } from "../table/column.js";
import { evenRows } from "../table/even-rows.js";
import { Table } from "../table/table.js";
import { withoutWords, wordsOf } from "../table/words.js";

/** Maximum numbers of rows for counting words, of words to try, and of rows per word. */
const MAX_ROWS = 2000;
const MAX_WORDS = 60;
const ROWS_OF_WORD = 100;

/** Minimum number of texts with a word for a meaningful standard error. */
const MIN_ROWS = 5;

/** How a word changes the scores of the rows that contain it. */
export interface WordEffect {
  readonly word: string;
  /** Number of the measured rows that contain the word. */
  readonly rows: number;
  /** For each class, the mean score with the word minus the mean score without it. */
  readonly differences: readonly number[];
  /** Standard error of each difference, over the rows. */
  readonly se: readonly number[];
}

/** How the scores of a model depend on the words of a text column. */
export interface TextEffect {
  readonly column: string;
  /** The words in the most rows first. */
  readonly words: readonly WordEffect[];
}

/**
 * Measures the effect of words in a text column: the mean change of the scores when a word is removed from the texts
 * that contain it. Tries the 60 most frequent words that occur in at least five rows but not in all, each on at most
 * 100 rows.
 */
export async function wordEffects(
  model: Pick<Model, "scores" | "classes">,
  encoder: Encoder,
  table: Table,
  columns: readonly string[],
  partialRun?: Partial<Run>,
): Promise<TextEffect[]> {
  const run = completeRun(partialRun);
  const own = new Table(
    table.name,
    table.rows,
    encoder.schema.columns.map(({ name }) => table.column(name)),
  );
  const rows = own.select(evenRows(table.rows, MAX_ROWS));
  const effects: TextEffect[] = [];
  for (const name of columns) {
    const column = rows.column(name);
    if (column.kind !== "categorical") {
      throw new VouchError("option/invalid", `The column "${name}" of ${table.name} has no text.`);
    }
    const words: WordEffect[] = [];
    for (const [word, containing] of frequentWords(column)) {
      run.progress({ stage: "effects of words", done: words.length, total: MAX_WORDS });
      await checkpoint(run);
      words.push({ word, rows: containing.length, ...effectOf(word, rows.select(containing), column.name) });
    }
    effects.push({ column: name, words });
  }
  return effects;

  function effectOf(word: string, containing: Table, name: string): Pick<WordEffect, "differences" | "se"> {
    const few = containing.select(evenRows(containing.rows, ROWS_OF_WORD));
    const before = model.scores(encoder.encode(few));
    const after = model.scores(encoder.encode(few.withColumn(columnWithout(few, name, word))));
    const changes = model.classes.map((_, k) =>
      Array.from({ length: few.rows }, (_, i) => before.row(i)[k] - after.row(i)[k]),
    );
    return {
      differences: changes.map(mean),
      se: changes.map((own) => standardDeviation(own) / Math.sqrt(own.length)),
    };
  }
}

/** Lists words with the rows that contain them, most frequent first. */
function frequentWords(column: CategoricalColumn): [word: string, rows: number[]][] {
  const rowsOf = new Map<string, number[]>();
  let texts = 0;
  for (let i = 0; i < column.codes.length; i++) {
    if (column.codes[i] < 0) continue;
    texts++;
    for (const word of new Set(wordsOf(cellText(column, i)))) {
      const rows = rowsOf.get(word);
      if (rows) rows.push(i);
      else rowsOf.set(word, [i]);
    }
  }
  return [...rowsOf]
    .filter(([, rows]) => rows.length >= MIN_ROWS && rows.length < texts)
    .sort(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1))
    .slice(0, MAX_WORDS);
}

/** Returns a column of text without a word. */
function columnWithout(table: Table, name: string, word: string): CategoricalColumn {
  const column = table.column(name);
  if (column.kind !== "categorical") throw new TypeError(`The column "${name}" has no text.`);
  const levels = Array.from({ length: table.rows }, (_, i) =>
    withoutWords(wordsOf(cellText(column, i)), new Set([word])),
  );
  return { kind: "categorical", name, codes: Int32Array.from(levels.keys()), levels };
}
