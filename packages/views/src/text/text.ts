import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";

const characters = new Intl.Segmenter("en");

/**
 * Truncates a text with an ellipsis. Emoji and accents stay whole; leading and trailing spaces, which are otherwise
 * invisible, are shown as ␣.
 */
export function shortened(whole: string, most: number): string {
  const text = visibleSpaces(whole);
  // A character is rarely longer than 16 code units, so a huge text need not be scanned completely.
  const begin = text.slice(0, 16 * Math.max(1, most));
  const start = [...characters.segment(begin)];
  if (start.length <= most) return text.length === begin.length ? text : `${text.slice(0, most)}…`;
  const kept = start.slice(0, Math.max(1, most - 1)).map(({ segment }) => segment);
  return `${kept.join("")}…`;
}

/** Capitalises the first letter. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Keeps numbers and their units, powers of ten and p-values on one line. */
export function unbroken(text: string): string {
  return text
    .replaceAll(/(?<=\d) × (?=10)/g, "\u00a0×\u00a0")
    .replaceAll(/\bp ([=<]) (?=\d)/g, "p\u00a0$1\u00a0");
}

/** Joins class names; `undefined` and `false` are left out. */
export function classNames(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter((name) => name !== undefined && name !== false).join(" ") || undefined;
}
