import type { TreeNode, TreeSplit } from "@vouch/core/internal/learners/description";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { type ClassPlaces, classFill } from "../../charts/class-colours.js";
import { describeDistribution } from "../../facts/columns/distribution-words.js";
import { type PlacedNode, treeLayout } from "../../facts/model/tree-layout.js";
import { countSplits } from "../../facts/model/tree-outline.js";
import { shortened } from "../../text/text.js";
import { rounded, SplitHistogram } from "./split-picture.js";

/** Sizes in pixels: the picture, the maximum distance of two ends, and the height of a level. */
const WIDTH = 704;
const WIDEST_END = 150;
const LEVEL = 138;
const HISTOGRAM = { width: 132, height: 58 } as const;
const LINE = 15;
const CONDITION = 2 * LINE + 2;

/** Height of a split without its histogram, and of a leaf. */
const END_HEIGHT = 48;

/** Approximate width of a character, in pixels. */
const LETTER = 6.6;

interface TreePictureProps {
  readonly root: TreeNode;
  readonly places: ClassPlaces;
}

/** Draws the upper splits of a tree, with the class distributions along their features, and its leaves as bars. */
export function TreePicture({ root, places }: TreePictureProps) {
  const { placed, ends, levels } = treeLayout(root);
  const end = Math.min(WIDEST_END, WIDTH / ends);
  const left = (WIDTH - end * ends) / 2;
  const xOf = (node: PlacedNode) => rounded(left + node.x * end);
  const height = (levels - 1) * LEVEL + (root.kind === "leaf" ? END_HEIGHT : END_HEIGHT + 8);
  const splits = new Map(placed.map((one) => [one.node, one]));
  const shown = placed.filter(({ open }) => open).length;
  const label = `Decision tree: ${formatCount(countSplits(root), "split")}, ${formatNumber(shown)} drawn. The text below says the same.`;
  return (
    <svg
      class="tree-picture"
      width={WIDTH}
      height={height}
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label={label}
    >
      {placed.map((one) => {
        const parent = one.from && splits.get(one.from.parent);
        return parent && <Edge key={nodeKey(one)} from={parent} to={one} x1={xOf(parent)} x2={xOf(one)} />;
      })}
      {placed.map((one) => (
        <g key={nodeKey(one)} transform={`translate(${xOf(one)} ${one.level * LEVEL})`}>
          {one.open && one.node.kind === "split" ? (
            <DrawnSplit split={one.node} places={places} />
          ) : (
            <DrawnEnd node={one.node} places={places} width={end - 8} />
          )}
        </g>
      ))}
    </svg>
  );
}

function nodeKey({ level, x }: PlacedNode): string {
  return `${level} ${x}`;
}

interface EdgeProps {
  readonly from: PlacedNode;
  readonly to: PlacedNode;
  readonly x1: number;
  readonly x2: number;
}

/** Draws the line to a branch, labelled with its outcome and as thick as its share of the rows. */
function Edge({ from, to, x1, x2 }: EdgeProps) {
  const hasHistogram = from.node.kind === "split" && from.node.distribution !== undefined;
  const y1 = from.level * LEVEL + (hasHistogram ? CONDITION + HISTOGRAM.height + 2 : CONDITION + 6);
  const y2 = to.level * LEVEL - 2 + (to.open ? nodeTop(to.node) : 0);
  const share = (to.node.rows ?? 0) / Math.max(1, from.node.rows ?? 0);
  const outcome = to.from?.outcome ?? "";
  const x = (x1 + 2 * x2) / 3;
  // Near the right edge of the picture, the text goes to the left of its line.
  const isLeft = x2 < x1 || x + 6 + outcome.length * LETTER > WIDTH;
  return (
    <g>
      <line x1={x1} x2={x2} y1={y1} y2={y2} class="edge" stroke-width={rounded(1 + 4 * share)} />
      <text
        x={rounded(x + (isLeft ? -6 : 6))}
        y={(y1 + 2 * y2) / 3 - 1}
        text-anchor={isLeft ? "end" : "start"}
        class="muted"
      >
        {outcome}
      </text>
    </g>
  );
}

function DrawnSplit({ split, places }: { readonly split: TreeSplit; readonly places: ClassPlaces }) {
  const { condition, distribution } = split;
  return (
    <g>
      <title>{distribution ? `${condition}\n${describeDistribution(distribution)}` : condition}</title>
      <text text-anchor="middle" class="condition">
        {conditionLines(condition).map((line, i) => (
          <tspan key={line} x="0" y={nodeTop(split) + LINE * (i + 1) - 4}>
            {line}
          </tspan>
        ))}
      </text>
      {distribution && (
        <g transform={`translate(${-HISTOGRAM.width / 2} ${CONDITION})`}>
          <SplitHistogram distribution={distribution} places={places} {...HISTOGRAM} />
        </g>
      )}
    </g>
  );
}

/** Characters per line above a histogram. */
const LINE_LETTERS = Math.floor((HISTOGRAM.width + 24) / LETTER);

/** Breaks a long condition at a space, and truncates it after two lines. */
function conditionLines(condition: string): readonly string[] {
  if (condition.length <= LINE_LETTERS) return [condition];
  const space = condition.lastIndexOf(" ", LINE_LETTERS);
  const at = space < LINE_LETTERS / 3 ? LINE_LETTERS : space;
  return [condition.slice(0, at), shortened(condition.slice(at).trim(), LINE_LETTERS)];
}

/** Returns the top of a split's text: one line beside the histogram, or two lines above it. */
function nodeTop(node: TreeNode): number {
  return node.kind === "split" && conditionLines(node.condition).length === 1 ? LINE : 0;
}

interface DrawnEndProps {
  readonly node: TreeNode;
  readonly places: ClassPlaces;
  readonly width: number;
}

/** Draws a leaf as a bar of class shares, or a folded branch as its number of splits. */
function DrawnEnd({ node, places, width }: DrawnEndProps) {
  const letters = Math.floor(width / LETTER);
  const hidden = countSplits(node);
  const rows = node.rows === undefined ? "" : formatCount(node.rows, "row");
  const shares = node.kind === "leaf" ? (node.shares ?? []) : [];
  const bar = Math.min(width, 84);
  let x = -bar / 2;
  return (
    <g>
      <title>{[node.label, rows, ...shares.flatMap(describeShare)].join("\n")}</title>
      {hidden > 0 ? (
        <rect x={-bar / 2} y="3" width={bar} height="12" rx="6" class="folded" />
      ) : (
        shares.map(({ class: name, share }) => {
          const from = x;
          x += share * bar;
          return (
            share > 0 && (
              <rect
                key={name}
                x={rounded(from)}
                y="3"
                width={rounded(share * bar)}
                height="12"
                class={classFill(places, name)}
              />
            )
          );
        })
      )}
      <text y="29" text-anchor="middle" class="condition">
        {shortened(node.label ?? "", letters)}
      </text>
      <text y="43" text-anchor="middle" class="muted">
        {shortened(hidden > 0 ? formatCount(hidden, "more split") : rows, letters + 2)}
      </text>
    </g>
  );
}

function describeShare({ class: name, share }: { readonly class: string; readonly share: number }): string[] {
  return share > 0 ? [`${name} ${formatPercent(share)}`] : [];
}
