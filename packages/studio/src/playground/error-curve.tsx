import { formatPercent } from "vouch/predict";
import type { TrainingFrame } from "./training-events.js";

const WIDTH = 320;
const HEIGHT = 110;
const LEFT = 36;
const BOTTOM = 18;

interface ErrorCurveProps {
  readonly frames: readonly TrainingFrame[];
  readonly position: number;
}

/** Draws the training and the test error after each step. */
export function ErrorCurve({ frames, position }: ErrorCurveProps) {
  if (frames.length < 2) return null;
  const last = frames[frames.length - 1];
  const highest = Math.max(
    0.05,
    ...frames.flatMap((frame) => [shareOf(frame.training), shareOf(frame.test)]),
  );
  const x = (i: number) => LEFT + (i / (frames.length - 1)) * (WIDTH - LEFT - 6);
  const y = (share: number) => 6 + (1 - share / highest) * (HEIGHT - BOTTOM - 6);
  const line = (of: (frame: TrainingFrame) => number) =>
    frames.map((frame, i) => `${i === 0 ? "M" : "L"}${x(i).toFixed(1)},${y(of(frame)).toFixed(1)}`).join("");
  const label = `Errors by ${last.unit}: training from ${formatPercent(shareOf(frames[0].training))} to ${formatPercent(shareOf(last.training))}, test from ${formatPercent(shareOf(frames[0].test))} to ${formatPercent(shareOf(last.test))}.`;
  const at = Math.min(position, frames.length - 1);
  return (
    <figure class="error-curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <path class="axis" d={`M${LEFT},6V${HEIGHT - BOTTOM}H${WIDTH - 6}`} />
        <text x={LEFT - 4} y={10} text-anchor="end" dominant-baseline="middle">
          {formatPercent(highest)}
        </text>
        <text x={LEFT - 4} y={HEIGHT - BOTTOM} text-anchor="end">
          0
        </text>
        <text x={LEFT} y={HEIGHT - 4}>
          {last.unit} {frames[0].step}
        </text>
        <text x={WIDTH - 6} y={HEIGHT - 4} text-anchor="end">
          {last.step}
        </text>
        <path class="training" d={line((frame) => shareOf(frame.training))} />
        <path class="test" d={line((frame) => shareOf(frame.test))} />
        <path class="here" d={`M${x(at).toFixed(1)},6V${HEIGHT - BOTTOM}`} />
      </svg>
      <figcaption>Error by {last.unit}: training rows dashed, test rows solid.</figcaption>
    </figure>
  );
}

function shareOf({ errors, rows }: { readonly errors: number; readonly rows: number }): number {
  return errors / Math.max(1, rows);
}
