import { html, Markup } from "./markup.js";
import { styleSheet } from "./style-sheet.js";

/** What may be loaded: nothing but the styles and the empty icon inside the file itself. */
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A section of the page with its heading; nothing when there is nothing to say. */
export function section(heading: string, body: Markup | undefined): Markup | undefined {
  return (
    body &&
    html`<section>
<h2>${heading}</h2>
${body}</section>
`
  );
}

/** A complete HTML file that needs nothing else: no network, no script, no font. */
export function page(title: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Markup(styleSheet)}</style>
</head>
<body>
${body}</body>
</html>
`.text;
}
