import { formatNumber } from "vouch/train";
import { html, Markup, shortened } from "./markup.js";
import { styleSheet } from "./style-sheet.js";

/** Only the styles and the empty icon inside the file itself may be loaded. */
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A part of a page under a heading; left out if its body is undefined. */
export type PageSection = readonly [heading: string, body: Markup | undefined];

/** Turns a heading into the address of its section: `How did training go?` is at `#how-did-training-go`. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
}

/** Lists links to all sections, beside the page if there is room, and then the sections themselves. */
export function contents(sections: readonly PageSection[]): Markup {
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

/** Lists items; returns undefined without any. */
export function itemList(items: readonly string[]): Markup | undefined {
  if (items.length === 0) return undefined;
  return html`<ul class="notices">${items.map((item) => html`<li>${item}</li>`)}</ul>
`;
}

/** Shows a command to copy; it breaks between words. */
export function commandBlock(command: string): Markup {
  return html`<pre><code>${command.split(" ").map((word) => html`<span>${word}</span> `)}</code></pre>
`;
}

/** Writes a complete HTML file that needs nothing else: no network, no script, no font. */
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
${body}<footer>Made by vouch ${version}. This page loads nothing and runs no script.</footer>
</body>
</html>
`.text;
}

/** A named fact. */
interface LabelledValue {
  readonly label: string;
  readonly value: string;
}

/** Facts of at most this many letters fit beside each other. */
const FEW_LETTERS = 30;

/** Lists facts; short ones in two columns if there is room. */
export function factTable(facts: readonly LabelledValue[]): Markup {
  const short = facts.every(({ value }) => value.length <= FEW_LETTERS);
  return html`<dl class="facts ${short && "short"}">
${facts.map(
  ({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>
`,
)}</dl>
`;
}

/** A bar with its name and the text beside it. */
interface Bar {
  readonly name: string;
  readonly shown: string;
  /** Negative values have no bar. */
  readonly value: number;
  /** Half the length of the line through the end of the bar. */
  readonly spread?: number;
  /** Whether the bar is pale, because chance may explain it. */
  readonly faint?: boolean;
}

/** Letters of a name; the tooltip has all. */
const MOST_LETTERS = 60;

function percent(value: number, end: number): string {
  return `${end > 0 ? Number(((100 * Math.max(0, value)) / end).toFixed(1)) : 0}%`;
}

function barItem({ name, shown, value, spread = 0, faint = false }: Bar, end: number): Markup {
  const whisker =
    spread > 0 &&
    value + spread > 0 &&
    html`<s style="--from:${percent(value - spread, end)};--to:${percent(value + spread, end)}"></s>`;
  return html`<li${faint && html` class="faint"`}><span title="${name}">${shortened(name, MOST_LETTERS)}</span> <b>${shown.replaceAll(" ", "\u00a0")}</b><i aria-hidden="true"><u style="--length:${percent(value, end)}"></u>${whisker}</i></li>
`;
}

/** Draws bars to a common scale from 0, in one or two columns; by default the longest bar takes all the width. */
export function barList(
  label: string,
  bars: readonly Bar[],
  layout: "single" | "double" = "single",
  end = Math.max(0, ...bars.map(({ value, spread = 0 }) => value + spread)),
): Markup {
  return html`<ul class="bars ${layout}" aria-label="${label}">
${bars.map((bar) => barItem(bar, end))}</ul>
`;
}

/** Draws bars to the right of a middle line for positive values and to its left for negative ones, to a common scale. */
export function signedBarList(label: string, bars: readonly Bar[]): Markup {
  const most = Math.max(0, ...bars.map(({ value }) => Math.abs(value)));
  const item = ({ name, shown, value }: Bar) => {
    const length = most > 0 ? (50 * Math.abs(value)) / most : 0;
    const from = Number((value < 0 ? 50 - length : 50).toFixed(1));
    return html`<li><span title="${name}">${shortened(name, MOST_LETTERS)}</span> <b>${shown}</b><i aria-hidden="true"><u class="${value < 0 ? "against" : "for"}" style="--from:${from}%;--length:${Number(length.toFixed(1))}%"></u></i></li>
`;
  };
  return html`<ul class="bars signed" aria-label="${label}">
${bars.map(item)}</ul>
`;
}

/** A text, or a number as it is shown. */
type TableCell = string | { readonly shown: string };

/** Letters of a text in a cell. */
const MOST_CELL_LETTERS = 120;

/** Lists items in a table with a number for each row; `total` is their number if not all are given. */
export function numberedTable(
  label: string,
  headings: readonly string[],
  rows: readonly (readonly TableCell[])[],
  total = rows.length,
): Markup {
  const hidden = total - rows.length;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
<table class="parts-of-model">
<thead><tr><th scope="col" class="number"><span class="unseen">Number</span></th>${headings.map((text, c) => tableHeading(text, rows[0]?.[c]))}</tr></thead>
<tbody>
${rows.map(
  (cells, i) => html`<tr><th scope="row" class="number">${i + 1}</th>${cells.map(tableCell)}</tr>
`,
)}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">The first ${formatNumber(rows.length)} of ${formatNumber(total)}.</p>`}
`;
}

function tableCell(content: TableCell): Markup {
  return typeof content === "string"
    ? html`<td>${shortened(content, MOST_CELL_LETTERS)}</td>`
    : html`<td class="number">${content.shown}</td>`;
}

/** Writes a heading, flush right if the first cell of its column is a number. */
function tableHeading(text: string, first: TableCell | undefined): Markup {
  return html`<th scope="col"${typeof first === "object" && html` class="number"`}>${text}</th>`;
}
