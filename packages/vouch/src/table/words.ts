/**
 * Words: runs of letters, marks and digits, also with apostrophes inside ("don't"). Chinese and Japanese characters and Thai
 * letters, which are written without spaces, are one word each, and so is an emoji.
 */
const WORD =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+(?:['’](?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+)*|\p{Extended_Pictographic}/gu;

/** The part of a text that is read, in UTF-16 units: some ten thousand words. */
export const MOST_LETTERS_READ = 65_536;

/** Longer words are cut: they are codes, and nobody writes the same one twice. */
const LONGEST_WORD = 40;

/** Lists the words of a text in lower case and in compatibility form (NFKC), so that "Ｆｕｌｌ" is "full". */
export function wordsOf(text: string): string[] {
  const read = text.slice(0, MOST_LETTERS_READ).normalize("NFKC").toLowerCase().replaceAll("’", "'");
  return (read.match(WORD) ?? []).map((word) =>
    word.length > LONGEST_WORD ? word.slice(0, LONGEST_WORD) : word,
  );
}

/** Counts the words of a text, and stops at `most`. */
export function countWords(text: string, most: number): number {
  let count = 0;
  for (const _ of text.matchAll(WORD)) {
    if (++count >= most) break;
  }
  return count;
}
