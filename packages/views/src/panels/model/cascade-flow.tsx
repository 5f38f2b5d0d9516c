import type { TreeNode } from "@vouch/core/internal/learners/description";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { ChartWidth } from "../../charts/chart.js";
import { type FlowBand, flowLayout, wrongShare } from "../../facts/model/flow-layout.js";
import { shortened } from "../../text/text.js";
import { rounded } from "./split-picture.js";

/**
 * Sizes in pixels: the picture, the area of the flow, a line, and the start of its bar. Texts are beside the bars or
 * above them.
 */
const layouts = {
  wide: { width: 704, flow: { x: 330, width: 374 }, line: 48, bar: 9 },
  narrow: { width: 340, flow: { x: 0, width: 340 }, line: 62, bar: 36 },
} as const;

type Layout = (typeof layouts)[ChartWidth];

const BAR = 14;

/** Approximate width of a character, in pixels. */
const LETTER = 7.6;

/** Minimum width of the mark for misclassified rows, in pixels, so that few errors stay visible. */
const NARROWEST = 2;

/** Draws the training rows as they flow through the gates of a cascade, to scale. */
export function CascadeFlow({ root }: { readonly root: TreeNode }) {
  const bands = flowLayout(root);
  const label = describeFlow(bands);
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
  const layout = layouts[width];
  const height = bands.length * layout.line;
  return (
    <svg
      class="cascade"
      width={layout.width}
      height={height}
      viewBox={`0 0 ${layout.width} ${height}`}
      role="img"
      aria-label={label}
    >
      {bands.map((band) => (
        <Stream key={band.line} band={band} layout={layout} />
      ))}
      {bands.map((band) => (
        <Station key={band.line} band={band} layout={layout} />
      ))}
    </svg>
  );
}

interface BandProps {
  readonly band: FlowBand;
  readonly layout: Layout;
}

/** Converts a share of the rows into pixels from the left. */
function flowPlace(share: number, { flow }: Layout): number {
  return flow.x + share * flow.width;
}

/** Draws the rows on their way from one bar down to the next. */
function Stream({ band: { from, to, line, source, node }, layout }: BandProps) {
  if (source === undefined) return null;
  const top = source * layout.line + layout.bar + BAR;
  return (
    <rect
      x={rounded(flowPlace(from, layout))}
      y={top}
      width={rounded((to - from) * layout.flow.width)}
      height={line * layout.line + layout.bar - top}
      class={node.kind === "leaf" ? "kept" : "passed"}
    />
  );
}

/** Draws a gate or a leaf: two lines of text and a bar of its rows. */
function Station({ band, layout }: BandProps) {
  const { node, from, to, line } = band;
  const [first, second] = bandTexts(band);
  const letters = Math.floor((layout.flow.x || layout.width) / LETTER);
  const wide = (to - from) * layout.flow.width;
  const wrong = node.kind === "leaf" ? wrongShare(node) * wide : 0;
  const marked = wrong > 0 ? Math.min(wide, Math.max(NARROWEST, wrong)) : 0;
  return (
    <g transform={`translate(0 ${line * layout.line})`}>
      <title>{`${first}\n${second}`}</title>
      <text y="15" class="condition">
        {shortened(first, letters)}
      </text>
      <text y="31" class="muted">
        {shortened(second, letters)}
      </text>
      <rect
        x={rounded(flowPlace(from, layout))}
        y={layout.bar}
        width={rounded(Math.max(1, wide))}
        height={BAR}
        class={node.kind === "leaf" ? "right" : "gate"}
      />
      {marked > 0 && (
        <rect
          x={rounded(flowPlace(to, layout) - marked)}
          y={layout.bar}
          width={rounded(marked)}
          height={BAR}
          class="wrong"
        />
      )}
    </g>
  );
}

/** Describes a gate or a leaf, and its counts. */
function bandTexts({ node, outcome }: FlowBand): [string, string] {
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

function describeFlow(bands: readonly FlowBand[]): string {
  return `Cascade. ${bands.map((band) => bandTexts(band).join(": ")).join(". ")}.`;
}
