import { formatMetric } from "@vouch/core/internal/metrics/metric-name";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { useMemo, useState } from "preact/hooks";
import { operatingPoint } from "../../facts/evaluation/ranking-facts.js";
import {
  cheapestPoint,
  EQUAL_COSTS,
  type ErrorCosts,
  type PredictedCounts,
  type ThresholdFacts,
  type ThresholdMeasures,
  thresholdCurve,
  thresholdMeasures,
  usedPoint,
} from "../../facts/evaluation/threshold-measures.js";
import { ClientOnly, useIsClient } from "../../page/client-only.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { Sentences } from "../../text/name.js";
import { shortened } from "../../text/text.js";
import { RocFigure } from "./roc-figure.js";
import { ThresholdTable } from "./threshold-table.js";

/**
 * Shows the outcome of the model's threshold, and lets a person move the threshold and change the costs of the two
 * errors. Without a script, it shows the model's counts and a table of other thresholds.
 */
export function ThresholdPanel({ facts }: { readonly facts: ThresholdFacts }) {
  const given = facts.costs ?? EQUAL_COSTS;
  const [costs, setCosts] = useState(given);
  // Undefined for the model's own predictions, which need not follow a threshold.
  const [step, setStep] = useState<number | undefined>(undefined);
  const chosen = step === undefined ? facts.used : facts.points[step];
  const point = useMemo(() => operatingPoint({ ...facts, ...chosen }), [facts, chosen]);
  const ranking = useMemo(() => ({ classes: 2, curves: [thresholdCurve(facts)] }), [facts]);
  const measures = thresholdMeasures(facts, chosen, costs);
  const isPriced = facts.costs !== undefined || costs.missed !== costs.alarm;
  return (
    <>
      <ClientOnly>
        <ThresholdControl facts={facts} step={step} onStep={setStep} costs={costs} />
        <CostInputs facts={facts} costs={costs} onCosts={setCosts} />
      </ClientOnly>
      <CountTable facts={facts} counts={chosen} />
      <MeasureTiles facts={facts} measures={measures} isPriced={isPriced} />
      <RocFigure facts={ranking} point={point} />
      <ThresholdTable facts={facts} />
      <p class="note">
        Estimates from {formatCount(facts.positives + facts.negatives, "row")}. A threshold chosen on them
        looks better than it is; certificates are about the model’s own rule.
      </p>
    </>
  );
}

/** Maximum length of a class name in a sentence. */
const MOST_LETTERS = 30;

function quoted(name: string): string {
  return `“${shortened(name, MOST_LETTERS)}”`;
}

interface ThresholdControlProps {
  readonly facts: ThresholdFacts;
  readonly step: number | undefined;
  readonly onStep: (step: number | undefined) => void;
  readonly costs: ErrorCosts;
}

/** Lets a person choose a threshold by slider, by number, the cheapest one, or the model's own. */
function ThresholdControl({ facts, step, onStep, costs }: ThresholdControlProps) {
  const { points, positive } = facts;
  const place = step ?? usedPoint(facts);
  const cheapest = cheapestPoint(facts, costs);
  const isOwn = step === undefined && facts.used.at === undefined;
  return (
    <fieldset class="threshold">
      <legend>Predict {quoted(positive)} from this probability on</legend>
      <input
        type="range"
        aria-label="Threshold"
        min={0}
        max={points.length - 1}
        value={place}
        aria-valuetext={describeThreshold(facts, points[place])}
        onInput={({ currentTarget }) => onStep(Number(currentTarget.value))}
      />
      <input
        type="number"
        aria-label="Threshold as a number"
        min={0}
        max={1}
        step="any"
        placeholder={isOwn ? "model’s own" : undefined}
        value={isOwn ? "" : rounded(points[place].at)}
        onChange={({ currentTarget }) => {
          const next = stepAt(facts, currentTarget.valueAsNumber);
          const at = next === undefined ? facts.used.at : points[next].at;
          onStep(next);
          // The field always shows the threshold in use, even if that is the previous one.
          currentTarget.value = at === undefined ? "" : String(rounded(at));
        }}
      />
      <button type="button" disabled={step === cheapest} onClick={() => onStep(cheapest)}>
        Cheapest
      </button>
      <button type="button" disabled={step === undefined} onClick={() => onStep(undefined)}>
        As the model
      </button>
    </fieldset>
  );
}

function describeThreshold(
  { positives, negatives }: ThresholdFacts,
  point: PredictedCounts & { at: number },
) {
  return `${rounded(point.at)}: finds ${point.found} of ${positives}, ${point.alarms} of ${negatives} false alarms`;
}

/** Leaves out insignificant digits. */
function rounded(at: number): number {
  return Number(at.toPrecision(4));
}

/** Finds the first step at or above a threshold; undefined if it is not a number. */
function stepAt({ points }: ThresholdFacts, at: number): number | undefined {
  if (!Number.isFinite(at)) return undefined;
  const step = points.findIndex((point) => point.at >= at);
  return step < 0 ? points.length - 1 : step;
}

interface CostInputsProps {
  readonly facts: ThresholdFacts;
  readonly costs: ErrorCosts;
  readonly onCosts: (costs: ErrorCosts) => void;
}

function CostInputs({ facts: { positive, negative }, costs, onCosts }: CostInputsProps) {
  const input = (kind: "missed" | "alarm", text: string) => (
    <label>
      <span>
        <Sentences text={text} />
      </span>
      <input
        type="number"
        min={0}
        step="any"
        value={costs[kind]}
        onInput={({ currentTarget: { valueAsNumber: cost } }) =>
          cost >= 0 && onCosts({ ...costs, [kind]: cost })
        }
      />
    </label>
  );
  return (
    <fieldset class="threshold costs">
      <legend>Cost of an error</legend>
      {input("missed", `${quoted(positive)} missed`)}
      {input("alarm", `${quoted(negative)} taken for ${quoted(positive)}`)}
    </fieldset>
  );
}

interface CountTableProps {
  readonly facts: ThresholdFacts;
  readonly counts: PredictedCounts;
}

/** Shows the confusion matrix of two classes, the positive one first. */
function CountTable({ facts, counts: { found, alarms } }: CountTableProps) {
  const { positive, negative, positives, negatives } = facts;
  const rows = [
    { name: positive, counts: [found, positives - found], right: 0 },
    { name: negative, counts: [alarms, negatives - alarms], right: 1 },
  ];
  return (
    <ScrollRegion label="Counts at this threshold">
      <table class="confusion small">
        <thead>
          <tr>
            <th scope="col">True class</th>
            {rows.map(({ name }) => (
              <th key={name} scope="col" title={name}>
                <span class="unseen">Predicted </span>→ <span>{visibleSpaces(name)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, counts, right }) => (
            <tr key={name}>
              <th scope="row" title={name}>
                <span>{visibleSpaces(name)}</span>
              </th>
              {counts.map((count, k) => (
                <td
                  key={rows[k].name}
                  class={count === 0 ? "none" : k === right ? "right" : "wrong"}
                  style={`--shade:${Math.round(100 * Math.sqrt(count / (counts[0] + counts[1])))}`}
                >
                  {formatNumber(count)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

interface MeasureTilesProps {
  readonly facts: ThresholdFacts;
  readonly measures: ThresholdMeasures;
  readonly isPriced: boolean;
}

/** Shows the measures of the chosen threshold; screen readers announce changes. */
function MeasureTiles({ facts: { metric }, measures, isPriced }: MeasureTilesProps) {
  const isClient = useIsClient();
  const { recall, precision, error, balancedError, f1, cost } = measures;
  const tiles = [
    { name: "Recall", shown: formatPercent(recall) },
    { name: "Precision", shown: Number.isNaN(precision) ? "–" : formatPercent(precision) },
    { name: "Error", shown: formatPercent(error) },
    ...(metric === "f1" ? [{ name: "F1", shown: formatMetric("f1", f1) }] : []),
    ...(metric === "balanced-error" ? [{ name: "Balanced error", shown: formatPercent(balancedError) }] : []),
    ...(isPriced ? [{ name: "Cost per row", shown: formatMetric("cost", cost) }] : []),
  ];
  return (
    <dl class="tiles" aria-live={isClient ? "polite" : undefined}>
      {tiles.map(({ name, shown }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{shown}</dd>
        </div>
      ))}
    </dl>
  );
}
