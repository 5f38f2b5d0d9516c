import * as Plot from "@observablehq/plot";
import { confidencesOf } from "vouch/learning";
import { type AbstentionRule, abstentionInWords, answersTo } from "vouch/theory";
import {
  formatCount,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
  type Predictions,
} from "vouch/train";
import { colour } from "./colours.js";
import {
  AXIS,
  type Drawing,
  type FigureWidth,
  FRAME,
  figure,
  frameHeight,
  GRID,
  lineStyle,
  thinned,
} from "./figure.js";
import { html, type Markup } from "./markup.js";

/** The error of the answers if only the surest rows are answered. */
interface RiskPoint {
  /** Share of rows that are answered. */
  readonly answered: number;
  /** Share of the answers that are wrong. */
  readonly error: number;
}

/** The error of fewer answers is chance. */
const ENOUGH_ANSWERS = 10;

/**
 * Computes the risk–coverage curve (El-Yaniv and Wiener 2010): the error of the answers at every threshold on the probability of
 * the predicted class, from the fewest answers to all. Rows with the same probability are answered together.
 */
export function riskCurve({ labels, predictions, scores }: Predictions): RiskPoint[] {
  if (!scores) return [];
  const confidences = confidencesOf(predictions, scores);
  const surest = Int32Array.from(labels.keys()).sort((a, b) => confidences[b] - confidences[a]);
  const points: RiskPoint[] = [];
  let wrong = 0;
  surest.forEach((row, i) => {
    if (predictions[row] !== labels[row]) wrong++;
    const isLast = confidences[surest[i + 1]] !== confidences[row];
    if (isLast) points.push({ answered: (i + 1) / labels.length, error: wrong / (i + 1) });
  });
  return points;
}

/** Lists the points with enough answers; the last one always. */
function shownPoints(points: readonly RiskPoint[], rows: number): readonly RiskPoint[] {
  const enough = points.filter(({ answered }) => Math.round(answered * rows) >= ENOUGH_ANSWERS);
  return thinned(enough.length > 0 ? enough : points.slice(-1));
}

function drawing(
  points: readonly RiskPoint[],
  { asked, target }: AbstentionRule,
  certified: RiskPoint,
  width: FigureWidth,
): Drawing {
  const most = Math.max(asked, target, certified.error, ...points.map(({ error }) => error));
  const all = points[points.length - 1];
  const limits = [
    { at: target, text: `certified ≤ ${formatUpperBound(target)}` },
    ...(asked < target ? [{ at: asked, text: `asked for ${formatRoundPercent(asked)}` }] : []),
  ];
  return {
    ariaLabel: `Error of the answers by share of answered rows. The model answers ${formatPercent(certified.answered)}, of which ${formatPercent(certified.error)} are wrong; answering all rows, ${formatPercent(all.error)} would be wrong. Certified: at most ${formatUpperBound(target)}.`,
    ...FRAME,
    height: frameHeight(width),
    x: { domain: [0, 1] },
    y: { domain: [0, Math.max(0.01, 1.05 * most)], nice: 5 },
    marks: [
      Plot.gridY(GRID),
      Plot.axisX({ ...AXIS, ticks: 5, tickFormat: formatRoundPercent, label: "Answered rows" }),
      Plot.axisY({ ...AXIS, ticks: 5, tickFormat: formatRoundPercent, label: "Wrong answers" }),
      Plot.ruleY(limits, { y: "at", ...lineStyle("bound") }),
      // Above the first line and below the second: they may be close.
      ...limits.map((limit, i) =>
        Plot.text([limit], {
          y: "at",
          text: "text",
          frameAnchor: "left",
          dx: 6,
          dy: i === 0 ? -9 : 11,
          fontSize: 12,
          fill: colour("muted"),
          stroke: colour("paper"),
          strokeWidth: 4,
        }),
      ),
      Plot.line(points, { x: "answered", y: "error", ...lineStyle("train") }),
      Plot.dot([certified], {
        x: "answered",
        y: "error",
        r: 6.5,
        fill: colour("orange"),
        stroke: colour("paper"),
        strokeWidth: 1.5,
      }),
    ],
  };
}

/** Classes with more than this many are not listed. */
const MOST_CLASSES = 12;

/** Lists for each class which share of its rows is answered, and how many of these answers are wrong. */
function classTable(
  rule: AbstentionRule,
  { classes, labels, predictions, scores }: Predictions,
): Markup | false {
  if (!scores || classes.length > MOST_CLASSES) return false;
  const answered = answersTo(rule, confidencesOf(predictions, scores));
  const rows = classes.map((name, k) => {
    const counts = { rows: 0, answered: 0, wrong: 0 };
    labels.forEach((label, i) => {
      if (label !== k) return;
      counts.rows++;
      counts.answered += answered[i];
      if (answered[i] === 1 && predictions[i] !== k) counts.wrong++;
    });
    return { name, ...counts };
  });
  return html`<h3>Answers for each class</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Answers for each class">
<table class="names">
<thead><tr><th scope="col">True class</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Answered</th><th scope="col" class="number">Wrong answers</th></tr></thead>
<tbody>
${rows.map(
  ({ name, rows: count, answered: given, wrong }) =>
    html`<tr><th scope="row">${name}</th><td class="number">${formatNumber(count)}</td><td class="number">${formatPercent(given / count)}</td><td class="number">${formatPercent(wrong / given)}</td></tr>
`,
)}</tbody>
</table>
</div>
<p class="note">Estimates from held-out rows. The certificate is about all classes together, not about each.</p>
`;
}

/** Says when the model answers, and draws the error of its answers against the share of answered rows. */
export function abstentionSection(rule: AbstentionRule, predicted: Predictions): Markup | undefined {
  const { counts, threshold } = rule;
  const points = shownPoints(riskCurve(predicted), predicted.labels.length);
  if (points.length === 0) return undefined;
  const certified = {
    answered: counts.answered / counts.rows,
    error: counts.answered === 0 ? 0 : counts.errors / counts.answered,
  };
  const when =
    threshold === null
      ? "It answers every row."
      : `It answers if the probability of the predicted class is at least ${formatNumber(Number(threshold.toPrecision(3)))}, and otherwise leaves the prediction empty.`;
  const caption = `The error of the answers if only the surest rows are answered. The dot is the model: ${formatCount(counts.answered, "answer")} to ${formatCount(counts.rows, "held-out row")}, ${formatNumber(counts.errors)} wrong. The curve is an estimate; only the dot has a certificate.`;
  return html`<p>${abstentionInWords(rule)}</p>
<p>${when}</p>
${figure((width) => drawing(points, rule, certified, width), { caption })}
${classTable(rule, predicted)}`;
}
