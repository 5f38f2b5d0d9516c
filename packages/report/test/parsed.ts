import { parseHTML } from "linkedom";

/** The document behind a page or a piece of markup. */
export function parsed(markup: string): Document {
  const page = markup.startsWith("<!doctype") ? markup : `<!doctype html><html><body>${markup}</body></html>`;
  return parseHTML(page).document;
}

/** A numeric attribute of all elements that a selector finds, in document order. */
export function numbers(root: ParentNode, selector: string, attribute: string): number[] {
  return [...root.querySelectorAll(selector)].map((element) => Number(element.getAttribute(attribute)));
}
