import {
  type Compared,
  type Comparison,
  columnKind,
  comparisonInWords,
  comparisonVerdict,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatPValue,
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

/** Makes the report of a comparison as one HTML page; the data are the rows that the learners were compared on. */
export function comparisonReport(
  comparison: Comparison,
  data: Labelled,
  { confidence = 0.95, notices = comparison.notices, command }: ComparisonReportOptions = {},
): string {
  const { compared, failed } = comparison;
  const title = `${formatCount(compared.length, "learner")} on ${data.features.name}`;
  const sections: PageSection[] = [
    ["Which learner makes the fewest errors?", comparisonFigure(comparison)],
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
<p class="headline">${comparisonInWords(comparison).join(" ")}</p>
${warningLines(comparison)}</header>
`;
  return page(title, VERSION, html`${header}${contents(sections)}`);
}

/** Says what speaks against the headline, next to it. */
function warningLines(comparison: Comparison): Markup | undefined {
  const { secondsForAll } = comparison;
  const enough =
    secondsForAll === undefined ? [] : [`All learners need about ${formatDuration(secondsForAll)}.`];
  return itemList([...comparisonVerdict(comparison).warnings.map(({ message }) => message), ...enough]);
}

const headings = ["Error", "Versus best", "Versus baseline", "Training", "Per row", "Size", "Certified"];

/** Lists the learners, one row each; on a phone, one card each. */
function learnerTable({ compared, baseline, folds }: Comparison, confidence: number): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Learners">
<table class="as-cards">
<thead><tr><th scope="col">Learner</th>${headings.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
<tbody>
${compared.map(learnerRow)}${baselineRow(baseline)}</tbody>
</table>
</div>
<p class="note">Error: mean ± standard deviation over ${formatCount(folds, "fold")}. Versus best: p-value of a paired t-test against the best learner; versus baseline: against always answering “${baseline.class}”. Both are corrected for overlapping training sets (Nadeau and Bengio 2003) and for multiple comparisons (Holm 1979). Training: time of one fit. Per row: time of one prediction. Certified: exact binomial upper bounds from held-out rows; with ${formatRoundPercent(confidence)} confidence all of them hold.</p>
`;
}

function learnerRow({ name, p, pBaseline, seconds, bytes, certificate, ...errors }: Compared): Markup {
  return tableRow(name, [
    spread(errors),
    p === undefined ? "best" : formatPValue(p),
    formatPValue(pBaseline),
    formatDuration(seconds.fit),
    formatDuration(seconds.row),
    formatBytes(bytes),
    certificate && certificate.value < 1 ? `≤ ${formatUpperBound(certificate.value)}` : "–",
  ]);
}

function baselineRow(baseline: Comparison["baseline"]): Markup {
  return tableRow(`always “${baseline.class}”`, [spread(baseline), ...headings.slice(1).map(() => "–")]);
}

function spread({ mean, sd }: Pick<Compared, "mean" | "sd">): string {
  return `${formatPercent(mean).replace(" %", "")} ± ${formatPercent(sd)}`;
}

function tableRow(name: string, cells: readonly string[]): Markup {
  return html`<tr><th scope="row">${name}</th>${cells.map((cell, c) => html`<td class="number" data-label="${headings[c]}">${cell.replaceAll(" ", "\u00a0")}</td>`)}</tr>
`;
}

function dataFacts({ compared }: Comparison, { labels, classes, features }: Labelled): Markup {
  const { columns } = features;
  const kinds: Record<string, number> = {};
  for (const column of columns) kinds[columnKind(column)] = (kinds[columnKind(column)] ?? 0) + 1;
  const missing = columns.reduce((sum, column) => sum + missingCells(column), 0);
  return factTable([
    { label: "Rows in the folds", value: formatNumber(labels.length) },
    { label: "Held-out rows", value: formatNumber(compared[0]?.heldOut?.rows ?? 0) },
    { label: "Columns", value: columnsInWords(kinds) },
    { label: "Missing cells", value: formatNumber(missing) },
    { label: "Classes", value: formatNumber(classes.length) },
  ]);
}
