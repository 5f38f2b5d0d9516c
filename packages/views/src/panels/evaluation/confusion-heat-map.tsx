import type { Confusion } from "@vouch/core/internal/metrics/evaluation";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import type { ChartWidth } from "../../charts/chart.js";
import { shortened } from "../../text/text.js";

/** Number of shades. */
const SHADES = 6;

/** Smallest cell that fits a number, and the approximate width of a digit, in pixels. */
const NUMBERED = 18;
const DIGIT = 7;

/** Sizes of the picture, of the margin for class names and of the margin for axis titles, in pixels. */
const layouts = {
  wide: { width: 704, names: 96, title: 22, smallest: 11 },
  narrow: { width: 340, names: 52, title: 18, smallest: 9 },
} as const;

/**
 * Groups the cells of a confusion matrix by shade into SVG paths of unit squares; a hundred classes have ten thousand
 * cells, too many for one element each. Keys are `right1` … `right6` and `wrong1` … `wrong6`. The shade grows with the
 * square root of the share of the true class, so that rare errors stay visible.
 */
export function shadedCells({ matrix }: Confusion): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  matrix.forEach((row, i) => {
    const all = row.reduce((sum, count) => sum + count, 0);
    for (let j = 0; j < matrix.length; j++) {
      if (!(row[j] > 0)) continue;
      const shade = Math.max(1, Math.ceil(SHADES * Math.sqrt(row[j] / all)));
      const key = `${i === j ? "right" : "wrong"}${shade}`;
      paths.set(key, `${paths.get(key) ?? ""}M${j} ${i}h1v1h-1z`);
    }
  });
  return paths;
}

interface HeatMapProps {
  readonly confusion: Confusion;
  readonly width: ChartWidth;
}

/** Draws a confusion matrix in shades, with numbers if they fit. */
export function ConfusionHeatMap({ confusion, width: which }: HeatMapProps) {
  const { classes } = confusion;
  const { width, names, title, smallest } = layouts[which];
  const isNamed = (width - names - title) / classes.length >= smallest;
  const room = isNamed ? Math.min(names, roomFor(classes)) : 0;
  // A few classes do not need the full width.
  const size = Math.min(30, (width - room - title - 2) / classes.length);
  const span = size * classes.length;
  const start = title + room;
  const height = round(start + span + 2);
  const middle = round(start + span / 2);
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      role="img"
      class="heat"
      aria-label={describeMatrix(confusion)}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <g font-size="12" class="axis">
        <text x={middle} y="12" text-anchor="middle">
          Predicted class
        </text>
        <text transform={`translate(12 ${middle}) rotate(-90)`} text-anchor="middle">
          True class
        </text>
      </g>
      {isNamed && <ClassNames classes={classes} size={size} names={room} title={title} />}
      <rect x={start} y={start} width={round(span)} height={round(span)} class="ground" />
      <g transform={`translate(${start} ${start}) scale(${size.toFixed(4)})`}>
        {[...shadedCells(confusion)].map(([key, path]) => (
          <path key={key} class={key} d={path} />
        ))}
      </g>
      {size >= NUMBERED && <Counts matrix={confusion.matrix} start={start} size={size} />}
    </svg>
  );
}

interface CountsProps {
  readonly matrix: Confusion["matrix"];
  readonly start: number;
  readonly size: number;
}

/** Writes counts into the cells; skips counts that do not fit. */
function Counts({ matrix, start, size }: CountsProps) {
  const middle = (place: number) => round(start + (place + 0.5) * size);
  return (
    <g font-size="11" text-anchor="middle" dominant-baseline="central">
      {matrix.flatMap((row, i) =>
        Array.from(row, (count, j) => {
          const isShown = count > 0 && String(count).length * DIGIT < size;
          return (
            isShown && (
              <text
                key={`${i} ${j}`}
                x={middle(j)}
                y={middle(i)}
                class={i === j ? "count diagonal" : "count"}
              >
                {count}
              </text>
            )
          );
        }),
      )}
    </g>
  );
}

function describeMatrix({ classes, matrix }: Confusion): string {
  const wrong = matrix.reduce(
    (sum, row, i) => sum + row.reduce((all, count, j) => (j === i ? all : all + count), 0),
    0,
  );
  return `Confusion matrix of ${classes.length} classes: ${formatCount(wrong, "row")} off the diagonal.`;
}

interface ClassNamesProps {
  readonly classes: readonly string[];
  readonly size: number;
  readonly names: number;
  readonly title: number;
}

function ClassNames({ classes, size, names, title }: ClassNamesProps) {
  const most = Math.max(3, Math.floor((names - 6) / 6));
  const start = title + names;
  return (
    <g font-size={round(Math.min(12, size * 0.9))} fill="currentColor">
      {classes.map((name, i) => {
        const at = round(start + (i + 0.5) * size);
        const shown = shortened(name, most);
        return (
          <g key={name}>
            <text x={start - 5} y={at} text-anchor="end" dominant-baseline="central">
              {shown}
            </text>
            {shown.length * DIGIT < size ? (
              <text x={at} y={start - 5} text-anchor="middle">
                {shown}
              </text>
            ) : (
              <text transform={`translate(${at} ${start - 5}) rotate(-90)`} dominant-baseline="central">
                {shown}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

/** Returns the pixels needed for the longest name. */
function roomFor(classes: readonly string[]): number {
  return 12 + 7 * Math.max(...classes.map((name) => Math.min(99, name.length)));
}

function round(pixels: number): number {
  return Number(pixels.toFixed(1));
}
