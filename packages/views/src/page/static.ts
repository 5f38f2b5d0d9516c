import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";

/** Renders panels to HTML; keeps numbers with their percent signs, and p-values, on one line. */
export function renderStatic(panels: VNode): string {
  return renderToString(panels).replaceAll(/\bp (=|&lt;) (?=\d)/g, "p\u00a0$1\u00a0");
}
