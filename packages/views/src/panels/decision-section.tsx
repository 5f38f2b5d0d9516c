import { predictionsBy } from "vouch/learning";
import { mean, metricFacts, metricValue, rowLosses, ruleInWords } from "vouch/select";
import {
  type DecisionRule,
  formatCount,
  formatNumber,
  formatPercent,
  type Objective,
  type Predictions,
} from "vouch/train";
import { capitalised, html, type Markup, shortened } from "./markup.js";
import { metricScale } from "./metric-scale.js";

/** Thresholds that are tried; rare classes need small ones. */
const THRESHOLDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/** Thresholds must change the predictions of this share of rows to be listed besides each other. */
const LEAST_CHANGE = 0.005;

/** The result of predicting a class from a threshold on. */
interface ThresholdResult {
  /** Absent for the model's own answers. */
  readonly at?: number;
  /** Whether the model decides so. */
  readonly used: boolean;
  /** Share of the rows of the class that get it. */
  readonly found: number;
  /** Share of the rows of other classes that get it. */
  readonly falseAlarms: number;
  readonly error: number;
  /** The metric to optimise, if it judges predictions and is not the error. */
  readonly metric?: number;
}

/** How the model predicts, and what it was trained for. */
export interface DecidedBy {
  readonly rule: DecisionRule;
  readonly objective: Objective | undefined;
}

/** Returns the index of the class whose threshold matters; undefined with more than two classes. */
export function positiveClass(
  { rule, objective }: DecidedBy,
  classes: readonly string[],
): number | undefined {
  if (classes.length !== 2) return undefined;
  return rule.kind === "threshold" ? rule.class : (objective?.positive ?? 1);
}

/** Computes what thresholds of the positive class of two would give; none without probabilities. */
export function thresholdResults(by: DecidedBy, predicted: Predictions): ThresholdResult[] {
  const { classes, labels, predictions, scores, scoring } = predicted;
  const positive = positiveClass(by, classes);
  if (positive === undefined || !scores || scoring !== "probability" || labels.length === 0) return [];
  const own = by.rule.kind === "threshold" ? by.rule.at : undefined;
  const answersAt = (at: number) =>
    predictionsBy({ kind: "threshold", class: positive, at }, scores, () => predictions);
  const result = (answers: Int32Array, at: number | undefined, used: boolean): ThresholdResult => ({
    ...(at !== undefined && { at }),
    used,
    ...sharesOf(labels, answers, positive),
    error: mean(rowLosses({ metric: "error" }, { labels, predictions: answers, scores })),
    ...metricOf(by.objective, { labels, predictions: answers, scores }),
  });
  const used = result(predictions, own, true);
  const countOf = (answers: Int32Array) => answers.reduce((sum, k) => sum + Number(k === positive), 0);
  const apart = Math.max(1, LEAST_CHANGE * labels.length);
  const listed = own === undefined ? [] : [countOf(predictions)];
  const others = THRESHOLDS.flatMap((at) => {
    const answers = answersAt(at);
    const count = countOf(answers);
    if (listed.some((other) => Math.abs(other - count) < apart)) return [];
    listed.push(count);
    return [result(answers, at, false)];
  });
  if (own === undefined) return [used, ...others];
  return [used, ...others].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

function sharesOf(
  labels: Int32Array,
  answers: Int32Array,
  positive: number,
): Pick<ThresholdResult, "found" | "falseAlarms"> {
  const counts = { own: 0, found: 0, others: 0, alarms: 0 };
  labels.forEach((label, i) => {
    const isAlarm = Number(answers[i] === positive);
    counts[label === positive ? "own" : "others"]++;
    counts[label === positive ? "found" : "alarms"] += isAlarm;
  });
  return { found: counts.found / counts.own, falseAlarms: counts.alarms / counts.others };
}

function metricOf(
  objective: Objective | undefined,
  rows: Parameters<typeof rowLosses>[1],
): Pick<ThresholdResult, "metric"> {
  if (!isOfPredictions(objective)) return {};
  return { metric: metricValue(objective.metric, mean(rowLosses(objective, rows))) };
}

/** Tells whether a metric other than the error depends on the threshold. */
function isOfPredictions(objective: Objective | undefined): objective is Objective {
  return (
    objective !== undefined &&
    objective.metric !== "error" &&
    metricFacts(objective.metric).judges === "predictions"
  );
}

/** Says how classes are predicted, and what the rule was chosen for. */
function ruleSentences({ rule, objective }: DecidedBy, classes: readonly string[]): string {
  const words = ruleInWords(rule, classes);
  if (rule.kind === "model") return `Its predictions are ${words}: no threshold was moved.`;
  const otherwise =
    rule.kind === "threshold" && classes.length === 2 ? `, otherwise "${classes[1 - rule.class]}"` : "";
  const chosen = objective
    ? ` That rule was chosen on out-of-fold training rows, for the ${aim(objective)}.`
    : "";
  return `It predicts ${words}${otherwise}.${chosen}`;
}

function aim({ metric }: Objective): string {
  const { title, larger } = metricFacts(metric);
  return `${larger ? "largest" : "smallest"} ${title}`;
}

/**
 * Says how classes are predicted, with a table of what other thresholds would give; returns undefined if the answers are the model's own
 * and no threshold could replace them.
 *
 * @param costs the costs in words
 */
export function decisionSection(
  by: DecidedBy,
  predicted: Predictions,
  costs: string | undefined,
): Markup | undefined {
  const results = thresholdResults(by, predicted);
  if (by.rule.kind === "model" && results.length < 2) return undefined;
  const paid = costs === undefined ? "" : ` Costs: ${costs}.`;
  return html`<p>${ruleSentences(by, predicted.classes)}${paid}</p>
${results.length > 1 && thresholdTable(results, by, predicted)}`;
}

function thresholdTable(results: readonly ThresholdResult[], by: DecidedBy, predicted: Predictions): Markup {
  const { classes, labels } = predicted;
  const name = classes[positiveClass(by, classes) ?? 1];
  const scale = isOfPredictions(by.objective) ? metricScale(by.objective.metric) : undefined;
  const headings = ["Found", "False alarms", "Error", ...(scale ? [capitalised(scale.title)] : [])];
  const row = ({ at, used, found, falseAlarms, error, metric }: ThresholdResult) => {
    const threshold = at === undefined ? "own answers" : formatNumber(Number(at.toPrecision(3)));
    const cells = [found, falseAlarms, error].map((share) => formatPercent(share));
    const all = [...cells, ...(scale && metric !== undefined ? [scale.shown(metric)] : [])];
    return html`<tr${used && html` class="used"`}><th scope="row">${threshold}${used && html` <span class="note">used</span>`}</th>${all.map((cell) => html`<td class="number">${cell}</td>`)}</tr>
`;
  };
  return html`<h3>Other thresholds of “${shortened(name, 40)}”</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Thresholds">
<table class="thresholds">
<thead><tr><th scope="col">Threshold</th>${headings.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
<tbody>
${results.map(row)}</tbody>
</table>
</div>
<p class="note">Found: share of the rows of “${shortened(name, 40)}” that get it. False alarms: share of the other rows that get it. These are estimates from ${formatCount(labels.length, "row")}; the certificates are about the rule in use only. Set another threshold with <code>vouch predict --threshold CLASS=P</code>.</p>
`;
}
