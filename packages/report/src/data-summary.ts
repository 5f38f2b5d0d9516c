import { formatNumber, formatPercent } from "vouch";
import { type ColumnFacts, columnTable } from "./column-table.js";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** One class and how many rows have it. */
export interface ClassCount {
  readonly name: string;
  readonly count: number;
}

/** The rows a model was trained on. */
export interface DataSummary {
  readonly rows: number;
  /** Encoded features, as the learner sees them. */
  readonly features: number;
  readonly classes: readonly ClassCount[];
  /** How many raw columns there are of each kind: `numeric`, `categorical`, … */
  readonly columns: Readonly<Record<string, number>>;
  readonly missingCells: number;
  /** Of all rows that were read; the columns one by one. */
  readonly table?: { readonly rows: number; readonly columns: readonly ColumnFacts[] };
}

/** More classes than this are not all listed, but those with the most rows. */
const mostClassesListed = 30;
const largestListed = 10;
/** Letters of a class's name that are shown; all of it is in the tooltip. */
const mostLetters = 40;

/** One row of a table of facts: what it is called and what it is. */
export interface LabelledValue {
  readonly label: string;
  readonly value: string;
}

/** A table of facts, one per row. */
export function factTable(facts: readonly LabelledValue[]): Markup {
  const rows = facts.map(
    ({ label, value }) => html`<tr><th scope="row">${label}</th><td>${value}</td></tr>
`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Facts"><table class="facts"><tbody>
${rows}</tbody></table></div>
`;
}

function classRow({ name, count }: ClassCount, rows: number, largest: number): Markup {
  const share = rows > 0 ? count / rows : 0;
  const length = largest > 0 ? Math.round((100 * count) / largest) : 0;
  return html`<tr><th scope="row" title="${name}">${shortened(name, mostLetters)}</th><td class="number">${formatNumber(count)}</td><td class="number">${formatPercent(share)}</td><td class="bar" aria-hidden="true"><span style="--length:${length}%"></span></td></tr>
`;
}

function classTable(classes: readonly ClassCount[]): Markup {
  const rows = classes.reduce((sum, { count }) => sum + count, 0);
  const byCount = [...classes].sort((a, b) => b.count - a.count);
  const shown = classes.length > mostClassesListed ? byCount.slice(0, largestListed) : classes;
  const largest = byCount[0]?.count ?? 0;
  const hidden = classes.length - shown.length;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Classes">
<table class="names">
<thead><tr><th scope="col">Class</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Share</th><td></td></tr></thead>
<tbody>
${shown.map((row) => classRow(row, rows, largest))}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">The ${shown.length} largest; ${formatNumber(hidden)} more.</p>`}
`;
}

/** How many rows, features and missing cells there are, and how the classes are spread. */
export function dataSummary(data: DataSummary): Markup {
  const kinds = Object.entries(data.columns).map(([kind, count]) => ({
    label: `Columns, ${kind}`,
    value: formatNumber(count),
  }));
  const facts = [
    { label: "Training rows", value: formatNumber(data.rows) },
    ...kinds,
    { label: "Encoded features", value: formatNumber(data.features) },
    { label: "Missing cells", value: formatNumber(data.missingCells) },
  ];
  const { table, classes } = data;
  return html`${factTable(facts)}${classes.length > 0 && classTable(classes)}${table && columnTable(table.columns, table.rows)}`;
}
