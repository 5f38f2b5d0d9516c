import { formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { Term } from "@vouch/views/internal/text/term";
import { curvePlace, SmallCurve } from "./small-curve.js";
import type { TrainingFrame } from "./training-events.js";

interface MarginCurveProps {
  readonly frames: readonly TrainingFrame[];
  readonly position: number;
}

/** Draws the share of training rows with a margin of at most x, for this step and for the first one. */
export function MarginCurve({ frames, position }: MarginCurveProps) {
  if (frames.length === 0) return null;
  const { margins, unit, step } = frames[Math.min(position, frames.length - 1)];
  const ends = frames.flatMap((frame) => [frame.margins[0], frame.margins[frame.margins.length - 1]]);
  const low = Math.min(0, ...ends);
  const high = Math.max(0, ...ends);
  if (!(high > low)) return null;
  const share = (margin: number) => (margin - low) / (high - low);
  const line = (sorted: Float32Array) => {
    const steps = Array.from(
      sorted,
      (margin, i) => `H${curvePlace.x(share(margin))}V${curvePlace.y((i + 1) / sorted.length)}`,
    );
    return `M${curvePlace.x(0)},${curvePlace.y(0)}${steps.join("")}H${curvePlace.x(1)}`;
  };
  const [least, median, most] = [0, Math.floor(margins.length / 2), margins.length - 1].map((place) =>
    rounded(margins[place]),
  );
  const isGrown = frames.length > 1;
  return (
    <SmallCurve
      label={`Margins of the training rows after ${unit} ${step}: from ${least} to ${most}, median ${median}.`}
      caption={
        <>
          Share of the training rows with at most this <Term of="margin" />
          {isGrown && `: this ${unit} solid, the first dashed`}. Rows left of the line at 0 are misclassified.
        </>
      }
      top={formatPercent(1)}
      start={`margin ${rounded(low)}`}
      end={rounded(high)}
      mark={share(0)}
    >
      {isGrown && <path class="dashed" d={line(frames[0].margins)} />}
      <path class="solid" d={line(margins)} />
    </SmallCurve>
  );
}

function rounded(margin: number): string {
  return formatNumber(Number(margin.toFixed(2)));
}
