import * as real from "../runtime/maths/portable-math.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import type { CategoricalColumn } from "../table/column.js";
import { evenRows } from "../table/even-rows.js";
import { wordsOf } from "../table/words.js";

/** Rows from which a vocabulary is taken; more hardly change it. */
const MOST_ROWS = 20_000;

/** Words, or pairs of words, that are counted at the same time; see `DocumentFrequencies`. */
const MOST_COUNTED = 2 ** 20;

/** Fewer documents than this make no n-gram worth a feature. */
const LEAST_DOCUMENTS = 2;

/** Texts between two pauses. */
const TEXTS_BETWEEN_PAUSES = 64;

/**
 * Numbers of documents that contain a word, or a pair of words. With more than 2²⁰ of them, those seen in the fewest documents are
 * forgotten (lossy counting: Manku and Motwani, 2002), so that memory is bounded; a count is too large by the number of times
 * that this happened, at most.
 */
class DocumentFrequencies<Key> {
  readonly counts = new Map<Key, number>();
  #forgotten = 0;

  /** Adds a document with these different words. */
  add(keys: ReadonlySet<Key>): void {
    for (const key of keys) this.counts.set(key, (this.counts.get(key) ?? this.#forgotten) + 1);
    while (this.counts.size > MOST_COUNTED) this.#forget();
  }

  #forget(): void {
    this.#forgotten++;
    for (const [key, count] of this.counts) if (count <= this.#forgotten) this.counts.delete(key);
  }
}

/** An n-gram, a word or two words with a space, and its weight: 1 + ln((1 + n)/(1 + df)) if df of n documents have it. */
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
 * Chooses the words and pairs of adjacent words of a column that are features, from its cells alone: those in at least two
 * documents, but not in all. "frequency" prefers those in many documents. "contrast" prefers a large df · ln²(n/df), the squared
 * weight of an n-gram over all documents: neither words that nearly all documents have nor words of a few documents.
 *
 * A pair is in no more documents than its words. So only pairs of words are counted that are frequent enough for the pair to be
 * among the best (as in Apriori: Agrawal and Srikant, 1994), which are few.
 */
export function* fitVocabulary(
  { codes, levels }: CategoricalColumn,
  { most, by }: VocabularyLimits,
): Pausable<Ngram[]> {
  const present = codes.filter((code) => code >= 0);
  const documents = Array.from(evenRows(present.length, MOST_ROWS), (row) => levels[present[row]]);
  const n = documents.length;
  const score = (df: number) => (by === "frequency" ? df : df * real.log(n / df) ** 2);
  const words = yield* frequenciesOf(documents, (text) => new Set(wordsOf(text)));
  const least = leastFrequency(words, most, n, score);
  const known = new Map(words.filter(([, df]) => df >= least).map(([word], id) => [word, id]));
  const names = [...known.keys()];
  const pairs = yield* frequenciesOf(documents, (text) => pairsOf(wordsOf(text), known));
  const named = pairs.map(([pair, df]): [string, number] => [pairText(pair, names), df]);
  return [...words, ...named]
    .filter(([, df]) => df >= LEAST_DOCUMENTS && df < n)
    .map(([text, df]) => ({ text, df, score: score(df) }))
    .sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
    .slice(0, most)
    .map(({ text, df }) => ({ text, weight: 1 + real.log((1 + n) / (1 + df)) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
}

function* frequenciesOf<Key>(
  documents: readonly string[],
  keysOf: (text: string) => Set<Key>,
): Pausable<[Key, number][]> {
  const frequencies = new DocumentFrequencies<Key>();
  for (const [i, text] of documents.entries()) {
    frequencies.add(keysOf(text));
    if (i % TEXTS_BETWEEN_PAUSES === 0) yield;
  }
  return [...frequencies.counts];
}

/** Finds the smallest frequency with which an n-gram can be among the best: then its score is that of the last word among them. */
function leastFrequency(
  words: readonly (readonly [string, number])[],
  most: number,
  n: number,
  score: (df: number) => number,
): number {
  const scores = words.flatMap(([, df]) => (df >= LEAST_DOCUMENTS && df < n ? [score(df)] : []));
  if (scores.length < most) return LEAST_DOCUMENTS;
  const last = Float64Array.from(scores).sort()[scores.length - most];
  let least = LEAST_DOCUMENTS;
  while (least < n && score(least) < last) least++;
  return least;
}

/** Lists the different pairs of adjacent words that are known, each as one number. */
function pairsOf(words: readonly string[], known: ReadonlyMap<string, number>): Set<number> {
  const pairs = new Set<number>();
  let before: number | undefined;
  for (const word of words) {
    const id = known.get(word);
    if (before !== undefined && id !== undefined) pairs.add(before * known.size + id);
    before = id;
  }
  return pairs;
}

function pairText(pair: number, names: readonly string[]): string {
  return `${names[Math.floor(pair / names.length)]} ${names[pair % names.length]}`;
}

/** How often the n-grams of a vocabulary occur in each level of a column, in compressed sparse rows. */
interface NgramCounts {
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
): Pausable<NgramCounts> {
  const lookup = new NgramLookup(vocabulary);
  const used = new Uint8Array(levels.length);
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) used[codes[i]] = 1;
  const starts = new Int32Array(levels.length + 1);
  const lengths = new Float64Array(levels.length);
  const indices: number[] = [];
  const counts: number[] = [];
  for (const [level, text] of levels.entries()) {
    if (used[level] === 1) {
      const words = wordsOf(text);
      const found = lookup.count(words);
      lengths[level] = real.log1p(words.length);
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

/** Finds words and pairs of words in a vocabulary, without making the text of every pair. */
class NgramLookup {
  readonly #idOf = new Map<string, number>();
  /** Index of a word in the vocabulary, by its number. */
  readonly #words = new Map<number, number>();
  /** Index of a pair in the vocabulary, by the number of its second word, then of its first. */
  readonly #pairs = new Map<number, Map<number, number>>();

  constructor(vocabulary: readonly string[]) {
    vocabulary.forEach((ngram, index) => {
      const ids = ngram.split(" ").map((word) => this.#id(word));
      if (ids.length === 1) this.#words.set(ids[0], index);
      if (ids.length !== 2) return;
      const seconds = this.#pairs.get(ids[1]) ?? new Map<number, number>();
      this.#pairs.set(ids[1], seconds.set(ids[0], index));
    });
  }

  /** Counts the n-grams of the vocabulary among words, by index. */
  count(words: readonly string[]): Map<number, number> {
    const found = new Map<number, number>();
    const add = (index: number | undefined) => {
      if (index !== undefined) found.set(index, (found.get(index) ?? 0) + 1);
    };
    let before: number | undefined;
    for (const word of words) {
      const id = this.#idOf.get(word);
      if (id !== undefined) {
        add(this.#words.get(id));
        if (before !== undefined) add(this.#pairs.get(id)?.get(before));
      }
      before = id;
    }
    return found;
  }

  #id(word: string): number {
    const id = this.#idOf.get(word) ?? this.#idOf.size;
    this.#idOf.set(word, id);
    return id;
  }
}
