import {
  type Fact,
  formatCount,
  formatPercent,
  formatValue,
  type TreeLeaf,
  type TreeNode,
  type TreeSection,
} from "vouch/train";
import { html, type Markup } from "./markup.js";

/** Facts of the whole tree: the number of rows at the root, and the depth of the deepest leaf. */
interface TreeSize {
  readonly rows: number;
  readonly depth: number;
}

/** Draws a tree of splits or gates: at each the condition, at each leaf how many training rows reach it. */
export function treeFigure({ root }: TreeSection): Markup {
  const size = { rows: root.rows ?? 0, depth: depthOf(root) };
  const start = root.rows === undefined ? "All rows" : formatCount(root.rows, "training row");
  return html`<p>A new row starts at the top. Each condition decides where it goes, until a leaf gives its class.${size.rows > 0 && " A bar shows the share of the training rows that reach its leaf."}</p>
<ul class="tree">${branch(root, start, 0, size)}</ul>
`;
}

function branch(node: TreeNode, title: string, depth: number, size: TreeSize): Markup {
  if (node.kind === "leaf") return html`<li><p>${title}</p>${leaf(node, depth, size)}</li>`;
  const below = node.branches.map(({ outcome, node: child }) =>
    branch(child, branchTitle(outcome, child), depth + 1, size),
  );
  return html`<li><p>${title}: <b>${node.condition}</b>${notes(node.facts)}</p>
<ul>${below}</ul></li>`;
}

function branchTitle(outcome: string, { rows }: TreeNode): string {
  return rows === undefined ? outcome : `${outcome}: ${formatCount(rows, "row")}`;
}

function leaf(node: TreeLeaf, depth: number, size: TreeSize): Markup {
  const { label, rows, shares = [], facts } = node;
  const segments =
    shares.length > 0
      ? shares.map(
          ({ class: name, share }, i) =>
            html`<span class="part${i % 6}" style="width:${percent(share)}" title="${name}: ${formatPercent(share)}"></span>`,
        )
      : html`<span class="part0" style="width:100%"></span>`;
  return html`${
    rows !== undefined &&
    html`<div class="flow" aria-hidden="true" style="width:${barWidth(rows, depth, size)}">${segments}</div>
`
  }<b>${label}</b>${shareNotes(shares)}${notes(facts)}`;
}

function notes(facts: readonly Fact[]): Markup | false {
  return (
    facts.length > 0 &&
    html`<br><span class="note">${facts.map(({ name, value, unit }) => `${name} ${formatValue(value, unit)}`).join(", ")}</span>`
  );
}

function shareNotes(shares: NonNullable<TreeLeaf["shares"]>): Markup | false {
  const present = shares.filter(({ share }) => share > 0);
  return (
    present.length > 1 &&
    html` <span class="note">(${present.map((one) => `${one.class} ${formatPercent(one.share)}`).join(", ")})</span>`
  );
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

function depthOf(node: TreeNode): number {
  return node.kind === "leaf" ? 0 : 1 + Math.max(...node.branches.map((one) => depthOf(one.node)));
}

/** Measures bars of all depths by the same width, although a deeper leaf is indented and has less room. */
function barWidth(rows: number, depth: number, size: TreeSize): string {
  const share = size.rows > 0 ? Number((rows / size.rows).toFixed(4)) : 0;
  return `calc(${share}*(100% - ${size.depth - depth}*var(--indent)))`;
}
