import * as Plot from "@observablehq/plot";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { colour } from "@vouch/views";
import { drawPicture, pictureCard } from "./picture-card.js";

/** A workload timed with several numbers of threads. */
export interface ScaledWork {
  readonly name: string;
  /** Seconds by number of threads, one thread first. */
  readonly times: readonly { readonly threads: number; readonly seconds: number }[];
}

interface Point {
  readonly name: string;
  readonly threads: number;
  readonly speedUp: number;
}

const width = 840;
const height = 460;
const margins = { marginTop: 56, marginRight: 330, marginBottom: 52, marginLeft: 64 };

/** Height of a line of labels in pixels. */
const LABEL_HEIGHT = 19;

function pointsOf({ name, times }: ScaledWork): Point[] {
  const [{ seconds: first }] = times;
  return times.map(({ threads, seconds }) => ({ name, threads, speedUp: first / seconds }));
}

function rounded(speedUp: number): string {
  return formatNumber(Number(speedUp.toFixed(1)));
}

/** Places labels beside the ends of their lines, in order and without overlap; returns a pixel offset for each. */
function labelOffsets(ends: readonly Point[], place: (point: Point) => number): Map<string, number> {
  const sorted = [...ends].sort((a, b) => place(a) - place(b));
  const lowest = height - margins.marginBottom;
  const offsets = new Map<string, number>();
  let next = Math.min(margins.marginTop, lowest - LABEL_HEIGHT * sorted.length);
  for (const [i, end] of sorted.entries()) {
    const latest = lowest - LABEL_HEIGHT * (sorted.length - i);
    const at = Math.min(latest, Math.max(next, place(end)));
    offsets.set(end.name, at - place(end));
    next = at + LABEL_HEIGHT;
  }
  return offsets;
}

/**
 * Draws speed-ups by the number of threads on logarithmic axes, with the ideal as a dashed line, as an SVG file for
 * light and dark mode.
 */
export function scalingPicture(works: readonly ScaledWork[], title: string): string {
  const points = works.flatMap(pointsOf);
  const most = points.reduce((largest, { threads }) => Math.max(largest, threads), 1);
  const ends = works.map((work) => pointsOf(work).at(-1)).filter((end) => end !== undefined);
  const inner = height - margins.marginTop - margins.marginBottom;
  const place = ({ speedUp }: Point) =>
    margins.marginTop + inner * (1 - Math.log(Math.max(1, speedUp)) / Math.log(most));
  const offsets = labelOffsets(ends, place);
  const ticks = [...new Set(points.map(({ threads }) => threads))].sort((a, b) => a - b);
  const { marginTop, marginLeft } = margins;
  const text = { fontSize: 12.5, fill: colour("muted") };
  const heading = { ...text, fontSize: 13, fontWeight: 600 };
  return drawPicture({
    ariaLabel: ends
      .map(
        ({ name, speedUp, threads }) => `${name}: ${rounded(speedUp)} times as fast on ${threads} threads.`,
      )
      .join(" "),
    width,
    height,
    ...margins,
    style: { color: colour("ink") },
    x: { type: "log", base: 2, domain: [1, most], label: null },
    y: { type: "log", base: 2, domain: [1, most], label: null, clamp: true },
    marks: [
      pictureCard(margins),
      Plot.gridX(ticks, { stroke: colour("line"), strokeOpacity: 1 }),
      Plot.gridY(ticks, { stroke: colour("line"), strokeOpacity: 1 }),
      Plot.axisX(ticks, { ...text, tickSize: 0, tickFormat: (count) => formatNumber(count) }),
      Plot.axisY(ticks, { ...text, tickSize: 0, tickFormat: (count) => `${formatNumber(count)}×` }),
      Plot.text([title], { ...heading, frameAnchor: "top-left", dx: 28 - marginLeft, dy: 24 - marginTop }),
      Plot.text(["threads"], { ...text, frameAnchor: "bottom", dy: 40 }),
      Plot.line(ticks, {
        x: (count) => count,
        y: (count) => count,
        stroke: colour("muted"),
        strokeDasharray: "4 4",
      }),
      Plot.line(points, { x: "threads", y: "speedUp", z: "name", stroke: colour("blue"), strokeWidth: 2 }),
      Plot.dot(points, { x: "threads", y: "speedUp", r: 3, fill: colour("blue") }),
      ...ends.map((end) =>
        Plot.text([`${rounded(end.speedUp)}×  ${end.name}`], {
          x: () => end.threads,
          y: () => end.speedUp,
          textAnchor: "start",
          dx: 12,
          dy: offsets.get(end.name) ?? 0,
          fontSize: 12.5,
          fill: colour("ink"),
        }),
      ),
    ],
  });
}
