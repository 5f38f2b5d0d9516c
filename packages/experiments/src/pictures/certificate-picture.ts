import * as Plot from "@observablehq/plot";
import {
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "@vouch/core/internal/runtime/text/number-format";
import { colour } from "@vouch/views";
import { drawPicture, pictureCard } from "./picture-card.js";

/** A model, its errors on held-out rows, and the certified bound. */
export interface PicturedModel {
  readonly data: string;
  readonly learner: string;
  /** Held-out rows. */
  readonly rows: number;
  /** Held-out rows that the model misclassifies. */
  readonly errors: number;
  /** Certified upper bound on the error on new data. */
  readonly bound: number;
}

const width = 840;
const rowHeight = 46;
const margins = { marginTop: 56, marginRight: 270, marginBottom: 46, marginLeft: 196 };
/** Distances of the text columns from the left or right edge of the picture. */
const edges = { names: 28, measured: 184, certified: 28 };

const nameColumn = { frameAnchor: "left", dx: edges.names - margins.marginLeft } as const;

function numberColumn(edge: number) {
  return { frameAnchor: "right", dx: margins.marginRight - edge } as const;
}

function headings(confidence: number) {
  const style = { dy: 24 - margins.marginTop, fontSize: 13, fontWeight: 600, fill: colour("muted") };
  const right = (edge: number) => ({ ...numberColumn(edge), ...style, frameAnchor: "top-right" }) as const;
  return [
    Plot.text(["Error on new data"], { ...nameColumn, ...style, frameAnchor: "top-left" }),
    Plot.text(["● measured"], right(edges.measured)),
    Plot.text([`| certified at ${formatRoundPercent(confidence)}`], right(edges.certified)),
  ];
}

interface PictureLine extends PicturedModel {
  readonly line: number;
  readonly error: number;
}

function pictureLine(model: PicturedModel, line: number): PictureLine {
  return { ...model, line, error: model.errors / model.rows };
}

function inWords({ learner, data, error, bound }: PictureLine): string {
  return `${learner} on ${data}: measured ${formatPercent(error)}, certified at most ${formatUpperBound(bound)}.`;
}

/** Names on the left, numbers on the right; each measured error with its counts. */
function texts(lines: readonly PictureLine[]) {
  const upper = { y: "line", dy: -8, fontSize: 14.5, fontWeight: 600 } as const;
  const lower = { y: "line", dy: 10, fontSize: 12.5, fill: colour("muted") } as const;
  const counts = ({ errors, rows }: PictureLine) => `${formatNumber(errors)} of ${formatNumber(rows)}`;
  return [
    Plot.text(lines, { ...upper, ...nameColumn, text: "data", lineWidth: 11, textOverflow: "ellipsis" }),
    Plot.text(lines, { ...lower, ...nameColumn, text: "learner", lineWidth: 13, textOverflow: "ellipsis" }),
    Plot.text(lines, {
      ...upper,
      ...numberColumn(edges.measured),
      text: ({ error }) => formatPercent(error),
    }),
    Plot.text(lines, { ...lower, ...numberColumn(edges.measured), text: counts }),
    Plot.text(lines, {
      ...upper,
      ...numberColumn(edges.certified),
      text: ({ bound }) => `≤ ${formatUpperBound(bound)}`,
    }),
  ];
}

/** Draws the certified bound as a bar and the measured error as a dot. */
function bars(lines: readonly PictureLine[]) {
  const bounded = lines.filter(({ bound }) => bound < 1);
  return [
    Plot.ruleY(bounded, { y: "line", x1: 0, x2: "bound", stroke: colour("band"), strokeWidth: 10 }),
    Plot.tickX(bounded, { x: "bound", y: "line", inset: 12, stroke: colour("ink"), strokeWidth: 2.5 }),
    Plot.dot(lines, { x: "error", y: "line", r: 6, fill: colour("blue") }),
  ];
}

/** Draws measured and certified errors, one model per line, as an SVG file for light and dark mode. */
export function certificatePicture(models: readonly PicturedModel[], confidence = 0.95): string {
  const lines = models.map(pictureLine);
  const shown = lines.flatMap(({ error, bound }) => [error, bound]).filter((value) => value < 1);
  const axis = {
    ticks: 6,
    tickFormat: formatRoundPercent,
    tickSize: 0,
    fontSize: 12.5,
    fill: colour("muted"),
  };
  return drawPicture({
    ariaLabel: lines.map(inWords).join(" "),
    width,
    height: margins.marginTop + margins.marginBottom + rowHeight * lines.length,
    ...margins,
    style: { color: colour("ink") },
    x: { domain: [0, Math.max(0.01, ...shown)], nice: 6, label: null },
    y: { type: "band", domain: lines.map(({ line }) => line), axis: null, padding: 0 },
    marks: [
      pictureCard(margins),
      Plot.gridX({ stroke: colour("line"), strokeOpacity: 1, ticks: 6 }),
      Plot.axisX(axis),
      ...headings(confidence),
      ...texts(lines),
      ...bars(lines),
    ],
  });
}
