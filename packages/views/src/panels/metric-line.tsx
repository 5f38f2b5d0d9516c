import * as Plot from "@observablehq/plot";
import {
  boundText,
  type Certificate,
  formatNumber,
  formatRoundPercent,
  type MetricName,
  type Verdict,
} from "vouch/train";
import { colour } from "./colours.js";
import { type Drawing, type FigureWidth, figure } from "./figure.js";
import { givesGuarantee } from "./guarantee.js";
import { capitalised, html, type Markup } from "./markup.js";
import { baselineName, metricScale } from "./metric-scale.js";
import { valueRows } from "./value-rows.js";

/** One line of the figure: the measured value, that of the baseline, or a certified bound. */
interface MetricMark {
  readonly kind: "measured" | "baseline" | "certified";
  readonly name: string;
  readonly value: number;
  readonly shown: string;
}

const ROWS: Readonly<Record<Verdict["measuredOn"], string>> = {
  "held-out rows": "Held-out rows",
  "new rows": "New rows",
  groups: "Held-out groups",
  folds: "Mean of the folds",
  rows: "These rows",
};

/** Lists the lines of the figure; none if the model was trained for the error or not measured. */
export function metricMarks(
  verdict: Verdict | undefined,
  certificates: readonly Certificate[],
): readonly MetricMark[] {
  if (!verdict?.objective) return [];
  const { metric, model, baseline } = verdict.objective;
  const { shown } = metricScale(metric);
  const marks: MetricMark[] = [
    { kind: "measured", name: ROWS[verdict.measuredOn], value: model, shown: shown(model) },
    {
      kind: "baseline",
      name: capitalised(baselineName(metric, verdict.baseline.class)),
      value: baseline,
      shown: shown(baseline),
    },
    ...certificates
      .filter((one) => one.measure === metric && one.class === undefined && givesGuarantee(one))
      .map((one) => ({
        kind: "certified" as const,
        name: `Certified, ${formatRoundPercent(one.confidence)} confidence`,
        value: one.value,
        shown: boundText(one, one.value),
      })),
  ];
  return marks.filter(({ value }) => Number.isFinite(value));
}

function drawing(metric: MetricName, marks: readonly MetricMark[], width: FigureWidth): Drawing {
  const { larger, tick: tickFormat, domain: domainOf } = metricScale(metric);
  const domain = domainOf(marks.map(({ value }) => value));
  const rows = marks.map((mark, row) => ({ ...mark, row, end: mark.value }));
  const of = (kind: MetricMark["kind"]) => rows.filter((mark) => mark.kind === kind);
  const [baseline] = of("baseline");
  // A lower bound allows all values to its right; its text must not cover the bar.
  const allowed = of("certified").map(({ row, value }) => ({
    row,
    from: larger ? value : domain[0],
    to: larger ? domain[1] : value,
  }));
  return valueRows(
    {
      ariaLabel: `${marks.map(({ name, shown }) => `${name}: ${shown}`).join(". ")}.`,
      rows: rows.map((row) => ({ ...row, end: larger && row.kind === "certified" ? domain[1] : row.end })),
      domain,
      tickFormat,
      reference: baseline?.value,
      marginLeft: 286,
      marginRight: 80,
      marks: (dy, tick) => [
        Plot.ruleY(allowed, { y: "row", x1: "from", x2: "to", dy, stroke: colour("band"), strokeWidth: 9 }),
        Plot.tickX(of("certified"), {
          x: "value",
          y: "row",
          ...tick,
          stroke: colour("ink"),
          strokeWidth: 2.5,
        }),
        Plot.dot(of("measured"), { x: "value", y: "row", dy, r: 5.5, fill: colour("blue") }),
        Plot.dot(of("baseline"), { x: "value", y: "row", dy, r: 5.5, fill: colour("muted") }),
      ],
    },
    width,
  );
}

const MEANINGS: Partial<Readonly<Record<MetricName, string>>> = {
  "balanced-error": "Balanced error: the mean over the classes of the share of their rows that is wrong.",
  auc: "AUC: the probability that a row of one class scores higher than a row of the other; with more classes, the mean of each against the rest.",
  "log-loss": "Log loss: the mean of −ln of the probability that the model gave to the true class.",
  brier: "Brier score: the mean squared distance of the probabilities from the truth.",
  f1: "F1: the harmonic mean of precision and recall; with more than two classes, its mean over the classes.",
};

/** Writes "Mean cost: the mean over the rows of 5 for “No” instead of “Yes”, …". */
function meaningOf(metric: MetricName, costs: string | undefined): string | undefined {
  return metric === "cost" && costs !== undefined ? `Mean cost of a row: ${costs}.` : MEANINGS[metric];
}

/**
 * Draws the metric that the model was trained for, that of the baseline and the certified bound on its own scale; returns undefined
 * if it is the error.
 *
 * @param costs the costs in words
 */
export function metricLine(
  verdict: Verdict | undefined,
  certificates: readonly Certificate[],
  costs: string | undefined,
): Markup | undefined {
  const marks = metricMarks(verdict, certificates);
  if (!verdict?.objective || marks.length === 0) return undefined;
  const { metric } = verdict.objective;
  const { title, larger } = metricScale(metric);
  const meaning = meaningOf(metric, costs);
  const caption = [
    `The blue dot is the measured ${title}: the ${larger ? "larger" : "smaller"}, the better. The dotted line is the baseline.`,
    marks.some(({ kind }) => kind === "certified")
      ? "The bar spans the values that the certificate leaves possible on new data."
      : "No certificate bounds it.",
  ].join(" ");
  return html`${meaning !== undefined && html`<p>${meaning}</p>\n`}${figure((width) => drawing(metric, marks, width), { caption })}`;
}

/** Errors whose costs are named at most. */
const MOST_COSTS = 4;

/** Writes costs as "5 for “No” instead of “Yes”, 1 for “Yes” instead of “No”", the dearest first. */
export function costsInWords(
  costs: readonly (readonly number[])[] | undefined,
  classes: readonly string[],
): string | undefined {
  if (!costs || costs.length !== classes.length) return undefined;
  const all = costs
    .flatMap((row, truth) => row.map((cost, answer) => ({ cost, truth, answer })))
    .filter(({ cost }) => cost > 0)
    .sort((a, b) => b.cost - a.cost);
  const named = all
    .slice(0, MOST_COSTS)
    .map(({ cost, truth, answer }) =>
      truth === answer
        ? `${formatNumber(cost)} for a right “${classes[answer]}”`
        : `${formatNumber(cost)} for “${classes[answer]}” instead of “${classes[truth]}”`,
    );
  const more = all.length - named.length;
  return `${named.join(", ")}${more > 0 ? `, and ${formatNumber(more)} other costs` : ""}`;
}
