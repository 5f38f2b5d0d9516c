import { formatCount, formatPercent } from "vouch";
import { type CumulativeCurve, cumulativeDrawing } from "./cumulative-drawing.js";
import { cumulativeMargins } from "./cumulative-margins.js";
import { figure } from "./figure.js";
import { html, type Markup } from "./markup.js";
import { legend, lineStyle } from "./series.js";

/** Normalised margins, one per row: positive where the model is right. */
export interface Margins {
  readonly train?: ArrayLike<number>;
  readonly test?: ArrayLike<number>;
}

interface MarginCurve extends CumulativeCurve {
  /** Rows whose margin is not a finite number. */
  readonly leftOut: number;
  /** Fraction of rows with a margin of at most 0: not on the right side with certainty. */
  readonly notPositive: number;
}

function marginCurve(role: "train" | "test", name: string, margins: ArrayLike<number> = []): MarginCurve {
  const finite = Array.from(margins).filter(Number.isFinite);
  return {
    style: lineStyle(role),
    name,
    points: cumulativeMargins(finite),
    leftOut: margins.length - finite.length,
    notPositive: finite.filter((margin) => margin <= 0).length / finite.length,
  };
}

function readings(curves: readonly MarginCurve[]): string {
  const shares = curves.map(
    ({ name, notPositive }) => `${formatPercent(notPositive)} of the ${name.toLowerCase()}`,
  );
  return `With a margin of 0 or less: ${shares.join(" and ")}.`;
}

/** The cumulative distribution of the margins; nothing when there is no finite margin. */
export function marginFigure(margins: Margins): Markup | undefined {
  const curves = [
    marginCurve("train", "Training rows", margins.train),
    marginCurve("test", "Held-out rows", margins.test),
  ].filter(({ points }) => points.length > 0);
  if (curves.length === 0) return undefined;
  const label = `Cumulative distribution of the margins. ${readings(curves)}`;
  const leftOut = curves.reduce((sum, curve) => sum + curve.leftOut, 0);
  const leftOutPart = leftOut > 0 ? ` ${formatCount(leftOut, "row")} without a finite margin left out.` : "";
  return html`<p>The margin says how clearly a row is on the right side: 1 is unanimous, 0 is undecided, below 0 is wrong. The further right a curve rises, the better.</p>
${figure((width) => cumulativeDrawing(curves, label, width), { legend: legend(curves), caption: readings(curves) + leftOutPart })}`;
}
