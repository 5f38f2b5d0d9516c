import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { metricFacts } from "@vouch/core/internal/metrics/metric-name";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatPValue,
  formatRoundPercent,
  formatUpperBound,
} from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { VERSION } from "@vouch/core/internal/runtime/version";
import type { Compared, Comparison } from "@vouch/core/internal/select/compare";
import { describeComparison, judgeComparison } from "@vouch/core/internal/select/comparison-verdict";
import { columnKind, missingCells } from "@vouch/core/internal/table/column";
import type { Labelled } from "@vouch/core/internal/table/target";
import {
  baselineName,
  CommandBlock,
  ComparisonFigure,
  capitalised,
  describeColumns,
  FactList,
  givesGuarantee,
  metricScale,
  NoticeList,
  ScrollRegion,
  Section,
  TableHead,
  unbroken,
} from "@vouch/views";
import { page } from "./page.js";

/** Options of `comparisonReport`. */
export interface ComparisonReportOptions {
  /** Confidence of all certificates together, as in the comparison; default 0.95. */
  readonly confidence?: number;
  /** Notes that replace the comparison's own. */
  readonly notices?: readonly string[];
  /** The command that repeats the comparison. */
  readonly command?: string;
}

/** Renders the report of a comparison as one HTML page; the data are the rows that the learners were compared on. */
export function comparisonReport(
  comparison: Comparison,
  data: Labelled,
  { confidence = 0.95, notices = comparison.notices, command }: ComparisonReportOptions = {},
): string {
  const { compared, failed, objective } = comparison;
  const { metric } = objective;
  const title = `${formatCount(compared.length, "learner")} on ${data.features.name}`;
  const [headline, ...others] = describeComparison(comparison).map((sentence) =>
    unbroken(sentence).replaceAll(/"([^"]*)"/g, "“$1”"),
  );
  const body = (
    <main>
      <h1>{title}</h1>
      <div class="verdict compared">
        <p class="headline">{headline}</p>
        {others.length > 0 && <p>{others.join(" ")}</p>}
        <NoticeList notices={warningLines(comparison)} />
      </div>
      <Section
        heading={
          metric === "error"
            ? "Which learner makes the fewest errors?"
            : `Which learner is best by ${metricScale(metric).title}?`
        }
      >
        <ComparisonFigure comparison={comparison} />
      </Section>
      <Section heading="What does each learner cost?">
        <LearnerTable comparison={comparison} confidence={confidence} />
      </Section>
      <Optional
        heading="Which learners failed?"
        notices={failed.map(({ name, reason }) => `${name}: ${reason}`)}
      />
      <Section heading="What were they compared on?">
        <DataFactList comparison={comparison} data={data} />
      </Section>
      <Optional heading="What else should you know?" notices={notices} />
      {command !== undefined && (
        <Section heading="How can you repeat the comparison?">
          <p>This command gives the same errors; times depend on the machine:</p>
          <CommandBlock command={command} />
        </Section>
      )}
    </main>
  );
  return page({ title, version: VERSION, body });
}

/** Lists sentences under a heading; renders nothing if there are none. */
function Optional({ heading, notices }: { readonly heading: string; readonly notices: readonly string[] }) {
  if (notices.length === 0) return null;
  return (
    <Section heading={heading}>
      <NoticeList notices={notices} />
    </Section>
  );
}

/** States what puts the headline in doubt, next to it. */
function warningLines(comparison: Comparison): string[] {
  const { secondsForAll } = comparison;
  const enough =
    secondsForAll === undefined ? [] : [`All learners need about ${formatDuration(secondsForAll)}.`];
  return [...judgeComparison(comparison).warnings.map(({ message }) => message), ...enough];
}

/** Returns the column headings for a metric. */
function headingsBy(metric: MetricName): readonly string[] {
  const measured = metric === "error" ? ["Error"] : [capitalised(metricScale(metric).title), "Error"];
  const certified = metric === "error" ? "Certified" : "Certified error";
  return [...measured, "Versus best", "Versus baseline", "Training", "Per row", "Size", certified];
}

interface LearnerTableProps {
  readonly comparison: Comparison;
  readonly confidence: number;
}

/** Lists the learners, one row each; on a phone, one card each. */
function LearnerTable({ comparison: { compared, baseline, folds }, confidence }: LearnerTableProps) {
  const { name: metric } = baseline.metric;
  const headings = headingsBy(metric);
  const { title } = metricScale(metric);
  return (
    <>
      <ScrollRegion label="Learners">
        <table class="as-cards dense learners">
          <TableHead first="Learner" numbers={headings} />
          <tbody>
            {compared.map((one) => (
              <LearnerRow key={one.name} name={one.name} headings={headings} cells={learnerCells(one)} />
            ))}
            <BaselineRow baseline={baseline} headings={headings} />
          </tbody>
        </table>
      </ScrollRegion>
      <details>
        <summary>What the columns mean</summary>
        <p class="note">
          {metric === "error" ? "Error" : `${capitalised(title)} and error`}: mean ± standard deviation over{" "}
          {formatCount(folds, "fold")}. Versus best: p-value of a paired t-test against the best learner;
          versus baseline: against {baselineName(metric, baseline.class)}. Both are{" "}
          {metric !== "error" && `by ${title} and `}corrected for overlapping training sets (Nadeau and Bengio
          2003) and for multiple comparisons (Holm 1979). Training: time of one fit. Per row: time of one
          prediction. Certified: exact binomial upper bounds on the error from held-out rows; with{" "}
          {formatRoundPercent(confidence)} confidence all of them hold.
        </p>
      </details>
    </>
  );
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
    certificate && givesGuarantee(certificate) ? `≤ ${formatUpperBound(certificate.value)}` : "–",
  ];
}

/** Formats the metric, and the error if they differ. */
function measuredCells({ metric, mean, sd }: Pick<Compared, "metric" | "mean" | "sd">): string[] {
  const error = spread("error", mean, sd);
  return metric.name === "error" ? [error] : [spread(metric.name, metric.mean, metric.sd), error];
}

interface BaselineRowProps {
  readonly baseline: Comparison["baseline"];
  readonly headings: readonly string[];
}

function BaselineRow({ baseline, headings }: BaselineRowProps) {
  const cells = measuredCells(baseline);
  const { name: metric } = baseline.metric;
  const { judges } = metricFacts(metric);
  const name =
    judges === "predictions"
      ? `always “${visibleSpaces(baseline.class)}”`
      : baselineName(metric, baseline.class);
  const none = headings.slice(cells.length).map(() => "–");
  return <LearnerRow name={name} headings={headings} cells={[...cells, ...none]} />;
}

function spread(metric: MetricName, mean: number, sd: number): string {
  const { shown } = metricScale(metric);
  return `${shown(mean).replace("%", "")} ± ${shown(Number(sd.toPrecision(2)))}`;
}

interface LearnerRowProps {
  readonly name: string;
  readonly headings: readonly string[];
  readonly cells: readonly string[];
}

function LearnerRow({ name, headings, cells }: LearnerRowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {cells.map((cell, c) => (
        <td key={headings[c]} class="number" data-label={headings[c]}>
          {cell.replaceAll(" ", "\u00a0")}
        </td>
      ))}
    </tr>
  );
}

interface DataFactListProps {
  readonly comparison: Comparison;
  readonly data: Labelled;
}

function DataFactList({ comparison: { compared }, data: { labels, classes, features } }: DataFactListProps) {
  const { columns } = features;
  const kinds: Record<string, number> = {};
  for (const column of columns) kinds[columnKind(column)] = (kinds[columnKind(column)] ?? 0) + 1;
  const missing = columns.reduce((sum, column) => sum + missingCells(column), 0);
  const facts = [
    { label: "Rows in the folds", value: formatNumber(labels.length) },
    { label: "Held-out rows", value: formatNumber(compared[0]?.heldOut?.rows ?? 0) },
    { label: "Columns", value: describeColumns(kinds) },
    { label: "Missing cells", value: formatNumber(missing) },
    { label: "Classes", value: formatNumber(classes.length) },
  ];
  return <FactList facts={facts} />;
}
