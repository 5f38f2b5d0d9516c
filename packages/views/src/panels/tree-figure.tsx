import {
  type Fact,
  formatCount,
  formatPercent,
  formatValue,
  type TreeLeaf,
  type TreeNode,
  type TreeSection,
  type TreeSplit,
} from "vouch/train";
import { html, type Markup } from "./markup.js";
import { countSplits, largestShares, shownSplits } from "./tree-outline.js";

/** Classes that have a colour of their own. */
const COLOURS = 6;

/** Facts of the whole tree: the number of rows at the root, and the splits shown at first. */
interface WholeTree {
  readonly rows: number;
  readonly shown: ReadonlySet<TreeSplit>;
}

/** Draws a tree of splits or gates: at each the condition, at each leaf how many training rows reach it. */
export function treeFigure({ root }: TreeSection): Markup {
  const shown = shownSplits(root);
  const whole = { rows: root.rows ?? 0, shown };
  const start = root.rows === undefined ? "All rows" : formatCount(root.rows, "training row");
  const splits = countSplits(root);
  return html`<p>A new row starts at the top. Each condition decides where it goes, until a leaf gives its class.${whole.rows > 0 && " A bar shows the share of the training rows that reach its leaf."}${splits > shown.size && ` ${shown.size} of ${formatCount(splits, "split")} are shown: open a line to see what is below it.`}</p>
${legend(root)}<ul class="tree">${branch(root, start, whole)}</ul>
`;
}

/** Names the colours of the classes in the bars, if each has its own. */
function legend(root: TreeNode): Markup | false {
  const shares = firstShares(root) ?? [];
  return (
    shares.length > 1 &&
    shares.length <= COLOURS &&
    html`<ul class="legend">${shares.map(
      ({ class: name }, k) => html`<li><span class="swatch part${k}"></span>${name}</li>`,
    )}</ul>
`
  );
}

function firstShares(node: TreeNode): TreeLeaf["shares"] {
  if (node.kind === "leaf") return node.shares;
  for (const { node: child } of node.branches) {
    const shares = firstShares(child);
    if (shares) return shares;
  }
  return undefined;
}

function branch(node: TreeNode, title: string, whole: WholeTree): Markup {
  if (node.kind === "leaf") return leaf(node, title, whole);
  const below = node.branches.map(({ outcome, node: child }) =>
    branch(child, branchTitle(outcome, child), whole),
  );
  const condition = html`${title}: <b>${node.condition}</b>${notes(node.facts)}`;
  if (whole.shown.has(node))
    return html`<li><p>${condition}</p>
<ul>${below}</ul></li>`;
  return html`<li><details><summary>${condition} <span class="note">(${hiddenNote(countSplits(node), node.label)})</span></summary>
<ul>${below}</ul></details></li>`;
}

function hiddenNote(splits: number, label: string | undefined): string {
  return `${formatCount(splits, "split")}${label === undefined ? "" : `, most often ${label}`}`;
}

function branchTitle(outcome: string, { rows }: TreeNode): string {
  return rows === undefined ? outcome : `${outcome}: ${formatCount(rows, "row")}`;
}

function leaf(node: TreeLeaf, title: string, whole: WholeTree): Markup {
  const { label, rows, shares = [], facts, hiddenSplits } = node;
  if (hiddenSplits !== undefined) {
    return html`<li><p>${title} <span class="note">(${hiddenNote(hiddenSplits, label)}; not shown)</span></p></li>`;
  }
  const segments =
    shares.length > 0
      ? shares.map(
          ({ class: name, share }, i) =>
            html`<span class="part${i % COLOURS}" style="width:${percent(share)}" title="${name}: ${formatPercent(share)}"></span>`,
        )
      : html`<span class="part0" style="width:100%"></span>`;
  return html`<li><p>${title}: <b>${label}</b>${shareNotes(node)}${notes(facts)}</p>${
    rows !== undefined &&
    html`<div class="flow" aria-hidden="true" style="width:${barWidth(rows, whole)}">${segments}</div>`
  }</li>`;
}

function notes(facts: readonly Fact[]): Markup | false {
  return (
    facts.length > 0 &&
    html`<br><span class="note">${facts.map(({ name, value, unit }) => `${name} ${formatValue(value, unit)}`).join(", ")}</span>`
  );
}

function shareNotes(node: TreeLeaf): Markup | false {
  const shares = largestShares(node);
  return (
    shares.length > 0 &&
    html` <span class="note">(${shares.map((one) => `${one.class} ${formatPercent(one.share)}`).join(", ")})</span>`
  );
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

/** Measures the bars of all depths by the same width. */
function barWidth(rows: number, whole: WholeTree): string {
  const share = whole.rows > 0 ? Number((rows / whole.rows).toFixed(4)) : 0;
  return `calc(${share}*var(--bar))`;
}
