/** Text that is safe in HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[] | undefined | false;

/** Makes HTML from a template; values are escaped unless they are HTML themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(parts.reduce((text, part, i) => `${text}${htmlOf(values[i - 1])}${part}`));
}

function htmlOf(value: Part): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
