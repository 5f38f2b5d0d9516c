import { formatCount, formatPercent, type Reason, type RowReasons } from "vouch/train";
import { html, type Markup, shortened } from "./markup.js";
import { signedBarList } from "./page.js";

/** One row and the reasons of the model for its prediction. */
export interface RowExample {
  readonly chosenAs: "confident and right" | "confident and wrong" | "uncertain";
  /** Number of the row among those that were measured, from 1. */
  readonly row: number;
  /** The true class. */
  readonly actual: string;
  /** Reasons for the predicted class, of all columns. */
  readonly reasons: RowReasons;
}

const MOST_BARS = 6;

const headings: Readonly<Record<RowExample["chosenAs"], string>> = {
  "confident and right": "Most confident of those that are right",
  "confident and wrong": "Most confident of those that are wrong",
  uncertain: "Least certain",
};

/** Formats a contribution with its sign: "+0.42", or in percentage points for probabilities. */
function signed(value: number, unit: RowReasons["unit"]): string {
  const isShare = unit === "probability" || unit === "share of votes";
  const rounded = isShare ? (100 * value).toFixed(1) : value.toFixed(2);
  const size = rounded.replace("-", "");
  return `${Number(rounded) === 0 ? "" : value < 0 ? "−" : "+"}${size}`;
}

function scoreText(value: number, unit: RowReasons["unit"]): string {
  return unit === "probability" || unit === "share of votes"
    ? formatPercent(Math.max(0, Math.min(1, value)))
    : value.toFixed(2).replace("-", "−");
}

function barOf({ column, value, contribution }: Reason, unit: RowReasons["unit"]) {
  const name = `${column} = ${shortened(value, 30)}`;
  return { name, shown: signed(contribution, unit), value: contribution };
}

function example({ chosenAs, row, actual, reasons }: RowExample, on: "held-out" | "training"): Markup {
  const { of, unit, base, score, reasons: all } = reasons;
  const shown = all.slice(0, MOST_BARS);
  const rest = all.slice(MOST_BARS);
  const bars = shown.map((reason) => barOf(reason, unit));
  if (rest.length > 0) {
    const value = rest.reduce((sum, { contribution }) => sum + contribution, 0);
    bars.push({ name: formatCount(rest.length, "other column"), shown: signed(value, unit), value });
  }
  const verdict = of === actual ? "which is right" : html`but it is <b>${shortened(actual, 60)}</b>`;
  return html`<h3>${headings[chosenAs]}</h3>
<p>Row ${row} of the ${on} rows: predicted <b>${shortened(of, 60)}</b>, ${verdict}. ${unit.charAt(0).toUpperCase() + unit.slice(1)} of ${shortened(of, 60)}: ${scoreText(score, unit)}, on average ${scoreText(base, unit)}.</p>
${signedBarList(`Contributions to the ${unit} of ${of}`, bars)}`;
}

/** Shows which columns speak for and against the prediction of a few rows; returns undefined without any. */
export function reasonFigure(
  examples: readonly RowExample[],
  on: "held-out" | "training",
): Markup | undefined {
  if (examples.length === 0) return undefined;
  const { unit, reasons } = examples[0].reasons;
  const points = unit === "probability" || unit === "share of votes" ? " in percentage points" : "";
  const sampled = reasons.some(({ se }) => se !== undefined);
  return html`<p>Bars to the right speak for the predicted class, bars to the left against it: Shapley values of the ${unit}${points}. They add up from the average to the value of the row.</p>
${examples.map((each) => example(each, on))}<p class="note">The average is over rows whose values are drawn from each column on its own.${sampled && " The values are sampled, so the last digits are uncertain."} Reasons explain the model, not the world: they do not say what would happen if you changed a value.</p>
`;
}
