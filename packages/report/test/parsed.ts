import { parseHTML } from "linkedom";

/** The document behind a page or a piece of markup. */
export function parsed(markup: string): Document {
  const page = markup.startsWith("<!doctype") ? markup : `<!doctype html><html><body>${markup}</body></html>`;
  return parseHTML(page).document;
}
