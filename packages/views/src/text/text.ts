import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";

const characters = new Intl.Segmenter("en");

/**
 * Shortens a text to at most this many characters, with an ellipsis at the end. Emoji and accents stay whole; spaces around the text,
 * which nobody sees otherwise, are shown as ␣.
 */
export function shortened(whole: string, most: number): string {
  const text = visibleSpaces(whole);
  // A character is rarely longer than 16 code units: no need to look at all of a huge text.
  const begin = text.slice(0, 16 * Math.max(1, most));
  const start = [...characters.segment(begin)];
  if (start.length <= most) return text.length === begin.length ? text : `${text.slice(0, most)}…`;
  const kept = start.slice(0, Math.max(1, most - 1)).map(({ segment }) => segment);
  return `${kept.join("")}…`;
}

/** Writes the first letter of a text as a capital. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Keeps numbers and their units on one line, and powers of ten and p-values as well. */
export function unbroken(text: string): string {
  return text
    .replaceAll(/(?<=\d) × (?=10)/g, "\u00a0×\u00a0")
    .replaceAll(/\bp ([=<]) (?=\d)/g, "p\u00a0$1\u00a0");
}

/** Joins class names; `undefined` and `false` are left out. */
export function classNames(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter((name) => name !== undefined && name !== false).join(" ") || undefined;
}
