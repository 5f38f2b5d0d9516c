import * as Plot from "@observablehq/plot";
import type { CalibrationMethod } from "@vouch/core/internal/metrics/calibrator";
import type { CalibrationBin, Reliability } from "@vouch/core/internal/metrics/reliability";
import {
  formatCount,
  formatNumber,
  formatPercent,
  formatPValue,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import type { TrainedCard } from "@vouch/core/internal/train/card";
import { useCallback } from "preact/hooks";
import { SmallChart } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { AXIS, diagonal, FRAME, FULL_HEIGHT, GRID, squareDrawing } from "../../charts/marks.js";
import type { ReliabilityFacts } from "../../facts/evaluation/reliability-facts.js";
import { Explained } from "../../text/explained.js";
import { shortened } from "../../text/text.js";

interface CalibrationFigureProps {
  readonly facts: ReliabilityFacts;
  /** Calibration method; absent if probabilities were not calibrated. */
  readonly calibration?: TrainedCard["calibration"];
  /** Log loss of these rows before and after calibration; absent if the uncalibrated model has no probabilities. */
  readonly logLoss?: { readonly before: number; readonly after: number } | undefined;
}

/** Draws predicted probabilities against observed frequencies. */
export function ReliabilityFigure({ facts, calibration, logLoss }: CalibrationFigureProps) {
  const event = facts.event === undefined ? "the predicted class" : shortened(facts.event, 16);
  return (
    <>
      <p>
        <Explained
          text={`${finding(facts)} ${describeMethod(calibration, logLoss)}`}
          terms={["p-value", "calibration", "log loss"]}
        />
      </p>
      <div class="pair">
        <ReliabilityChart facts={facts} event={event} />
        <BinChart bins={facts.bins} event={event} />
      </div>
      <details>
        <summary>How to read this</summary>
        <p>
          A dot is a bin: the mean predicted probability of its rows, and how often the event happened. On the
          dotted line every probability is right. With {formatRoundPercent(facts.confidence)} confidence, all{" "}
          {formatNumber(facts.bands.length)} bands contain the true frequency (exact, Clopper and Pearson).
        </p>
      </details>
    </>
  );
}

interface ReliabilityChartProps {
  readonly facts: Reliability;
  readonly event: string;
}

function ReliabilityChart({ facts: { bands, error, chanceError }, event }: ReliabilityChartProps) {
  const draw = useCallback(() => reliabilityDrawing(bands, error, event), [bands, error, event]);
  const caption = `Calibration error ${percent(error)}; ${percent(chanceError)} would be chance.`;
  return <SmallChart heading="Predicted and observed" draw={draw} caption={caption} />;
}

function reliabilityDrawing(bands: Reliability["bands"], error: number, event: string) {
  const points = bands.map((bin) => ({ ...bin, observed: bin.hits / bin.rows }));
  const words = points.map(
    ({ meanProbability, observed, lower, upper }) =>
      `Predicted ${formatPercent(meanProbability)}, observed ${formatPercent(observed)}, band ${formatPercent(lower)} to ${formatPercent(upper)}`,
  );
  return squareDrawing({
    ariaLabel: `Reliability diagram. Expected calibration error ${percent(error)}. ${words.join(". ")}.`,
    xLabel: `Predicted probability of ${event}`,
    yLabel: "Observed frequency",
    marks: [
      Plot.rect(bands, { x1: "from", x2: "to", y1: "lower", y2: "upper", inset: 0.5, fill: colour("band") }),
      diagonal(),
      Plot.line(points, { x: "meanProbability", y: "observed", stroke: colour("blue"), strokeOpacity: 0.45 }),
      Plot.dot(points, { x: "meanProbability", y: "observed", r: 4.5, fill: colour("blue") }),
    ],
  });
}

/** Formats a share; rounding errors may leave 10⁻¹⁴ instead of zero. */
function percent(share: number): string {
  return formatPercent(Number(share.toFixed(6)));
}

interface BinChartProps {
  readonly bins: readonly CalibrationBin[];
  readonly event: string;
}

function BinChart({ bins, event }: BinChartProps) {
  const draw = useCallback(() => {
    const most = Math.max(1, ...bins.map(({ rows }) => rows));
    const words = bins.map(
      ({ from, to, rows }) => `${formatRoundPercent(from)} to ${formatRoundPercent(to)}: ${rows}`,
    );
    return {
      ariaLabel: `Rows by probability. ${words.join(". ")}.`,
      ...FRAME,
      height: FULL_HEIGHT,
      x: { domain: [0, 1] },
      y: { domain: [0, most], nice: 5 },
      marks: [
        Plot.gridY(GRID),
        Plot.axisX({ ...AXIS, ticks: 5, tickFormat: formatRoundPercent, label: `Probability of ${event}` }),
        Plot.axisY({ ...AXIS, ticks: Math.min(5, most), tickFormat: ",d", label: "Rows" }),
        Plot.rectY(bins, { x1: "from", x2: "to", y: "rows", inset: 1, fill: colour("band") }),
      ],
    };
  }, [bins, event]);
  return <SmallChart heading="Rows by probability" draw={draw} caption="Few rows, wide band." />;
}

/** Describes whether the observed frequencies contradict the probabilities. */
function finding({ bands, confidence, p }: Reliability): string {
  if (p >= 1 - confidence) return `The observed frequencies fit the probabilities (${formatPValue(p)}).`;
  const misses = bands.filter(
    ({ meanProbability, lower, upper }) => meanProbability < lower || meanProbability > upper,
  );
  const which =
    misses.length <= 3 ? ` (${misses.map(({ from, to }) => rangeText(from, to)).join(", ")})` : "";
  const missed = `${formatNumber(misses.length)} of ${formatCount(bands.length, "band")}`;
  return `The probabilities are off: ${missed} ${misses.length === 1 ? "misses" : "miss"} the mean probability${which}; ${formatPValue(p)}.`;
}

function rangeText(from: number, to: number): string {
  return `${Math.round(100 * from)}–${formatRoundPercent(to)}`;
}

const METHODS: Readonly<Record<CalibrationMethod, string>> = {
  none: "",
  temperature: "temperature scaling",
  platt: "Platt scaling",
  beta: "beta calibration",
  isotonic: "isotonic regression",
};

/** Describes the calibration method and its effect. */
function describeMethod(
  calibration: CalibrationFigureProps["calibration"],
  logLoss: CalibrationFigureProps["logLoss"],
): string {
  if (!calibration) return "Not calibrated.";
  const { method, rows, from } = calibration;
  const which = formatCount(rows, from === "bags" ? "out-of-bag row" : "out-of-fold row");
  if (method === "none") return `Not calibrated: on ${which}, no method was better.`;
  const change = logLoss ? ` (log loss ${threeDigits(logLoss.before)} → ${threeDigits(logLoss.after)})` : "";
  return `Calibrated by ${METHODS[method]} on ${which}${change}.`;
}

function threeDigits(value: number): string {
  return formatNumber(Number(value.toPrecision(3)));
}
