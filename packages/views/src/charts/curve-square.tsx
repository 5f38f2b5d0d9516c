import { formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { SquarePoint } from "../facts/evaluation/ranking-facts.js";
import { colour } from "./colours.js";
import { FRAME, FULL_HEIGHT, type LineStyle } from "./line-styles.js";

/** A line in a unit square. */
export interface SquareCurve {
  readonly name: string;
  readonly points: readonly SquarePoint[];
  readonly style: LineStyle;
}

interface CurveSquareProps {
  /** The text alternative. */
  readonly label: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly curves: readonly SquareCurve[];
  /** Whether points are joined by straight lines, or by steps at the previous point. */
  readonly join: "lines" | "steps";
  /** Whether to draw the line on which both axes agree. */
  readonly hasDiagonal?: boolean;
  /** A place to mark. */
  readonly point?: SquarePoint | undefined;
}

const WIDTH = 340;
const LEFT = FRAME.marginLeft;
const RIGHT = WIDTH - FRAME.marginRight;
const TOP = FRAME.marginTop;
const BOTTOM = FULL_HEIGHT - FRAME.marginBottom;
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/**
 * Draws curves in a square whose axes go from 0 to 100%. It fits half a page or a phone. It does without Plot, because
 * a marked point follows a slider in reports whose script cannot include a chart library.
 */
export function CurveSquare(props: CurveSquareProps) {
  const { label, curves, join, hasDiagonal = false, point } = props;
  return (
    <svg
      role="img"
      aria-label={label}
      width={WIDTH}
      height={FULL_HEIGHT}
      viewBox={`0 0 ${WIDTH} ${FULL_HEIGHT}`}
      font-size="12"
    >
      <Axes {...props} />
      {hasDiagonal && (
        <path
          d={`M${LEFT} ${BOTTOM}L${RIGHT} ${TOP}`}
          stroke={colour("muted")}
          stroke-dasharray="2 3"
          fill="none"
        />
      )}
      {curves.map(({ name, points, style }) => (
        <path
          key={name}
          class="curve"
          d={svgPath(points, join)}
          stroke={style.stroke}
          stroke-width={style.strokeWidth}
          stroke-dasharray={style.strokeDasharray}
          stroke-linejoin="round"
          fill="none"
        />
      ))}
      {point && (
        <circle
          cx={across(point.x)}
          cy={upward(point.y)}
          r="6.5"
          fill={colour("orange")}
          stroke={colour("paper")}
          stroke-width="1.5"
        />
      )}
    </svg>
  );
}

function Axes({ xLabel, yLabel }: Pick<CurveSquareProps, "xLabel" | "yLabel">) {
  const grid = TICKS.map((at) => `M${across(at)} ${TOP}V${BOTTOM}M${LEFT} ${upward(at)}H${RIGHT}`).join("");
  const [middleX, middleY] = [(LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2];
  return (
    <>
      <path d={grid} stroke={colour("line")} />
      <g fill={colour("muted")}>
        {TICKS.map((at) => (
          <text key={`x${at}`} x={across(at)} y={BOTTOM + 16} text-anchor="middle">
            {formatRoundPercent(at)}
          </text>
        ))}
        {TICKS.map((at) => (
          <text key={`y${at}`} x={LEFT - 8} y={upward(at) + 4} text-anchor="end">
            {formatRoundPercent(at)}
          </text>
        ))}
        <text x={middleX} y={FULL_HEIGHT - 5} text-anchor="middle">
          {xLabel}
        </text>
        <text transform={`translate(11 ${middleY}) rotate(-90)`} text-anchor="middle">
          {yLabel}
        </text>
      </g>
    </>
  );
}

function across(x: number): number {
  return tenths(LEFT + x * (RIGHT - LEFT));
}

function upward(y: number): number {
  return tenths(BOTTOM - y * (BOTTOM - TOP));
}

function tenths(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}

function svgPath(points: readonly SquarePoint[], join: CurveSquareProps["join"]): string {
  const [first, ...rest] = points;
  const start = `M${across(first.x)} ${upward(first.y)}`;
  const parts = rest.map(({ x, y }) =>
    join === "lines" ? `L${across(x)} ${upward(y)}` : `V${upward(y)}H${across(x)}`,
  );
  return start + parts.join("");
}
