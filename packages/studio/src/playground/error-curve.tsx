import { formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { curvePlace, SmallCurve } from "./small-curve.js";
import { type ErrorCount, errorShare, type TrainingFrame } from "./training-events.js";

interface ErrorCurveProps {
  readonly frames: readonly TrainingFrame[];
  readonly position: number;
}

/** Draws training and test error after each step. */
export function ErrorCurve({ frames, position }: ErrorCurveProps) {
  if (frames.length < 2) return null;
  const first = frames[0];
  const last = frames[frames.length - 1];
  const shares = (of: "training" | "test") => frames.map((frame) => errorShare(frame[of]));
  const highest = Math.max(0.05, ...shares("training"), ...shares("test"));
  const along = (i: number) => (frames[i].step - first.step) / (last.step - first.step);
  const line = (of: "training" | "test") =>
    shares(of)
      .map((share, i) => [curvePlace.x(along(i)), curvePlace.y(share / highest)].join())
      .join("L");
  const span = (of: "training" | "test") => `${of} from ${inPercent(first[of])} to ${inPercent(last[of])}`;
  return (
    <SmallCurve
      label={`Errors by ${last.unit}: ${span("training")}, ${span("test")}.`}
      caption={`Error by ${last.unit}: training rows dashed, test rows solid.`}
      top={formatPercent(highest)}
      start={`${last.unit} ${first.step}`}
      end={String(last.step)}
      mark={along(Math.min(position, frames.length - 1))}
    >
      <path class="dashed" d={`M${line("training")}`} />
      <path class="solid" d={`M${line("test")}`} />
    </SmallCurve>
  );
}

function inPercent(count: ErrorCount): string {
  return formatPercent(errorShare(count));
}
