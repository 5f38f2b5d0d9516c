import { readFileSync } from "node:fs";
import type { IndexPageData, ModelPageData } from "./page-data.js";

/** Renders a page with its data, which `page.js` shows. */
export function pageHtml(title: string, data: IndexPageData | ModelPageData): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${inHtml(title)}</title>
<link rel="stylesheet" href="/page.css">
<link rel="icon" href="data:,">
<script type="application/json" id="data">${inScript(data)}</script>
<script type="module" src="/page.js"></script>
</head>
<body><noscript><p>This page needs JavaScript. Programs get the same as JSON: send requests without “text/html” in the header Accept.</p></noscript></body>
</html>
`;
}

function inHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Writes JSON that cannot end the script element. */
function inScript(data: object): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}

const files = new Map<string, string>();

/** Reads the script or the style sheet of the pages, which the build puts next to this module. */
export function readPageFile(name: "page.js" | "page.css"): string {
  const known = files.get(name);
  if (known !== undefined) return known;
  const url =
    name === "page.js" ? new URL("./page.js", import.meta.url) : new URL("./page.css", import.meta.url);
  const text = readFileSync(url, "utf8");
  files.set(name, text);
  return text;
}
