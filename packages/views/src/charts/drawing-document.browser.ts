// In a page, charts are drawn in its own document: bundlers take this file instead of drawing-document.ts.

/** Returns the document of the page. */
export function drawingDocument(): Document {
  return document;
}
