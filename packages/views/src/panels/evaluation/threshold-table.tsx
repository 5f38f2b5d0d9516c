import { formatMetric } from "@vouch/core/internal/metrics/metric-name";
import { formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import {
  EQUAL_COSTS,
  type PredictedCounts,
  type ThresholdFacts,
  thresholdMeasures,
} from "../../facts/evaluation/threshold-measures.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { TableHead } from "../../page/tables.js";
import { classNames } from "../../text/text.js";

/** Lists the outcomes of a few thresholds, folded; the current one is marked. */
export function ThresholdTable({ facts }: { readonly facts: ThresholdFacts }) {
  const { used, listed } = facts;
  if (listed.length === 0) return null;
  const own = used.at;
  const rows =
    own === undefined
      ? [used, ...listed]
      : [...listed.filter(({ at }) => at < own), used, ...listed.filter(({ at }) => at >= own)];
  const headings = ["Recall", "Precision", "False alarms", "Error", ...(facts.costs ? ["Cost per row"] : [])];
  return (
    <details>
      <summary>Other thresholds</summary>
      <ScrollRegion label="Thresholds">
        <table class="thresholds">
          <TableHead first="Threshold" numbers={headings} />
          <tbody>
            {rows.map((row) => (
              <ThresholdRow key={row.at} facts={facts} row={row} isUsed={row === used} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p class="note">
        False alarms: share of the other rows. Set a threshold with{" "}
        <code>vouch predict --threshold CLASS=P</code>.
      </p>
    </details>
  );
}

interface ThresholdRowProps {
  readonly facts: ThresholdFacts;
  readonly row: PredictedCounts & { readonly at?: number };
  readonly isUsed: boolean;
}

function ThresholdRow({ facts, row, isUsed }: ThresholdRowProps) {
  const { costs = EQUAL_COSTS } = facts;
  const { recall, precision, falseAlarms, error, cost } = thresholdMeasures(facts, row, costs);
  const cells = [
    formatPercent(recall),
    Number.isNaN(precision) ? "–" : formatPercent(precision),
    formatPercent(falseAlarms),
    formatPercent(error),
    ...(facts.costs ? [formatMetric("cost", cost)] : []),
  ];
  return (
    <tr class={classNames(isUsed && "used")}>
      <th scope="row">
        {row.at === undefined ? "own rule" : formatNumber(Number(row.at.toPrecision(3)))}
        {isUsed && (
          <>
            {" "}
            <span class="note">used</span>
          </>
        )}
      </th>
      {cells.map((cell, i) => (
        <td key={i} class="number">
          {cell}
        </td>
      ))}
    </tr>
  );
}
