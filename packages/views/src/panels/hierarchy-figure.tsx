import { type DescribedNode, formatCount } from "vouch/train";
import { colour } from "./colours.js";
import type { FigureWidth } from "./figure.js";
import { hierarchyOutline, nodeFacts, type OutlineItem, type OutlineLine } from "./hierarchy-outline.js";
import { html, lengthOf, type Markup, shortened } from "./markup.js";

/** Maximum number of nodes that are drawn, those nearest to the root: about four levels. */
const MOST_NODES = 31;
const NEAREST_NODES = 15;

/** Pixels: the height of a node's two lines and of a single one, from level to level, and from a joint to its text. */
const NODE = 38;
const SINGLE = 24;
const INDENT = 16;
const GAP = 10;
/** Width of a letter, on average, in a wide font. */
const LETTER = 7.6;

const WIDTHS = { wide: 704, narrow: 340 } as const;

/** Draws the hierarchy of classes that a model has learned as a tree of lines; returns undefined without nodes. */
export function hierarchyFigure(nodes: readonly DescribedNode[]): Markup | undefined {
  if (nodes.length === 0) return undefined;
  const folded = nodes.length > MOST_NODES;
  const lines = hierarchyOutline(nodes, folded ? NEAREST_NODES : MOST_NODES);
  const caption = `${formatCount(nodes.length, "node")}${folded ? `; the ${NEAREST_NODES} nearest to the root are shown` : ""}. Point at a line to see all its classes.`;
  return html`<p>A new row starts at the first line. Each node sends it to the first line below (classes on the left, blue) or to the second (classes on the right, orange). Classes that a node ignores are passed on to both sides. The margin is the distance of the nearest training row from the decision boundary.</p>
<figure>
<div class="wide">${drawn(lines, "wide", caption)}</div>
<div class="narrow">${drawn(lines, "narrow", caption)}</div>
<figcaption>${caption}</figcaption>
</figure>
`;
}

function drawn(lines: readonly OutlineLine[], width: FigureWidth, caption: string): Markup {
  const places = placesOf(lines);
  const height = places.reduce((sum, place) => sum + place.height, 0);
  return html`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Hierarchy of classes. ${caption}" width="${WIDTHS[width]}" height="${height}" viewBox="0 0 ${WIDTHS[width]} ${height}" font-size="13" font-family="inherit">
${lines.map(
  (line, row) => html`${joints(line, places[row])}${entry(line, places[row], width)}
`,
)}</svg>`;
}

/** Position of a line: its upper edge and its height. */
interface Place {
  readonly top: number;
  readonly height: number;
}

function placesOf(lines: readonly OutlineLine[]): Place[] {
  let bottom = 0;
  return lines.map(({ item }) => {
    const height = item.kind === "node" ? NODE : SINGLE;
    bottom += height;
    return { top: bottom - height, height };
  });
}

/** Draws the lines that lead to an entry: down from each level that goes on, and across to its own. */
function joints({ last }: OutlineLine, { top, height }: Place): Markup {
  const middle = top + height / 2;
  const stroke = colour("line");
  const path = last
    .map((isLast, level) => {
      const x = level * INDENT + 4.5;
      if (level < last.length - 1) return isLast ? "" : `M${x} ${top}V${top + height}`;
      return `M${x} ${top}V${isLast ? middle : top + height}M${x} ${middle}h${INDENT - 6}`;
    })
    .join("");
  return html`<path d="${path}" fill="none" stroke="${stroke}"/>`;
}

function entry({ item, last }: OutlineLine, { top, height }: Place, width: FigureWidth): Markup {
  const x = last.length * INDENT + (last.length > 0 ? GAP - 6 : 0);
  const y = top + height / 2;
  const available = Math.floor((WIDTHS[width] - x) / LETTER);
  return html`<g><title>${details(item)}</title>${texts(item, x, y, available)}</g>`;
}

/** Writes an entry in the available letters; all class names are in the tooltip. */
function texts(item: OutlineItem, x: number, y: number, available: number): Markup {
  const muted = colour("muted");
  const single = (text: string, fill: string) =>
    html`<text x="${x}" y="${y + 4}" fill="${fill}">${shortened(text, available)}</text>`;
  switch (item.kind) {
    case "class":
      return single(item.name, colour("ink"));
    case "again":
      return single(`to node ${item.number}, which is drawn elsewhere`, muted);
    case "folded": {
      const count = `${formatCount(item.nodes, "more node")}: `;
      return single(count + fitted(item.classes, available - count.length), muted);
    }
    case "node": {
      const half = Math.floor((available - String(item.number).length - 5) / 2);
      return html`<text x="${x}" y="${y - 3}"><tspan fill="${muted}">${item.number} </tspan><tspan fill="${colour("blue")}">${fitted(item.node.left, half)}</tspan><tspan fill="${muted}"> | </tspan><tspan fill="${colour("orange")}">${fitted(item.node.right, half)}</tspan></text><text x="${x}" y="${y + 13}" font-size="11.5" fill="${muted}">${shortened(briefly(nodeFacts(item.node), available), Math.floor(available * 1.1))}</text>`;
    }
  }
}

/** Shortens facts if there is little room: a positive margin already means no training error. */
function briefly(facts: string, available: number): string {
  if (facts.length <= available * 1.1) return facts;
  return facts.replace(", no training error", "").replace("training row", "row");
}

function details(item: OutlineItem): string {
  switch (item.kind) {
    case "class":
      return item.name;
    case "again":
      return `Node ${item.number}`;
    case "folded":
      return `${item.classes.join(", ")}: ${formatCount(item.nodes, "node")} not shown`;
    case "node": {
      const { left, right, ignored } = item.node;
      const ignores = ignored.length > 0 ? `\nIgnored: ${ignored.join(", ")}` : "";
      return `Node ${item.number}: ${nodeFacts(item.node)}\nLeft: ${left.join(", ")}\nRight: ${right.join(", ")}${ignores}`;
    }
  }
}

/** Lists as many names as fit, and how many more there are. */
function fitted(names: readonly string[], length: number): string {
  const [first = "", ...others] = names;
  let text = first;
  let written = 1;
  for (const name of others) {
    const more = names.length - written - 1;
    const longer = `${text}, ${name}`;
    if (lengthOf(longer) + (more > 0 ? ` +${more}`.length : 0) > length) break;
    text = longer;
    written++;
  }
  const rest = names.length > written ? ` +${names.length - written}` : "";
  return shortened(text, length - rest.length) + rest;
}
