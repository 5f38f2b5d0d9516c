import { describe, expect, it } from "vitest";
import { countProseWords, MOST_LETTERS_READ, wordsOf } from "#core/table/words.js";

describe("wordsOf", () => {
  it.each([
    ["Don't panic!", ["don't", "panic"]],
    ["Ça coûte 3,50 €", ["ça", "coûte", "3", "50"]],
    ["naïve NAÏVE", ["naïve", "naïve"]],
    ["Ｆｕｌｌ width", ["full", "width"]],
    ["je t’aime", ["je", "t'aime"]],
    ["I ♥ it 😀😀", ["i", "♥", "it", "😀", "😀"]],
    ["東京は好き", ["東", "京", "は", "好", "き"]],
    ["Привет, МИР", ["привет", "мир"]],
    ["e-mail_address", ["e", "mail", "address"]],
    ["", []],
    [" … !! ", []],
  ])("reads %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("cuts long words and long texts", () => {
    expect(wordsOf("x".repeat(1e6))).toEqual(["x".repeat(40)]);
    expect(wordsOf("ab ".repeat(1e6)).length).toBe(Math.ceil(MOST_LETTERS_READ / 3));
  });

  it("gives composed and decomposed letters the same word", () => {
    expect(wordsOf("caf\u0065\u0301")).toEqual(wordsOf("café"));
  });
});

describe("countProseWords", () => {
  it.each([
    ["one two three", 3],
    ["  Mr. John   Smith ", 3],
    ["2024-03-01 12:00", 0],
    ["550e8400-e29b-41d4-a716-446655440000", 1],
    ["12 Main Street", 2],
    ["東京は好き", 5],
    ["", 0],
  ])("counts %j", (text, count) => {
    expect(countProseWords(text)).toBe(count);
  });
});
