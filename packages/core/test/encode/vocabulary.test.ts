import { describe, expect, it } from "vitest";
import { tfIdf } from "#core/encode/text-block.js";
import { countNgrams, fitVocabulary } from "#core/encode/vocabulary.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";

const column = (levels: readonly string[], codes = Int32Array.from(levels.keys())) => ({
  kind: "categorical" as const,
  name: "text",
  codes,
  levels,
});
const documents = ["the cat sat", "the cat ran", "a dog ran", "the dog sat on the cat"];

describe("fitVocabulary", () => {
  it("keeps what at least two documents have, and weighs it by inverse document frequency", () => {
    const found = runNow(fitVocabulary(column(documents), { most: 100, by: "frequency" }));
    const frequencies = { cat: 3, dog: 2, ran: 2, sat: 2, the: 3, "the cat": 3 };
    expect(found.map(({ text }) => text)).toEqual(Object.keys(frequencies));
    for (const { text, weight } of found) {
      const df = frequencies[text as keyof typeof frequencies];
      expect(weight).toBeCloseTo(1 + Math.log(5 / (1 + df)), 12);
    }
  });

  it("counts rows, not different texts, and leaves out words that all rows have", () => {
    const twice = column(["red sky", "red sea"], Int32Array.of(0, 0, 1, -1));
    const found = runNow(fitVocabulary(twice, { most: 100, by: "frequency" }));
    expect(found.map(({ text }) => text)).toEqual(["red sky", "sky"]);
  });

  it("prefers frequent n-grams, or those with the largest df · ln²(n/df)", () => {
    const words = ["all", "most", "some", "rare"];
    // Of 100 documents, 99 have "all", 60 "most", 14 "some" and 2 "rare".
    const texts = Array.from({ length: 100 }, (_, i) =>
      [99, 60, 14, 2].flatMap((df, w) => (i < df ? [words[w]] : [])).join(" "),
    );
    const best = (by: "frequency" | "contrast") =>
      runNow(fitVocabulary(column(texts), { most: 1, by })).map(({ text }) => text);
    expect(best("frequency")).toEqual(["all"]);
    // All of "some", "most some" and "some …" occur in 14 documents: the first in order of code units wins.
    expect(best("contrast")).toEqual(["most some"]);
  });

  it("finds the same as counting every pair", () => {
    const random = new Random(5);
    const texts = Array.from({ length: 200 }, () =>
      Array.from({ length: 12 }, () => `w${Math.floor(40 * random.uniform() ** 2)}`).join(" "),
    );
    const frequencies = new Map<string, number>();
    for (const text of texts) {
      const words = text.split(" ");
      const pairs = words.slice(1).map((word, i) => `${words[i]} ${word}`);
      for (const ngram of new Set([...words, ...pairs]))
        frequencies.set(ngram, (frequencies.get(ngram) ?? 0) + 1);
    }
    for (const by of ["frequency", "contrast"] as const) {
      const score = (df: number) => (by === "frequency" ? df : df * Math.log(200 / df) ** 2);
      for (const most of [5, 30, 100, 1000]) {
        const expected = [...frequencies]
          .filter(([, df]) => df >= 2 && df < 200)
          .sort(([a, df], [b, other]) => score(other) - score(df) || (a < b ? -1 : 1))
          .slice(0, most)
          .map(([text]) => text)
          .sort();
        const found = runNow(fitVocabulary(column(texts), { most, by })).map(({ text }) => text);
        expect(found).toEqual(expected);
      }
    }
  });

  it("stays within bounds with 100,000 different words, and gives the same result again", () => {
    const texts = Array.from(
      { length: 2000 },
      (_, i) => `common ${Array.from({ length: 100 }, (_, k) => `w${i * 50 + k}`).join(" ")} ${i}`,
    );
    const fit = () => runNow(fitVocabulary(column(texts), { most: 4096, by: "frequency" }));
    const found = fit();
    expect(found.length).toBe(4096);
    expect(fit()).toEqual(found);
  });

  it("finds nothing in empty texts", () => {
    expect(runNow(fitVocabulary(column(["", "", "!"]), { most: 10, by: "contrast" }))).toEqual([]);
  });
});

describe("countNgrams", () => {
  it("counts by hand, skips unseen words, and leaves texts without rows alone", () => {
    const vocabulary = ["cat", "dog", "the", "the cat"];
    const counted = runNow(countNgrams(column(documents, Int32Array.of(0, 3, -1)), vocabulary));
    const of = (level: number) =>
      Array.from(counted.indices.subarray(counted.starts[level], counted.starts[level + 1]), (index, k) => [
        vocabulary[index],
        counted.counts[counted.starts[level] + k],
      ]);
    expect(of(0)).toEqual([
      ["cat", 1],
      ["the", 1],
      ["the cat", 1],
    ]);
    expect(of(1)).toEqual([]);
    expect(of(3)).toEqual([
      ["cat", 1],
      ["dog", 1],
      ["the", 2],
      ["the cat", 1],
    ]);
    expect(Array.from(counted.lengths)).toEqual([Math.log(4), 0, 0, Math.log(7)]);
  });

  it("counts an emoji as a word", () => {
    const { indices, counts } = runNow(countNgrams(column(["😀 😀 good"]), ["good", "😀", "😀 😀"]));
    expect([...indices]).toEqual([0, 1, 2]);
    expect([...counts]).toEqual([1, 2, 1]);
  });
});

describe("tfIdf", () => {
  it("is (1 + ln c) · weight, scaled to norm 4", () => {
    const block = { column: 0, ngrams: ["cat", "the"], weights: Float64Array.of(2, 1.5) };
    const { starts, values } = runNow(tfIdf(column(["the the cat", "dog", "cat"]), block));
    expect([...starts]).toEqual([0, 2, 2, 3]);
    const [cat, the] = [2, (1 + Math.log(2)) * 1.5];
    expect(values[0]).toBeCloseTo((4 * cat) / Math.hypot(cat, the), 12);
    expect(values[1]).toBeCloseTo((4 * the) / Math.hypot(cat, the), 12);
    expect(values[2]).toBe(4);
  });
});
