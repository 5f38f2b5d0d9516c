import { formatCount, formatPercent, formatRoundPercent, formatUpperBound } from "vouch";
import { comparisonFigure, type ErrorSpread } from "./comparison-figure.js";
import { factTable, type LabelledValue } from "./data-summary.js";
import { html, type Markup } from "./markup.js";
import { page, section } from "./page.js";

/** A learner beside the others; spans of time and sizes as they are shown. */
export interface ComparedLearner extends ErrorSpread {
  /** Of the test against the best; absent for the best itself. */
  readonly p?: number;
  readonly fitTime: string;
  readonly timePerRow: string;
  readonly size: string;
}

/** All that the report of a comparison shows, as plain data. */
export interface ComparisonReport {
  /** What the data is called: a file or a data set of the catalogue. */
  readonly dataName: string;
  /** What there is to know of the data: rows, columns, classes. */
  readonly data: readonly LabelledValue[];
  readonly folds: number;
  /** With which all certificates hold together. */
  readonly confidence: number;
  /** The smallest mean error first. */
  readonly learners: readonly ComparedLearner[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
  readonly notices: readonly string[];
  /** The command that compares again. */
  readonly command: string;
  /** The version of vouch that compared. */
  readonly version: string;
}

/** A p-value in words: two digits, and not below what a test on a few folds can tell. */
function pValue(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

function learnerRow({ name, mean, sd, p, fitTime, timePerRow, size, bound }: ComparedLearner): Markup {
  const cells = [
    `${formatPercent(mean)} ± ${formatPercent(sd)}`,
    p === undefined ? "best" : pValue(p),
    fitTime,
    timePerRow,
    size,
    bound === undefined ? "–" : `≤ ${formatUpperBound(bound)}`,
  ];
  return html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="number">${cell.replaceAll(" ", "\u00a0")}</td>`)}</tr>
`;
}

const headings = ["Error", "p", "Training", "Per row", "Size", "Certified"];

function learnerTable({ learners, folds, confidence }: ComparisonReport): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Learners">
<table>
<thead><tr><th scope="col">Learner</th>${headings.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
<tbody>
${learners.map(learnerRow)}</tbody>
</table>
</div>
<p class="note">Errors are means over ${formatCount(folds, "fold")}, ± one standard deviation; “per row” is the time of a prediction. p is of a paired t-test against the best, corrected for what folds share (Nadeau and Bengio 2003) and for how many learners there are (Holm 1979): a small p means that chance alone rarely makes such a difference. Certificates are exact binomial bounds from held-out rows; with ${formatRoundPercent(confidence)} confidence all of them hold.</p>
`;
}

function failures(failed: ComparisonReport["failed"]): Markup | undefined {
  if (failed.length === 0) return undefined;
  return html`<ul class="notices">${failed.map(({ name, reason }) => html`<li>${name}: ${reason}</li>`)}</ul>
`;
}

function noticeList(notices: readonly string[]): Markup | undefined {
  if (notices.length === 0) return undefined;
  return html`<ul class="notices">${notices.map((notice) => html`<li>${notice}</li>`)}</ul>
`;
}

function headline({ learners }: ComparisonReport): string {
  const [best, ...others] = learners;
  const alike = others.filter(({ p = 0 }) => p >= 0.05);
  const first = `${best.name} has the smallest error: ${formatPercent(best.mean)}.`;
  if (others.length === 0) return first;
  return alike.length === 0
    ? `${first} All others are worse beyond chance.`
    : `${first} No difference beyond chance: ${alike.map(({ name }) => name).join(", ")}.`;
}

/** The report of a comparison: one HTML file that needs nothing else, for screens, phones and paper. */
export function comparisonReport(report: ComparisonReport): string {
  const { learners, failed, data, dataName, notices, command, version } = report;
  const body = html`<header>
<h1>${formatCount(learners.length, "learner")} on ${dataName}</h1>
<p class="headline">${headline(report)}</p>
</header>
<main>
${section("Errors", comparisonFigure(learners))}
${section("Side by side", learnerTable(report))}
${section("Not compared", failures(failed))}
${section("The data", factTable(data))}
${section("Notices", noticeList(notices))}
${section(
  "Do it again",
  html`<p>This command gives the same errors; times depend on the machine:</p>
<pre><code>${command.split(" ").map((word) => html`<span>${word}</span> `)}</code></pre>`,
)}</main>
<footer>Made by vouch ${version}. This page is complete in itself: it loads nothing and runs no script.</footer>
`;
  return page(`${formatCount(learners.length, "learner")} on ${dataName}: vouch report`, body);
}
