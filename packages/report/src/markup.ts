/** Text that is safe inside a page: everything in it has been escaped. Made by `html`. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in an `html` template; `undefined` and `false` are left out. */
type Content = Markup | string | number | false | undefined | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes markup; a number and its percent sign, and a p-value, stay on one line. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replaceAll(" %", "\u00a0%")
    .replace(/\bp (=|&lt;) (?=\d)/g, "p\u00a0$1\u00a0");
}

function rendered(content: Content): string {
  if (content === undefined || content === false) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "string") return escaped(content);
  if (typeof content === "number") return String(content);
  return content.map(rendered).join("");
}

/** Makes markup from a template: literal parts are markup, values are escaped unless they are `Markup`. */
export function html(literals: TemplateStringsArray, ...holes: readonly Content[]): Markup {
  const parts = literals.map((literal, i) => literal + rendered(holes[i]));
  return new Markup(parts.join(""));
}

const characters = new Intl.Segmenter("en");

/** Shortens a text to at most this many characters, with an ellipsis at the end. Emoji and accents stay whole. */
export function shortened(text: string, most: number): string {
  // A character is rarely longer than 16 code units: no need to look at all of a huge text.
  const begin = text.slice(0, 16 * Math.max(1, most));
  const start = [...characters.segment(begin)];
  if (start.length <= most) return text.length === begin.length ? text : `${text.slice(0, most)}…`;
  const kept = start.slice(0, Math.max(1, most - 1)).map(({ segment }) => segment);
  return `${kept.join("")}…`;
}

/** Counts the characters of a text as people do. */
export function lengthOf(text: string): number {
  return [...characters.segment(text)].length;
}

/** Writes the first letter of a text as a capital. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
