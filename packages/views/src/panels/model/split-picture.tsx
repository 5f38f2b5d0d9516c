import type { SplitDistribution } from "@vouch/core/internal/learners/description";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { type ClassPlaces, classFill } from "../../charts/class-colours.js";
import { describeDistribution, edgeTexts, splitValue } from "../../facts/columns/distribution-words.js";

/** Height for the numbers below a histogram, and gap between the two sides of a categorical split, in pixels. */
const AXIS_HEIGHT = 15;
const SIDE_GAP = 8;

interface SplitPictureProps {
  readonly distribution: SplitDistribution;
  /** Colour indices of the classes in the whole tree. */
  readonly places: ClassPlaces;
  readonly width: number;
  readonly height: number;
}

/** Draws the rows of a split as an SVG group: a stacked histogram along its feature, with the threshold. */
export function SplitHistogram({ distribution, places, width, height }: SplitPictureProps) {
  const { cells, first, classes } = distribution;
  const count = classes[0]?.counts.length ?? 0;
  const totals = Array.from({ length: count }, (_, c) =>
    classes.reduce((sum, own) => sum + own.counts[c], 0),
  );
  const most = Math.max(1, ...totals);
  const base = height - AXIS_HEIGHT;
  const spanOf = cellSpans(distribution, width);
  const cut = spanOf(first)[0] - ("names" in cells ? SIDE_GAP / 2 : 0);
  const value = splitValue(distribution);
  return (
    <g>
      {totals.map((total, c) => {
        const [x, own] = spanOf(c);
        let y = base;
        return (
          <g key={c}>
            <title>{`${cellName(distribution, c)}: ${formatCount(total, "row")}`}</title>
            {classes.map(({ class: name, counts }) => {
              const tall = (counts[c] / most) * (base - 2);
              y -= tall;
              return (
                tall > 0 && (
                  <rect
                    key={name}
                    x={rounded(x)}
                    y={rounded(y)}
                    width={rounded(Math.max(0.5, own - 1))}
                    height={rounded(tall)}
                    class={classFill(places, name)}
                  />
                )
              );
            })}
          </g>
        );
      })}
      <line x1="0" x2={width} y1={base} y2={base} class="axis" />
      <line x1={rounded(cut)} x2={rounded(cut)} y1="0" y2={base + 3} class="cut" />
      {value !== undefined && "edges" in cells && (
        <AxisNumbers
          ends={edgeTexts(cells, 0, cells.edges.length - 2)}
          value={value}
          cut={cut}
          width={width}
          y={height - 3}
        />
      )}
    </g>
  );
}

interface AxisNumbersProps {
  readonly ends: ReturnType<typeof edgeTexts>;
  readonly value: number;
  readonly cut: number;
  readonly width: number;
  readonly y: number;
}

/** Approximate width of a digit, in pixels. */
const DIGIT = 6;

/** Writes the threshold, and the ends of the axis if there is room. */
function AxisNumbers({ ends: { low, high }, value, cut, width, y }: AxisNumbersProps) {
  const middle = formatNumber(value);
  const half = (middle.length * DIGIT) / 2;
  const x = Math.min(width - half, Math.max(half, cut));
  return (
    <g class="numbers">
      <text x={rounded(x)} y={y} text-anchor="middle" class="split-value">
        {middle}
      </text>
      {low.length * DIGIT + 6 < x - half && (
        <text x="0" y={y}>
          {low}
        </text>
      )}
      {width - high.length * DIGIT - 6 > x + half && (
        <text x={width} y={y} text-anchor="end">
          {high}
        </text>
      )}
    </g>
  );
}

/** Returns the start and width of each cell: intervals to scale, categories evenly with a gap between the sides. */
function cellSpans(
  { cells, first }: SplitDistribution,
  width: number,
): (cell: number) => readonly [x: number, width: number] {
  if ("names" in cells) {
    const own = (width - SIDE_GAP) / cells.names.length;
    return (cell) => [cell * own + (cell >= first ? SIDE_GAP : 0), own];
  }
  const { edges } = cells;
  const scale = width / (edges[edges.length - 1] - edges[0]);
  return (cell) => [
    (edges[cell] - edges[0]) * scale,
    ((edges[cell + 1] ?? edges[cell]) - edges[cell]) * scale,
  ];
}

function cellName({ feature, cells }: SplitDistribution, cell: number): string {
  if ("names" in cells) return `${feature} ${cells.names[cell]}`;
  const { low, high } = edgeTexts(cells, cell, cell);
  return `${feature} from ${low} to ${high}`;
}

/** Rounds coordinates, because pages contain many. */
export function rounded(coordinate: number): number {
  return Number(coordinate.toFixed(1));
}

/** Draws the rows of a split on their own, for the outline of a tree on a phone. */
export function SplitPicture(props: SplitPictureProps) {
  const { width, height } = props;
  return (
    <svg
      class="split-picture narrow"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={describeDistribution(props.distribution)}
    >
      <SplitHistogram {...props} />
    </svg>
  );
}
