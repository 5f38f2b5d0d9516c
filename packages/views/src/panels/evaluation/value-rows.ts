import * as Plot from "@observablehq/plot";
import { formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { ChartWidth, Drawing } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { lineStyle } from "../../charts/marks.js";

/** One line of the figure, from top to bottom. */
interface ValueRow {
  readonly row: number;
  readonly name: string;
  /** Value at the end of its marks. */
  readonly end: number;
  /** Text at its end. */
  readonly shown: string;
}

/** Rows of values on one axis, such as errors. */
interface ValueRows {
  readonly ariaLabel: string;
  readonly rows: readonly ValueRow[];
  /** Ends of the axis. */
  readonly domain: readonly [number, number];
  /** Formats an axis value; percentages by default. */
  readonly tickFormat?: (value: number) => string;
  /** Reference value, drawn as a dotted line behind the names. */
  readonly reference?: number | undefined;
  /** Pixels for names beside the lines, and for texts at their ends. */
  readonly marginLeft: number;
  readonly marginRight: number;
  /** Draws the marks, given the vertical offset of a row's line and of its ticks. */
  marks(
    drop: number,
    tick: { readonly insetTop: number; readonly insetBottom: number },
  ): readonly Plot.Markish[];
}

/** Half the length of a tick, in pixels. */
const HALF_TICK = 9;

/** Puts names next to the lines, or above them on a phone. */
function rowLayout(width: ChartWidth, marginLeft: number) {
  if (width === "narrow") {
    return { rowHeight: 52, marginLeft: 14, ticks: 4, label: { dx: -14, dy: -12, lineWidth: 25 }, drop: 9 };
  }
  // The width of names is measured in ems of 13.5 pixels, with a gap before the lines.
  const label = { dx: -marginLeft, lineWidth: Math.floor(marginLeft / 14) };
  return { rowHeight: 36, marginLeft, ticks: 5, label, drop: 0 };
}

/** Draws one line per value, with a name and a text at its end. */
export function valueRows(
  {
    ariaLabel,
    rows,
    domain,
    tickFormat = formatRoundPercent,
    reference,
    marginRight,
    marks,
    ...room
  }: ValueRows,
  width: ChartWidth,
): Drawing {
  const { rowHeight, marginLeft, ticks, label, drop } = rowLayout(width, room.marginLeft);
  const text = { fontSize: 13.5, fill: colour("ink"), stroke: colour("paper"), strokeWidth: 5 };
  const tick = { insetTop: rowHeight / 2 - HALF_TICK + drop, insetBottom: rowHeight / 2 - HALF_TICK - drop };
  return {
    ariaLabel,
    marginTop: 0,
    marginBottom: 30,
    marginLeft,
    marginRight,
    height: 30 + rowHeight * rows.length,
    style: { fontSize: "12px" },
    x: { domain: [...domain], nice: ticks, label: null },
    y: { type: "band", domain: rows.map(({ row }) => row), axis: null, padding: 0 },
    marks: [
      Plot.gridX({ stroke: colour("line"), strokeOpacity: 1, ticks }),
      Plot.axisX({ ticks, tickFormat, tickSize: 0, fill: colour("muted") }),
      ...(reference !== undefined && reference >= domain[0] && reference <= domain[1]
        ? [Plot.ruleX([reference], lineStyle("bound"))]
        : []),
      Plot.text(rows, {
        ...text,
        ...label,
        y: "row",
        text: "name",
        frameAnchor: "left",
        textOverflow: "ellipsis",
      }),
      ...marks(drop, tick),
      Plot.text(rows, {
        ...text,
        x: "end",
        y: "row",
        dx: 11,
        dy: drop,
        text: "shown",
        textAnchor: "start",
        fontWeight: 600,
      }),
    ],
  };
}
