/** Characters of scripts that are written without spaces, each a word of its own: Chinese, Japanese and Thai. */
const SINGLE = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;

/** A run of letters, marks and digits. */
const RUN = String.raw`(?:(?![${SINGLE}])[\p{L}\p{M}\p{N}])+`;

/** Words: runs of letters, marks and digits, also with apostrophes inside ("don't"), single characters, and emoji. */
const WORD = new RegExp(String.raw`[${SINGLE}]|${RUN}(?:['’]${RUN})*|\p{Extended_Pictographic}`, "gu");

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

/** Stands for a word that was taken out of a text. No vocabulary contains it. */
const NO_WORD = "ɀɀɀ";

/** Takes words out of a text. Their neighbours do not become pairs, and the text keeps its length. */
export function withoutWords(words: readonly string[], removed: ReadonlySet<string>): string {
  return words.map((word) => (removed.has(word) ? NO_WORD : word)).join(" ");
}

const SINGLES = new RegExp(`[${SINGLE}]`, "gu");

/** Counts words as prose has them: with letters, and with space between them. Codes and dates are not prose, "10-A-7" is one word. */
export function countProseWords(text: string): number {
  return text
    .split(/\s+/)
    .filter((word) => /\p{L}/u.test(word))
    .reduce((sum, word) => sum + Math.max(1, word.match(SINGLES)?.length ?? 0), 0);
}
