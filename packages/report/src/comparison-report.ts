import {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "vouch";
import { comparisonFigure, type ErrorSpread } from "./comparison-figure.js";
import { columnsInWords, type DataSummary } from "./data-summary.js";
import { factTable } from "./fact-table.js";
import { html, type Markup } from "./markup.js";
import { commandBlock, contents, itemList, page, type Section } from "./page.js";

/** A learner beside the others; sizes as they are shown. */
export interface ComparedLearner extends ErrorSpread {
  /** Of the test against the best; absent for the best itself. */
  readonly p?: number;
  /** Seconds to fit it once, and to predict one row. */
  readonly fitSeconds: number;
  readonly rowSeconds: number;
  readonly size: string;
}

/** The rows that learners were compared on. */
export interface ComparedData extends Pick<DataSummary, "columns" | "missingCells"> {
  /** Rows in the folds, and those that certificates come from. */
  readonly rows: number;
  readonly heldOutRows: number;
  readonly classes: number;
}

/** All that the report of a comparison shows, as plain data. */
export interface ComparisonReport {
  /** What the data is called: a file or a data set of the catalogue. */
  readonly dataName: string;
  readonly data: ComparedData;
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

/** Below this p a difference counts as one. */
const SIGNIFICANT = 0.05;

/** So many learners have room in a headline. */
const MOST_NAMED = 4;

/** A p-value: three digits, and not below what a test on a few folds can tell. */
function pValue(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

const headings = ["Error", "Versus best", "Training", "Per row", "Size", "Certified"];

function learnerRow({ name, mean, sd, p, fitSeconds, rowSeconds, size, bound }: ComparedLearner): Markup {
  const cells = [
    `${formatPercent(mean).replace(" %", "")} ± ${formatPercent(sd)}`,
    p === undefined ? "best" : `p ${p < 0.001 ? "" : "= "}${pValue(p)}`,
    formatDuration(fitSeconds),
    formatDuration(rowSeconds),
    size,
    bound === undefined ? "–" : `≤ ${formatUpperBound(bound)}`,
  ];
  return html`<tr><th scope="row">${name}</th>${cells.map((cell, c) => html`<td class="number" data-label="${headings[c]}">${cell.replaceAll(" ", "\u00a0")}</td>`)}</tr>
`;
}

/** A row for each learner; on a phone, a card. */
function learnerTable({ learners, folds, confidence }: ComparisonReport): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Learners">
<table class="as-cards">
<thead><tr><th scope="col">Learner</th>${headings.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
<tbody>
${learners.map(learnerRow)}</tbody>
</table>
</div>
<p class="note">Errors are means over ${formatCount(folds, "fold")}, ± one standard deviation. Training is the time of one fit, per row that of a prediction. p is of a paired t-test against the best, corrected for what folds share (Nadeau and Bengio 2003) and for how many learners there are (Holm 1979): a small p means that chance alone rarely makes such a difference. Certificates are exact binomial bounds from held-out rows; with ${formatRoundPercent(confidence)} confidence all of them hold.</p>
`;
}

function headline({ learners }: ComparisonReport): string {
  const [best, ...others] = learners;
  const alike = others.filter(({ p = 0 }) => p >= SIGNIFICANT);
  const first = `${best.name} has the smallest error: ${formatPercent(best.mean)}.`;
  if (others.length === 0) return first;
  if (alike.length === 0) return `${first} All others are worse beyond chance.`;
  const names = alike.map(({ name }) => name).join(", ");
  return alike.length <= MOST_NAMED
    ? `${first} No difference beyond chance: ${names}.`
    : `${first} From ${alike.length} of the ${others.length} others it does not differ beyond chance.`;
}

function dataFacts({ rows, heldOutRows, columns, missingCells, classes }: ComparedData): Markup {
  return factTable([
    { label: "Rows in the folds", value: formatNumber(rows) },
    { label: "Held-out rows", value: formatNumber(heldOutRows) },
    { label: "Columns", value: columnsInWords(columns) },
    { label: "Missing cells", value: formatNumber(missingCells) },
    { label: "Classes", value: formatNumber(classes) },
  ]);
}

/** The report of a comparison: one HTML file that needs nothing else, for screens, phones and paper. */
export function comparisonReport(report: ComparisonReport): string {
  const { learners, failed, data, dataName, notices, command, version } = report;
  const title = `${formatCount(learners.length, "learner")} on ${dataName}`;
  const sections: Section[] = [
    ["Errors", comparisonFigure(learners)],
    ["Side by side", learnerTable(report)],
    ["Not compared", itemList(failed.map(({ name, reason }) => `${name}: ${reason}`))],
    ["The data", dataFacts(data)],
    ["Notices", itemList(notices)],
    [
      "Do it again",
      html`<p>This command gives the same errors; times depend on the machine:</p>
${commandBlock(command)}`,
    ],
  ];
  const header = html`<header>
<h1>${title}</h1>
<p class="headline">${headline(report)}</p>
</header>
`;
  return page(title, version, html`${header}${contents(sections)}`);
}
