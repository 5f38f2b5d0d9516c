import type { TreeNode } from "vouch/presentation";
import { formatCount, formatNumber, formatPercent } from "vouch/train";
import type { ChartWidth } from "../chart.js";
import { type FlowBand, flowLayout, wrongShare } from "../facts/flow-layout.js";
import { shortened } from "../text.js";
import { rounded } from "./split-picture.js";

const WIDTHS = { wide: 704, narrow: 340 } as const;

/** Pixels of a line of the picture: two lines of text, then a bar. */
const LINE = 62;
const TEXT = 36;
const BAR = 14;

/** Pixels of a letter, about. */
const LETTER = 7.6;

/** Narrowest mark of misclassified rows, in pixels: few errors are seen, too. */
const NARROWEST = 2;

/** Draws the training rows as they flow through the gates of a cascade: widths are to scale. */
export function CascadeFlow({ root }: { readonly root: TreeNode }) {
  const bands = flowLayout(root);
  const label = flowInWords(bands);
  return (
    <figure>
      {(["wide", "narrow"] as const).map((width) => (
        <div key={width} class={width}>
          <DrawnFlow bands={bands} width={width} label={label} />
        </div>
      ))}
    </figure>
  );
}

interface DrawnFlowProps {
  readonly bands: readonly FlowBand[];
  readonly width: ChartWidth;
  readonly label: string;
}

function DrawnFlow({ bands, width, label }: DrawnFlowProps) {
  const pixels = WIDTHS[width];
  const height = bands.length * LINE;
  return (
    <svg
      class="cascade"
      width={pixels}
      height={height}
      viewBox={`0 0 ${pixels} ${height}`}
      role="img"
      aria-label={label}
    >
      {bands.map((band) => (
        <Stream key={band.line} band={band} pixels={pixels} />
      ))}
      {bands.map((band) => (
        <Station key={band.line} band={band} pixels={pixels} />
      ))}
    </svg>
  );
}

interface BandProps {
  readonly band: FlowBand;
  readonly pixels: number;
}

/** Draws the rows on their way from one bar down to the next. */
function Stream({ band: { from, to, line, source, node }, pixels }: BandProps) {
  if (source === undefined) return null;
  const top = source * LINE + TEXT + BAR;
  return (
    <rect
      x={rounded(from * pixels)}
      y={top}
      width={rounded((to - from) * pixels)}
      height={line * LINE + TEXT - top}
      class={node.kind === "leaf" ? "kept" : "passed"}
    />
  );
}

/** Draws a gate or a leaf: two lines of text above a bar of its rows. */
function Station({ band, pixels }: BandProps) {
  const { node, from, to, line } = band;
  const [first, second] = textsOf(band);
  const letters = Math.floor(pixels / LETTER);
  const shown = shortened(first, letters);
  const x = rounded(Math.max(0, Math.min(from * pixels, pixels - shown.length * LETTER)));
  const wide = (to - from) * pixels;
  const wrong = node.kind === "leaf" ? wrongShare(node) * wide : 0;
  const marked = wrong > 0 ? Math.min(wide, Math.max(NARROWEST, wrong)) : 0;
  return (
    <g transform={`translate(0 ${line * LINE})`}>
      <title>{`${first}\n${second}`}</title>
      <text x={x} y="15" class="condition">
        {shown}
      </text>
      <text x={x} y="30" class="muted">
        {shortened(second, letters)}
      </text>
      <rect
        x={rounded(from * pixels)}
        y={TEXT}
        width={rounded(Math.max(1, wide))}
        height={BAR}
        class={node.kind === "leaf" ? "right" : "gate"}
      />
      {marked > 0 && (
        <rect x={rounded(to * pixels - marked)} y={TEXT} width={rounded(marked)} height={BAR} class="wrong" />
      )}
    </g>
  );
}

/** Writes what a station does, and its counts. */
function textsOf({ node, outcome }: FlowBand): [string, string] {
  const { rows = 0 } = node;
  if (node.kind === "leaf") {
    const wrong = node.wrong === undefined ? "" : `, ${formatNumber(node.wrong)} wrong`;
    const how = outcome === undefined ? "" : outcome === "stays" ? " stay" : " arrive";
    return [node.label, `${formatCount(rows, "row")}${how}${wrong}`];
  }
  const [kept, ...others] = node.branches.map((branch) => branch.node.rows ?? 0);
  const passed = others.reduce((sum, count) => sum + count, 0);
  const share = rows > 0 ? ` (${formatPercent(passed / rows)})` : "";
  return [
    `Gate: ${node.condition}`,
    `${formatCount(rows, "row")}: ${formatNumber(kept)} stay, ${formatNumber(passed)} go on${share}`,
  ];
}

function flowInWords(bands: readonly FlowBand[]): string {
  return `Cascade. ${bands.map((band) => textsOf(band).join(": ")).join(". ")}.`;
}
