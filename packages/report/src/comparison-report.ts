import {
  type Compared,
  type Comparison,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
  type Labelled,
  missingCells,
  VERSION,
} from "vouch/train";
import { comparisonFigure } from "./comparison-figure.js";
import { columnsInWords } from "./data-summary.js";
import { html, type Markup } from "./markup.js";
import { commandBlock, contents, factTable, itemList, type PageSection, page } from "./page.js";

/** Options of `comparisonReport`. */
export interface ComparisonReportOptions {
  /** Confidence that all certificates hold together, as in the comparison; the default is 0.95. */
  readonly confidence?: number;
  /** Notices to show in place of those of the comparison. */
  readonly notices?: readonly string[];
  /** The command that repeats the comparison, to show in the report. */
  readonly command?: string;
}

/** Differences with a smaller p-value count as significant. */
const SIGNIFICANT = 0.05;

/** A headline has room for this many learners. */
const MOST_NAMED = 4;

/** Makes the report of a comparison as one HTML page; the data are the rows that the learners were compared on. */
export function comparisonReport(
  comparison: Comparison,
  data: Labelled,
  { confidence = 0.95, notices = comparison.notices, command }: ComparisonReportOptions = {},
): string {
  const { compared, failed } = comparison;
  const title = `${formatCount(compared.length, "learner")} on ${data.features.name}`;
  const sections: PageSection[] = [
    ["Which learner makes the fewest errors?", comparisonFigure(compared)],
    ["What does each learner cost?", learnerTable(comparison, confidence)],
    ["Which learners failed?", itemList(failed.map(({ name, reason }) => `${name}: ${reason}`))],
    ["What were they compared on?", dataFacts(comparison, data)],
    ["What else should you know?", itemList(notices)],
    [
      "How can you repeat the comparison?",
      command === undefined
        ? undefined
        : html`<p>This command gives the same errors; times depend on the machine:</p>
${commandBlock(command)}`,
    ],
  ];
  const header = html`<header>
<h1>${title}</h1>
<p class="headline">${headline(comparison)}</p>
</header>
`;
  return page(title, VERSION, html`${header}${contents(sections)}`);
}

function headline({ compared }: Comparison): string {
  const [best, ...others] = compared;
  const alike = others.filter(({ p = 0 }) => p >= SIGNIFICANT);
  const first = `${best.name} has the smallest error: ${formatPercent(best.mean)}.`;
  if (others.length === 0) return first;
  if (alike.length === 0) return `${first} All others are significantly worse.`;
  const names = alike.map(({ name }) => name).join(", ");
  return alike.length <= MOST_NAMED
    ? `${first} Not significantly worse: ${names}.`
    : `${first} ${alike.length} of the ${others.length} others are not significantly worse.`;
}

const headings = ["Error", "Versus best", "Training", "Per row", "Size", "Certified"];

/** Lists the learners, one row each; on a phone, one card each. */
function learnerTable({ compared, folds }: Comparison, confidence: number): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Learners">
<table class="as-cards">
<thead><tr><th scope="col">Learner</th>${headings.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
<tbody>
${compared.map(learnerRow)}</tbody>
</table>
</div>
<p class="note">Error: mean ± standard deviation over ${formatCount(folds, "fold")}. Versus best: p-value of a paired t-test against the best learner, corrected for overlapping training sets (Nadeau and Bengio 2003) and for multiple comparisons (Holm 1979). Training: time of one fit. Per row: time of one prediction. Certified: exact binomial upper bounds from held-out rows; with ${formatRoundPercent(confidence)} confidence all of them hold.</p>
`;
}

function learnerRow({ name, mean, sd, p, seconds, bytes, certificate }: Compared): Markup {
  const cells = [
    `${formatPercent(mean).replace(" %", "")} ± ${formatPercent(sd)}`,
    p === undefined ? "best" : p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`,
    formatDuration(seconds.fit),
    formatDuration(seconds.row),
    formatBytes(bytes),
    certificate && certificate.value < 1 ? `≤ ${formatUpperBound(certificate.value)}` : "–",
  ];
  return html`<tr><th scope="row">${name}</th>${cells.map((cell, c) => html`<td class="number" data-label="${headings[c]}">${cell.replaceAll(" ", "\u00a0")}</td>`)}</tr>
`;
}

function dataFacts({ compared }: Comparison, { labels, classes, features }: Labelled): Markup {
  const { columns } = features;
  const numeric = columns.filter(({ kind }) => kind === "numeric").length;
  const missing = columns.reduce((sum, column) => sum + missingCells(column), 0);
  return factTable([
    { label: "Rows in the folds", value: formatNumber(labels.length) },
    { label: "Held-out rows", value: formatNumber(compared[0]?.heldOut?.rows ?? 0) },
    { label: "Columns", value: columnsInWords({ numeric, categorical: columns.length - numeric }) },
    { label: "Missing cells", value: formatNumber(missing) },
    { label: "Classes", value: formatNumber(classes.length) },
  ]);
}
