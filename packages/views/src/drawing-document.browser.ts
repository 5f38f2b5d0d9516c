// In a page, charts are drawn in its own document: bundlers take this file instead of drawing-document.ts.

/** The namespace of SVG elements. */
export const svgNamespace = "http://www.w3.org/2000/svg";

/** Returns the document of the page. */
export function drawingDocument(): Document {
  return document;
}
