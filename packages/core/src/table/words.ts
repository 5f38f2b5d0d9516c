/** Characters of scripts without spaces, each a separate word: Chinese, Japanese and Thai. */
const SINGLE = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;

/** A run of letters, marks and digits. */
const RUN = String.raw`(?:(?![${SINGLE}])[\p{L}\p{M}\p{N}])+`;

/**
 * Words: runs of letters, marks and digits, possibly with apostrophes inside ("don't"), single characters, and emoji.
 */
const WORD = new RegExp(String.raw`[${SINGLE}]|${RUN}(?:['’]${RUN})*|\p{Extended_Pictographic}`, "gu");

/** Maximum length of text to read, in UTF-16 units: about ten thousand words. */
export const MOST_LETTERS_READ = 65_536;

/** Maximum length of a word; longer ones are codes, which nobody writes twice. */
const LONGEST_WORD = 40;

/** Lists the words of a text in lower case and in compatibility form (NFKC), so that "Ｆｕｌｌ" is "full". */
export function wordsOf(text: string): string[] {
  const read = text.slice(0, MOST_LETTERS_READ).normalize("NFKC").toLowerCase().replaceAll("’", "'");
  return (read.match(WORD) ?? []).map((word) =>
    word.length > LONGEST_WORD ? word.slice(0, LONGEST_WORD) : word,
  );
}

/** Replaces a word removed from a text. No vocabulary contains it. */
const NO_WORD = "ɀɀɀ";

/** Removes words from a text. Their neighbours do not become pairs, and the number of words stays the same. */
export function withoutWords(words: readonly string[], removed: ReadonlySet<string>): string {
  return words.map((word) => (removed.has(word) ? NO_WORD : word)).join(" ");
}

const SINGLES = new RegExp(`[${SINGLE}]`, "gu");

/**
 * Counts words of free text: with letters, and separated by spaces. Codes and dates do not count; "10-A-7" is one word.
 */
export function countProseWords(text: string): number {
  return text
    .split(/\s+/)
    .filter((word) => /\p{L}/u.test(word))
    .reduce((sum, word) => sum + Math.max(1, word.match(SINGLES)?.length ?? 0), 0);
}
