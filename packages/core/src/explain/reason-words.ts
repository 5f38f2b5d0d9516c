import type { Encoder } from "../encode/encoder.js";
import type { Model } from "../learners/model.js";
import * as real from "../runtime/maths/portable-math.js";
import { runNow } from "../runtime/parallel/pausable.js";
import { checkpoint, type Run } from "../runtime/parallel/run.js";
import { type CategoricalColumn, type Column, cellText } from "../table/column.js";
import { SchemaMatch } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import { withoutWords, wordsOf } from "../table/words.js";
import { explainedScores } from "./shapley-values.js";

/** Maximum number of words, or groups of words, of a text to try at a time. */
const MOST_TRIED = 32;

/** Maximum number of words per text to keep. */
const MOST_KEPT = 3;

/** Smaller effects are rounding errors. */
const LEAST = 1e-9;

/** Rows whose words are tried between two pauses. */
const ROWS_AT_ONCE = 32;

/** How much a word of a text changes the score of a class. */
export interface ReasonWord {
  readonly word: string;
  /** The score of the row minus the score of the row without the word. */
  readonly contribution: number;
}

/** Rows to explain, rows to compare them with, and the class of each row whose score is explained. */
interface ExplainedRows {
  readonly rows: Table;
  readonly background: Table;
  readonly classes: Int32Array;
}

/**
 * Finds up to three words that decide the text of each given row: those whose removal changes the score most, strongest
 * first. Ties go to the word with more contrast among the background texts, so that stop words come last. A text with
 * more than 32 known words is searched in two rounds: first 32 groups of words, then the words of the strongest groups.
 */
export async function reasonWords(
  model: Model,
  encoder: Encoder,
  { rows, background, classes }: ExplainedRows,
  asked: { readonly column: string; readonly rows: readonly number[] },
  run: Run,
): Promise<Map<number, ReasonWord[]>> {
  const column = rows.column(asked.column);
  const found = new Map<number, ReasonWord[]>();
  if (column.kind === "numeric") return found;
  const known = knownWords(encoder, asked.column);
  const contrast = contrastAmong(background.column(asked.column));
  for (let from = 0; from < asked.rows.length; from += ROWS_AT_ONCE) {
    await checkpoint(run);
    const texts = asked.rows.slice(from, from + ROWS_AT_ONCE).map((row) => {
      const words = wordsOf(column.codes[row] < 0 ? "" : cellText(column, row));
      const candidates = [...new Set(words)].filter((word) => known.has(word));
      return { row, words, candidates: candidates.sort((a, b) => contrast(b) - contrast(a)) };
    });
    const long = texts.filter(({ candidates }) => candidates.length > MOST_TRIED);
    const groups = long.map((text) => ({ ...text, removed: groupsOf(text.candidates) }));
    for (const [t, effects] of effectsOf(groups).entries()) {
      const strong = new Set(byEffect(groups[t].removed, effects).flat().slice(0, MOST_TRIED));
      long[t].candidates = long[t].candidates.filter((word) => strong.has(word));
    }
    const single = texts.map((text) => ({ ...text, removed: text.candidates.map((word) => [word]) }));
    for (const [t, effects] of effectsOf(single).entries()) {
      const { row, candidates } = texts[t];
      const all = candidates.map((word, w) => ({ word, contribution: effects[w] }));
      const strongest = byEffect(all, effects).filter(({ contribution }) => Math.abs(contribution) > LEAST);
      found.set(row, strongest.slice(0, MOST_KEPT));
    }
  }
  return found;

  /** Computes how much the score of each text falls without each group of words. */
  function effectsOf(texts: readonly ShortenedText[]): number[][] {
    if (texts.length === 0) return [];
    const variants = texts.flatMap(({ row, words, removed }) =>
      [[], ...removed].map((group) => ({ row, text: withoutWords(words, new Set(group)) })),
    );
    const changed: CategoricalColumn = {
      kind: "categorical",
      name: asked.column,
      codes: Int32Array.from(variants.keys()),
      levels: variants.map(({ text }) => text),
    };
    const copies = rows.select(variants.map(({ row }) => row)).withColumn(changed);
    // Copies of single rows need not resemble a whole table, so the match is not checked.
    const features = runNow(encoder.encodeInSteps(copies, new SchemaMatch(encoder.schema)));
    const classOf = Int32Array.from(variants, ({ row }) => classes[row]);
    const scores = explainedScores(model, features, classOf, encoder);
    let next = 0;
    return texts.map(({ removed }) => {
      const own = scores[next++];
      return removed.map(() => own - scores[next++]);
    });
  }
}

/** A row's text, and the groups of words to remove from it. */
interface ShortenedText {
  readonly row: number;
  readonly words: readonly string[];
  readonly removed: readonly (readonly string[])[];
}

function groupsOf(words: readonly string[]): string[][] {
  const size = Math.ceil(words.length / MOST_TRIED);
  const count = Math.ceil(words.length / size);
  return Array.from({ length: count }, (_, g) => words.slice(g * size, (g + 1) * size));
}

/** Orders items by the size of their effects; effects that differ only by rounding are equal. */
function byEffect<T>(items: readonly T[], effects: readonly number[]): T[] {
  const sizes = effects.map((effect) => Number(Math.abs(effect).toPrecision(6)));
  const order = Array.from(items.keys()).sort((a, b) => sizes[b] - sizes[a]);
  return order.map((i) => items[i]);
}

/** Lists the words of a text column that have features, alone or in a pair. */
function knownWords({ featureNames, featureColumns, schema }: Encoder, column: string): Set<string> {
  const start = `${column} "`;
  const ngrams = featureNames.filter(
    (name, j) => schema.columns[featureColumns[j]]?.name === column && name.startsWith(start),
  );
  return new Set(ngrams.flatMap((name) => name.slice(start.length, -1).split(" ")));
}

/**
 * Returns a function that computes the contrast of words among texts, p · ln² p for the share p of texts: see
 * `fitVocabulary`.
 */
function contrastAmong(column: Column): (word: string) => number {
  const frequencies = new Map<string, number>();
  const texts = column.kind === "numeric" ? [] : column.codes.filter((code) => code >= 0);
  for (const code of texts) {
    const text = column.kind === "numeric" ? "" : column.levels[code];
    for (const word of new Set(wordsOf(text))) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  return (word) => {
    const share = ((frequencies.get(word) ?? 0) + 0.5) / (texts.length + 1);
    return share * real.log(share) ** 2;
  };
}
