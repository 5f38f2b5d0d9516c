import type { DescribedNode } from "@vouch/core/internal/learners/description";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import {
  hierarchyOutline,
  nearestNodes,
  nodeSummary,
  type OutlineItem,
  type OutlineLine,
  shortNames,
} from "../../facts/model/hierarchy-outline.js";
import { Outlined } from "../../text/outlined.js";
import { describeNode, HierarchyPicture } from "./hierarchy-graph.js";

/** Maximum number of nodes to draw; those farther from the root are folded. */
const MOST_NODES = 31;
const NEAREST_NODES = 15;

/** Maximum number of class names per list in the outline. */
const MOST_NAMES = 3;

/** Draws a learned hierarchy of classes as a graph and as an outline; null without nodes. */
export function HierarchyFigure({ nodes }: { readonly nodes: readonly DescribedNode[] }) {
  if (nodes.length === 0) return null;
  const isFolded = nodes.length > MOST_NODES;
  const most = isFolded ? NEAREST_NODES : MOST_NODES;
  const lines = hierarchyOutline(nodes, most);
  return (
    <>
      <p>
        A new row starts at node 1. Each node sends it to the left (blue) or to the right (orange, dashed).
        Classes that a node ignores are passed on to both sides. Nodes with a thick ring misclassify training
        rows.
      </p>
      <Outlined
        picture={<HierarchyPicture nodes={nodes} shown={nearestNodes(nodes, most)} />}
        summary="The hierarchy as text"
      >
        <ul class="tree hierarchy-list">
          <Items lines={lines} />
        </ul>
      </Outlined>
      <p class="note">
        {formatCount(nodes.length, "node")}
        {isFolded && `; the ${NEAREST_NODES} nearest to the root are shown`}. The margin of a node is the
        distance of the nearest training row from its boundary.
      </p>
    </>
  );
}

/** Lists lines of the same depth, each with the lines below it. */
function Items({ lines }: { readonly lines: readonly OutlineLine[] }) {
  const depth = lines[0]?.last.length ?? 0;
  const starts = lines.flatMap(({ last }, i) => (last.length === depth ? [i] : []));
  return (
    <>
      {starts.map((start, i) => {
        const below = lines.slice(start + 1, starts[i + 1]);
        return (
          <li key={start}>
            <Item item={lines[start].item} />
            {below.length > 0 && (
              <ul>
                <Items lines={below} />
              </ul>
            )}
          </li>
        );
      })}
    </>
  );
}

function Item({ item }: { readonly item: OutlineItem }) {
  switch (item.kind) {
    case "class":
      return <p>{item.name}</p>;
    case "again":
      return <p class="note">to node {item.number}, listed elsewhere</p>;
    case "folded":
      return (
        <p class="note" title={item.classes.join(", ")}>
          {formatCount(item.nodes, "more node")}: {shortNames(item.classes, MOST_NAMES)}
        </p>
      );
    case "node": {
      const { left, right } = item.node;
      return (
        <p title={describeNode(item.number, item.node)}>
          {item.number}: <b class="left">{shortNames(left, MOST_NAMES)}</b> or{" "}
          <b class="right">{shortNames(right, MOST_NAMES)}</b>
          <br />
          <span class="note">{nodeSummary(item.node)}</span>
        </p>
      );
    }
  }
}
