import { metricFacts } from "vouch/select";
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
  formatPValue,
  formatRoundPercent,
  formatUpperBound,
  type Labelled,
  type MetricName,
  missingCells,
  VERSION,
} from "vouch/train";
import { comparisonFigure } from "./comparison-figure.js";
import { columnsInWords } from "./data-summary.js";
import { capitalised, html, type Markup } from "./markup.js";
import { baselineName, metricScale } from "./metric-scale.js";
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
  const { compared, failed, objective } = comparison;
  const { metric } = objective;
  const title = `${formatCount(compared.length, "learner")} on ${data.features.name}`;
  const sections: PageSection[] = [
    [
      metric === "error"
        ? "Which learner makes the fewest errors?"
        : `Which learner is best by ${metricScale(metric).title}?`,
      comparisonFigure(comparison),
    ],
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

/** Names the columns of a comparison by a metric. */
function headingsBy(metric: MetricName): readonly string[] {
  const measured = metric === "error" ? ["Error"] : [capitalised(metricScale(metric).title), "Error"];
  const certified = metric === "error" ? "Certified" : "Certified error";
  return [...measured, "Versus best", "Versus baseline", "Training", "Per row", "Size", certified];
}

/** Lists the learners, one row each; on a phone, one card each. */
function learnerTable({ compared, baseline, folds }: Comparison, confidence: number): Markup {
  const { name: metric } = baseline.metric;
  const headings = headingsBy(metric);
  const { title } = metricScale(metric);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Learners">
<table class="as-cards ${metric !== "error" && "dense"}">
<thead><tr><th scope="col">Learner</th>${headings.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
<tbody>
${compared.map((one) => tableRow(one.name, headings, learnerCells(one)))}${baselineRow(baseline, headings)}</tbody>
</table>
</div>
<p class="note">${metric === "error" ? "Error" : `${capitalised(title)} and error`}: mean ± standard deviation over ${formatCount(folds, "fold")}. Versus best: p-value of a paired t-test against the best learner; versus baseline: against ${baselineName(metric, baseline.class)}. Both are ${metric !== "error" && `by ${title} and `}corrected for overlapping training sets (Nadeau and Bengio 2003) and for multiple comparisons (Holm 1979). Training: time of one fit. Per row: time of one prediction. Certified: exact binomial upper bounds on the error from held-out rows; with ${formatRoundPercent(confidence)} confidence all of them hold.</p>
`;
}

function learnerCells(compared: Compared): string[] {
  const { p, pBaseline, seconds, bytes, certificate } = compared;
  return [
    ...measuredCells(compared),
    p === undefined ? "best" : formatPValue(p),
    formatPValue(pBaseline),
    formatDuration(seconds.fit),
    formatDuration(seconds.row),
    formatBytes(bytes),
    certificate && certificate.value < 1 ? `≤ ${formatUpperBound(certificate.value)}` : "–",
  ];
}

/** Writes the metric, and the error if that is another one. */
function measuredCells({ metric, mean, sd }: Pick<Compared, "metric" | "mean" | "sd">): string[] {
  const error = spread("error", mean, sd);
  return metric.name === "error" ? [error] : [spread(metric.name, metric.mean, metric.sd), error];
}

function baselineRow(baseline: Comparison["baseline"], headings: readonly string[]): Markup {
  const cells = measuredCells(baseline);
  const { name: metric } = baseline.metric;
  const { judges } = metricFacts(metric);
  const name = judges === "predictions" ? `always “${baseline.class}”` : baselineName(metric, baseline.class);
  return tableRow(name, headings, [...cells, ...headings.slice(cells.length).map(() => "–")]);
}

function spread(metric: MetricName, mean: number, sd: number): string {
  const { shown } = metricScale(metric);
  return `${shown(mean).replace(" %", "")} ± ${shown(Number(sd.toPrecision(2)))}`;
}

function tableRow(name: string, headings: readonly string[], cells: readonly string[]): Markup {
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
