import { formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { CurveSquare } from "../../charts/curve-square.js";
import { Legend } from "../../charts/legend.js";
import { classStyle } from "../../charts/line-styles.js";
import type {
  OperatingPoint,
  RankingCurve,
  RankingFacts,
  SquarePoint,
} from "../../facts/evaluation/ranking-facts.js";
import { Term } from "../../text/term.js";

interface RankingFigureProps {
  readonly facts: RankingFacts;
  /** Point to mark on the curves; by default the model's predictions. */
  readonly point?: OperatingPoint | undefined;
}

/** Draws ROC and precision–recall curves, and with two classes the point of the predictions. */
export function RocFigure({ facts, point = facts.point }: RankingFigureProps) {
  const { curves, classes } = facts;
  const named = curves.map((curve, i) => ({ name: curve.name, style: classStyle(i) }));
  return (
    <>
      {curves.length > 1 && (
        <>
          <p>
            Each class against all others{classes > curves.length && ": the mean, and the hardest class"}.
          </p>
          <Legend series={named} />
        </>
      )}
      <div class="pair">
        <RocChart curves={curves} point={point?.roc} />
        <PrecisionRecallChart curves={curves} point={point?.precisionRecall} />
      </div>
    </>
  );
}

interface CurveChartProps {
  readonly curves: readonly RankingCurve[];
  readonly point: SquarePoint | undefined;
}

function RocChart({ curves, point }: CurveChartProps) {
  const areas = `Area under the curve: ${readings(curves, (curve) => curve.areaUnderRoc)}`;
  return (
    <figure>
      <h3>
        <Term of="ROC curve" />
      </h3>
      <CurveSquare
        label={`ROC curve. ${areas}${describePlace(point, "false positive rate", "true positive rate")}`}
        xLabel="False positive rate"
        yLabel="True positive rate"
        curves={curves.map(({ name, roc }, i) => ({ name, points: roc, style: classStyle(i) }))}
        join="lines"
        hasDiagonal={true}
        point={point}
      />
      <figcaption>{areas}</figcaption>
    </figure>
  );
}

function PrecisionRecallChart({ curves, point }: CurveChartProps) {
  const precisions = `Average precision: ${readings(curves, (curve) => curve.averagePrecision)}`;
  return (
    <figure>
      <h3>
        <Term of="precision">Precision</Term> and <Term of="recall" />
      </h3>
      <CurveSquare
        label={`Precision–recall curve. ${precisions}${describePlace(point, "recall", "precision")}`}
        xLabel="Recall"
        yLabel="Precision"
        curves={curves.map(({ name, precisionRecall: points }, i) => ({
          name,
          points,
          style: classStyle(i),
        }))}
        join="steps"
        point={point}
      />
      <figcaption>{precisions}</figcaption>
    </figure>
  );
}

function describePlace(point: SquarePoint | undefined, x: string, y: string): string {
  return point ? ` The dot: ${x} ${formatPercent(point.x)}, ${y} ${formatPercent(point.y)}.` : "";
}

function readings(curves: readonly RankingCurve[], measure: (curve: RankingCurve) => number): string {
  const shown = (curve: RankingCurve) => formatNumber(Number(measure(curve).toPrecision(3)));
  if (curves.length === 1) return `${shown(curves[0])}.`;
  return `${curves.map((curve) => `${curve.name} ${shown(curve)}`).join(", ")}.`;
}
