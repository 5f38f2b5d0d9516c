import { html, Markup } from "./markup.js";
import { styleSheet } from "./style-sheet.js";

/** What may be loaded: nothing but the styles and the empty icon inside the file itself. */
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A part of a page under a heading; left out where it has nothing to say. */
export type Section = readonly [heading: string, body: Markup | undefined];

/** A heading as the address of its section: `The data` is at `#the-data`. */
function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/** A list of links to all sections, beside the page where there is room, and the sections themselves. */
export function contents(sections: readonly Section[]): Markup {
  const present = sections.filter(([, body]) => body !== undefined);
  const links = present.map(
    ([heading]) => html`<li><a href="#${anchor(heading)}">${heading}</a></li>
`,
  );
  const bodies = present.map(
    ([heading, body]) => html`<section id="${anchor(heading)}">
<h2>${heading}</h2>
${body}</section>
`,
  );
  return html`<nav aria-label="Contents"><ol>
${links}</ol></nav>
<main>
${bodies}</main>
`;
}

/** What a user should know, one item each; nothing without any. */
export function itemList(items: readonly string[]): Markup | undefined {
  if (items.length === 0) return undefined;
  return html`<ul class="notices">${items.map((item) => html`<li>${item}</li>`)}</ul>
`;
}

/** A command to copy; it breaks between words. */
export function commandBlock(command: string): Markup {
  return html`<pre><code>${command.split(" ").map((word) => html`<span>${word}</span> `)}</code></pre>
`;
}

/** A complete HTML file that needs nothing else: no network, no script, no font. */
export function page(title: string, version: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}: vouch report</title>
<style>${new Markup(styleSheet)}</style>
</head>
<body>
${body}<footer>Made by vouch ${version}. This page is complete in itself: it loads nothing and runs no script.</footer>
</body>
</html>
`.text;
}
