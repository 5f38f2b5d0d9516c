import type { DescribedNode } from "@vouch/core/internal/learners/description";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { type GraphNode, type HierarchyGraph, hierarchyGraph } from "../../facts/model/hierarchy-layout.js";
import { nearestNodes, nodeSummary } from "../../facts/model/hierarchy-outline.js";
import { shortened } from "../../text/text.js";
import { rounded } from "./split-picture.js";

/** Sizes in pixels: the picture, the margin for class names, the distance of rows, and a node. */
const WIDTH = 704;
const NAMES = 170;
const ROW = 34;
const WIDEST_COLUMN = 150;
const RADIUS = 12;

/** Pixels between a text and the next column. */
const GAP = 4;

/** Approximate width of a character, in pixels. */
const LETTER = 7.2;

interface HierarchyPictureProps {
  readonly nodes: readonly DescribedNode[];
  /** Numbers of the nodes to draw. */
  readonly shown: ReadonlySet<number>;
}

/** Draws a hierarchy of classes as a layered graph, from the first node on the left to the classes on the right. */
export function HierarchyPicture({ nodes, shown }: HierarchyPictureProps) {
  const graph = hierarchyGraph(nodes, shown);
  const column = Math.min(WIDEST_COLUMN, (WIDTH - NAMES - RADIUS) / Math.max(1, graph.columns - 1));
  const pointOf = ({ column: c, row }: GraphNode): Point => [
    rounded(RADIUS + 2 + c * column),
    rounded((row + 0.5) * ROW),
  ];
  const points = new Map(graph.nodes.map((one) => [one.key, pointOf(one)]));
  const height = graph.rows * ROW;
  return (
    <svg
      class="hierarchy"
      width={WIDTH}
      height={height}
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label={`Hierarchy of classes: ${formatCount(nodes.length, "node")}, ${formatNumber(shown.size)} drawn. The text below says the same.`}
    >
      <Edges graph={graph} points={points} />
      {graph.nodes.map((one) => (
        <DrawnNode
          key={one.key}
          node={one}
          nodes={nodes}
          point={points.get(one.key) ?? ORIGIN}
          room={column - RADIUS - GAP}
        />
      ))}
    </svg>
  );
}

type Point = readonly [x: number, y: number];

const ORIGIN: Point = [0, 0];

function Edges({
  graph,
  points,
}: {
  readonly graph: HierarchyGraph;
  readonly points: ReadonlyMap<string, Point>;
}) {
  return (
    <>
      {graph.edges.map(({ from, to, side }) => {
        const [x1, y1] = points.get(from) ?? ORIGIN;
        const [x2, y2] = points.get(to) ?? ORIGIN;
        const bend = rounded((x1 + x2) / 2);
        return (
          <path
            key={`${from} ${side}`}
            d={`M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`}
            class={`edge ${side}`}
          />
        );
      })}
    </>
  );
}

interface DrawnNodeProps {
  readonly node: GraphNode;
  readonly nodes: readonly DescribedNode[];
  readonly point: Point;
  /** Pixels to the next column. */
  readonly room: number;
}

function DrawnNode({ node: { kind, number = 0, name = "" }, nodes, point: [x, y], room }: DrawnNodeProps) {
  if (kind === "class") {
    return (
      <g>
        <title>{name}</title>
        <text x={x + 4} y={y + 4}>
          {shortened(name, Math.floor((WIDTH - x - 4) / LETTER))}
        </text>
      </g>
    );
  }
  const own = nodes[number - 1];
  if (kind === "folded") {
    const classes = [...own.left, ...own.ignored, ...own.right];
    const below = formatCount(nearestNodes(nodes, Number.POSITIVE_INFINITY, number).size, "more node");
    return (
      <g>
        <title>{`${below}: ${classes.join(", ")}`}</title>
        <text x={x + 4} y={y + 4} class="muted">
          {shortened(`${below}, ${formatCount(classes.length, "class", "classes")}`, 26)}
        </text>
      </g>
    );
  }
  return (
    <g>
      <title>{describeNode(number, own)}</title>
      <circle cx={x} cy={y} r={RADIUS} class={own.errors > 0 ? "erring" : "separable"} />
      <text x={x} y={y + 4} text-anchor="middle">
        {number}
      </text>
      <text
        x={x}
        y={y - RADIUS - 3}
        text-anchor={x < room / 2 ? "start" : "middle"}
        dx={x < room / 2 ? -RADIUS : 0}
        class="muted classes"
      >
        {classesShown([...own.left, ...own.ignored, ...own.right], Math.floor(room / LETTER))}
      </text>
    </g>
  );
}

/** Lists the classes of a node, or counts them if the list is longer than `most` characters. */
function classesShown(classes: readonly string[], most: number): string {
  const list = classes.join(" ");
  return list.length <= most ? list : formatCount(classes.length, "class", "classes");
}

/** Describes a node and all its classes. */
export function describeNode(number: number, node: DescribedNode): string {
  const { left, right, ignored } = node;
  const ignores = ignored.length > 0 ? `\nIgnored: ${ignored.join(", ")}` : "";
  return `Node ${number}: ${nodeSummary(node)}\nLeft: ${left.join(", ")}\nRight: ${right.join(", ")}${ignores}`;
}
