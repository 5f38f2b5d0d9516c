import type { Steps } from "../runtime/steps.js";
import type { CategoricalColumn } from "../table/column.js";
import { evenRows } from "../table/splits.js";
import { wordsOf } from "../table/words.js";

/** Rows from which a vocabulary is taken; more hardly change it. */
const MOST_ROWS = 50_000;

/** N-grams that are counted at the same time; see `DocumentFrequencies`. */
const MOST_COUNTED = 2 ** 20;

/** Fewer documents than this make no n-gram worth a feature. */
const LEAST_DOCUMENTS = 2;

/** Texts between two pauses. */
export const TEXTS_BETWEEN_PAUSES = 64;

/** Lists the words of a text and its pairs of adjacent words, in order. */
export function ngramsOf(text: string): string[] {
  const words = wordsOf(text);
  const ngrams = words.slice();
  for (let i = 1; i < words.length; i++) ngrams.push(`${words[i - 1]} ${words[i]}`);
  return ngrams;
}

/**
 * Numbers of documents that contain n-grams. With more than 2²⁰ of them, those seen in the fewest documents are forgotten
 * (lossy counting: Manku and Motwani, 2002), so that memory is bounded; a frequent n-gram loses at most a few documents.
 */
class DocumentFrequencies {
  readonly counts = new Map<string, number>();
  #forgotten = 0;

  add(ngrams: Iterable<string>): void {
    for (const ngram of new Set(ngrams))
      this.counts.set(ngram, (this.counts.get(ngram) ?? this.#forgotten) + 1);
    while (this.counts.size > MOST_COUNTED) this.#forget();
  }

  #forget(): void {
    this.#forgotten++;
    for (const [ngram, count] of this.counts) if (count <= this.#forgotten) this.counts.delete(ngram);
  }
}

/** An n-gram, and its weight: the inverse document frequency 1 + ln((1 + n)/(1 + df)) over n documents. */
export interface Ngram {
  readonly text: string;
  readonly weight: number;
}

/** Which n-grams are features: the most frequent ones, or the most telling ones if there can be only a few. */
export interface VocabularyLimits {
  readonly most: number;
  readonly by: "frequency" | "contrast";
}

/**
 * Chooses the n-grams of a column that are features, from its cells alone: those in at least two documents, but not in all.
 * "frequency" prefers those in many documents. "contrast" prefers a large df · ln²(n/df), the squared weight of an n-gram over
 * all documents: neither words that nearly all documents have nor words of a few documents.
 */
export function* fitVocabulary(
  { codes, levels }: CategoricalColumn,
  { most, by }: VocabularyLimits,
): Steps<Ngram[]> {
  const rows = Int32Array.from(codes.keys()).filter((row) => codes[row] >= 0);
  const frequencies = new DocumentFrequencies();
  const looked = evenRows(rows.length, MOST_ROWS);
  for (let i = 0; i < looked.length; i++) {
    frequencies.add(ngramsOf(levels[codes[rows[looked[i]]]]));
    if (i % TEXTS_BETWEEN_PAUSES === 0) yield;
  }
  const n = looked.length;
  const score = (df: number) => (by === "frequency" ? df : df * Math.log(n / df) ** 2);
  return [...frequencies.counts]
    .filter(([, df]) => df >= LEAST_DOCUMENTS && df < n)
    .sort(([a, df], [b, other]) => score(other) - score(df) || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([text, df]) => ({ text, weight: 1 + Math.log((1 + n) / (1 + df)) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
}

/** How often the n-grams of a vocabulary occur in each level of a column, in compressed sparse rows. */
export interface NgramCounts {
  /** Level l has the entries [starts[l], starts[l + 1]). */
  readonly starts: Int32Array;
  /** Ascending within a level. */
  readonly indices: Int32Array;
  readonly counts: Int32Array;
  /** ln(1 + number of words) of each level. */
  readonly lengths: Float64Array;
}

/** Counts n-grams in the levels that occur; the others have none. */
export function* countNgrams(
  { codes, levels }: CategoricalColumn,
  vocabulary: readonly string[],
): Steps<NgramCounts> {
  const indexOf = new Map(vocabulary.map((ngram, index) => [ngram, index]));
  const used = new Uint8Array(levels.length);
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) used[codes[i]] = 1;
  const starts = new Int32Array(levels.length + 1);
  const lengths = new Float64Array(levels.length);
  const indices: number[] = [];
  const counts: number[] = [];
  for (const [level, text] of levels.entries()) {
    if (used[level] === 1) {
      const found = new Map<number, number>();
      const ngrams = ngramsOf(text);
      // n words have n − 1 pairs.
      lengths[level] = Math.log1p(Math.ceil(ngrams.length / 2));
      for (const ngram of ngrams) {
        const index = indexOf.get(ngram);
        if (index !== undefined) found.set(index, (found.get(index) ?? 0) + 1);
      }
      for (const index of [...found.keys()].sort((a, b) => a - b)) {
        indices.push(index);
        counts.push(found.get(index) ?? 0);
      }
      if (level % TEXTS_BETWEEN_PAUSES === 0) yield;
    }
    starts[level + 1] = indices.length;
  }
  return { starts, indices: Int32Array.from(indices), counts: Int32Array.from(counts), lengths };
}
