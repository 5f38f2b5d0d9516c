import { parseHTML } from "linkedom";
import { svgNamespace } from "./svg-namespace.js";

/**
 * Creates a document to draw in without a browser. It is an XML document, so that text is escaped for both SVG files
 * and HTML.
 */
export function drawingDocument(): Document {
  const { DOMParser } = parseHTML("<!doctype html><html></html>");
  return new DOMParser().parseFromString(`<svg xmlns="${svgNamespace}"/>`, "image/svg+xml");
}
