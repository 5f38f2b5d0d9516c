import type { ComponentChildren } from "preact";

const WIDTH = 320;
const HEIGHT = 110;
const LEFT = 36;
const RIGHT = WIDTH - 6;
const TOP = 6;
const BOTTOM = HEIGHT - 18;

/** Converts shares of width and height into coordinates of the drawing. */
export const curvePlace = {
  x: (share: number) => Number((LEFT + share * (RIGHT - LEFT)).toFixed(1)),
  y: (share: number) => Number((TOP + (1 - share) * (BOTTOM - TOP)).toFixed(1)),
};

interface SmallCurveProps {
  /** Text alternative of the curve. */
  readonly label: string;
  readonly caption: ComponentChildren;
  /** Largest value of the vertical axis, which begins at 0. */
  readonly top: string;
  /** Labels at the ends of the horizontal axis. */
  readonly start: string;
  readonly end: string;
  /** Position of a vertical line, as a share of the width. */
  readonly mark: number;
  readonly children: ComponentChildren;
}

/** Draws the axes of a small curve. */
export function SmallCurve({ label, caption, top, start, end, mark, children }: SmallCurveProps) {
  return (
    <figure class="small-curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <path class="axis" d={`M${LEFT},${TOP}V${BOTTOM}H${RIGHT}`} />
        <path class="here" d={`M${curvePlace.x(mark)},${TOP}V${BOTTOM}`} />
        <text x={LEFT - 4} y={TOP + 4} text-anchor="end" dominant-baseline="middle">
          {top}
        </text>
        <text x={LEFT - 4} y={BOTTOM} text-anchor="end">
          0
        </text>
        <text x={LEFT} y={HEIGHT - 4}>
          {start}
        </text>
        <text x={RIGHT} y={HEIGHT - 4} text-anchor="end">
          {end}
        </text>
        {children}
      </svg>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
