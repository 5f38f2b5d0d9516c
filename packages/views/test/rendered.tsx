import { renderStatic } from "@vouch/views/internal/page/static";
import { parseHTML } from "linkedom";
import type { VNode } from "preact";

/** Renders panels to the document of a page without scripts. */
export function rendered(panels: VNode): Document {
  return parseHTML(`<!doctype html><html><body>${renderStatic(panels)}</body></html>`).document;
}

/** The text of panels, with ordinary spaces, single ones. */
export function textOf(panels: VNode): string {
  return spaced(rendered(panels).body.textContent);
}

/** The text of all elements that a selector finds, with ordinary spaces, single ones. */
export function texts(root: ParentNode, selector: string): string[] {
  return [...root.querySelectorAll(selector)].map(({ textContent }) => spaced(textContent));
}

function spaced(text: string | null): string {
  return (text ?? "").replaceAll(/\s+/g, " ").trim();
}

/** The texts of the cells of each row in the bodies of tables. */
export function cells(root: ParentNode): string[][] {
  return [...root.querySelectorAll("tbody tr")].map((row) => texts(row, "th, td"));
}

/** A numeric attribute of all elements that a selector finds, in document order. */
export function numbers(root: ParentNode, selector: string, attribute: string): number[] {
  return [...root.querySelectorAll(selector)].map((element) => Number(element.getAttribute(attribute)));
}
