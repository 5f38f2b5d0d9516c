import { parseHTML } from "linkedom";
import { svgNamespace } from "./svg-namespace.js";

/** Creates a document to draw in without a browser; an XML one, so that text is escaped for SVG files and for HTML alike. */
export function drawingDocument(): Document {
  const { DOMParser } = parseHTML("<!doctype html><html></html>");
  return new DOMParser().parseFromString(`<svg xmlns="${svgNamespace}"/>`, "image/svg+xml");
}
