// Bundlers for browsers use this file instead of drawing-document.ts, so that charts are drawn in the page's own
// document.

/** Returns the document of the page. */
export function drawingDocument(): Document {
  return document;
}
