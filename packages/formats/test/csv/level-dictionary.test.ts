import fc from "fast-check";
import { expect, test } from "vitest";
import { LevelDictionary } from "#formats/csv/level-dictionary.js";

test("numbers texts in order of appearance, as a Map does", () => {
  const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 300 }), (words) => {
      const dictionary = new LevelDictionary();
      const codeOf = new Map<string, number>();
      for (const text of words) {
        const bytes = Buffer.from(`<${text}>`);
        const code = dictionary.code(bytes, 1, bytes.length - 1);
        if (text === "?" || text === "NA") expect(code).toBe(-1);
        else {
          if (!codeOf.has(text)) codeOf.set(text, codeOf.size);
          expect(code).toBe(codeOf.get(text));
        }
      }
      expect(dictionary.levels).toEqual([...codeOf.keys()]);
    }),
    { seed: 3 },
  );
});

test("keeps apart what differs, however many there are", () => {
  const dictionary = new LevelDictionary();
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 50_000; i++) {
      const bytes = Buffer.from(`level ${i}`);
      expect(dictionary.code(bytes, 0, bytes.length)).toBe(i);
    }
  }
});
