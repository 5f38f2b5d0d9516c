/** Text that is safe inside a page: whatever was put into it has been escaped. Made by `html`. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a hole of an `html` template. `undefined` and `false` leave the hole empty. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes what means something in markup; a number and its percent sign stay on one line. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replaceAll(" %", "\u00a0%");
}

function rendered(content: Content): string {
  if (content === undefined || content === false) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "string") return escaped(content);
  if (typeof content === "number") return String(content);
  return content.map(rendered).join("");
}

/** Template tag: the literal parts are markup, everything else is escaped unless it is `Markup` itself. */
export function html(literals: TemplateStringsArray, ...holes: readonly Content[]): Markup {
  const parts = literals.map((literal, i) => literal + rendered(holes[i]));
  return new Markup(parts.join(""));
}
