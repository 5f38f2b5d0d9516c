/** A text of at most so many characters; a longer one ends with an ellipsis. Emoji and accents stay whole. */
export function shortened(text: string, most: number): string {
  // A character is rarely longer than 16 code units: no need to look at all of a huge text.
  const start = [...new Intl.Segmenter("en").segment(text.slice(0, 16 * most))];
  if (start.length <= most) return text.length <= 16 * most ? text : `${text.slice(0, most)}…`;
  const kept = start.slice(0, Math.max(1, most - 1)).map(({ segment }) => segment);
  return `${kept.join("")}…`;
}
