const characters = new Intl.Segmenter("en");

/** A text of at most so many characters; a longer one ends with an ellipsis. Emoji and accents stay whole. */
export function shortened(text: string, most: number): string {
  // A character is rarely longer than 16 code units: no need to look at all of a huge text.
  const begin = text.slice(0, 16 * Math.max(1, most));
  const start = [...characters.segment(begin)];
  if (start.length <= most) return text.length === begin.length ? text : `${text.slice(0, most)}…`;
  const kept = start.slice(0, Math.max(1, most - 1)).map(({ segment }) => segment);
  return `${kept.join("")}…`;
}

/** How many characters a text has, as people count them. */
export function lengthOf(text: string): number {
  return [...characters.segment(text)].length;
}
