import * as Plot from "@observablehq/plot";
import {
  formatCount,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { describeAbstention } from "@vouch/core/internal/theory/conformal/abstention-certificates";
import type { AbstentionRule } from "@vouch/core/internal/theory/conformal/abstention-rule";
import { useCallback } from "preact/hooks";
import { Chart, type ChartWidth, type Drawing } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { AXIS, FRAME, frameHeight, GRID, lineStyle } from "../../charts/marks.js";
import type { AbstentionFacts, ClassCoverage, RiskPoint } from "../../facts/evaluation/abstention-facts.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { TableHead } from "../../page/tables.js";
import { Explained } from "../../text/explained.js";

/** Describes when the model answers, and draws the error of its answers against the share of answered rows. */
export function AbstentionSection({ facts }: { readonly facts: AbstentionFacts }) {
  const { rule, curve, classes } = facts;
  const { counts, threshold } = rule;
  const draw = useCallback((width: ChartWidth) => drawing(curve, rule, width), [curve, rule]);
  const when =
    threshold === null
      ? "It answers every row."
      : `It answers if the probability of the predicted class is at least ${formatNumber(Number(threshold.toPrecision(3)))}, and otherwise leaves the prediction empty.`;
  const caption = `The dot is the model: ${formatCount(counts.answered, "answer")} to ${formatCount(counts.rows, "held-out row")}, ${formatNumber(counts.errors)} wrong. Only the dot has a certificate.`;
  return (
    <>
      <p>
        <Explained text={describeAbstention(rule)} terms={["confidence", "held-out rows"]} />
      </p>
      <p>{when}</p>
      <Chart draw={draw} caption={caption} />
      <CoverageTable classes={classes} />
    </>
  );
}

function drawing(
  points: readonly RiskPoint[],
  { asked, target, counts }: AbstentionRule,
  width: ChartWidth,
): Drawing {
  const certified = {
    answered: counts.answered / counts.rows,
    error: counts.answered === 0 ? 0 : counts.errors / counts.answered,
  };
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
      // The labels go above the first line and below the second, because the lines may be close.
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

/** Lists the share of answered rows and the number of wrong answers for each class. */
function CoverageTable({ classes }: { readonly classes: readonly ClassCoverage[] }) {
  if (classes.length === 0) return null;
  return (
    <details>
      <summary>Answers for each class</summary>
      <ScrollRegion label="Answers for each class">
        <table class="names">
          <TableHead first="True class" numbers={["Rows", "Answered", "Wrong answers"]} />
          <tbody>
            {classes.map(({ name, rows, answered, wrong }) => (
              <tr key={name}>
                <th scope="row">{visibleSpaces(name)}</th>
                <td class="number">{formatNumber(rows)}</td>
                <td class="number">{formatPercent(answered / rows)}</td>
                <td class="number">{formatPercent(wrong / answered)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p class="note">Estimates; the certificate is about all classes together.</p>
    </details>
  );
}
