import { formatCount, formatNumber } from "vouch";
import { html, type Markup } from "./markup.js";

/** Where the points that come to a leaf are classified. */
export interface CascadeLeafPicture {
  readonly kind: "leaf";
  readonly points: number;
  readonly classifier: string;
  readonly right: number;
  readonly wrong: number;
  /** What it pays in the bound that chose it. */
  readonly pays: string;
}

/** A gate that sends some of the points on. */
export interface CascadeGatePicture {
  readonly kind: "gate";
  readonly points: number;
  /** What is asked of a point that goes on: `distance ≤ 0.7`. */
  readonly question: string;
  readonly stay: CascadePicture;
  readonly on: CascadePicture;
}

/** A cascade: gates and leaves, one inside the other. */
export type CascadePicture = CascadeLeafPicture | CascadeGatePicture;

/** What all leaves share: how many points there are, and how deep the deepest leaf is. */
interface Scale {
  readonly points: number;
  readonly depth: number;
}

function percent(part: number, whole: number): string {
  return `${whole > 0 ? Number(((100 * part) / whole).toFixed(2)) : 0}%`;
}

/** How many gates there are on the longest way. */
function depthOf(cascade: CascadePicture): number {
  return cascade.kind === "leaf" ? 0 : 1 + Math.max(depthOf(cascade.stay), depthOf(cascade.on));
}

/** The share of a width that is the same at all depths, although a deeper leaf is indented and has less room. */
function barWidth(points: number, depth: number, all: Scale): string {
  const share = all.points > 0 ? Number((points / all.points).toFixed(4)) : 0;
  return `calc(${share}*(100% - ${all.depth - depth}*var(--indent)))`;
}

function leaf(own: CascadeLeafPicture, depth: number, all: Scale): Markup {
  const { points, classifier, right, wrong, pays } = own;
  return html`<div class="flow" aria-hidden="true" style="width:${barWidth(points, depth, all)}"><span class="part0" style="width:${percent(right, points)}"></span><span class="part2" style="width:${percent(wrong, points)}"></span></div>
<b>${classifier}</b><br>${formatNumber(right)} right, ${formatNumber(wrong)} wrong<span class="note">; ${pays}</span>`;
}

function part(cascade: CascadePicture, title: string, depth: number, all: Scale): Markup {
  if (cascade.kind === "leaf") return html`<li><p>${title}</p>${leaf(cascade, depth, all)}</li>`;
  const { question, stay, on } = cascade;
  const below = (own: CascadePicture, words: string) => part(own, words, depth + 1, all);
  return html`<li><p>${title}: who has <b>${question}</b> goes on</p>
<ul>${below(stay, formatCount(stay.points, "point stays", "points stay"))}
${below(on, formatCount(on.points, "point goes on", "points go on"))}</ul></li>`;
}

/** A cascade as a tree: at each gate what it asks; at each leaf how many training points come there, and how they fare. */
export function cascadeFigure(cascade: CascadePicture): Markup {
  return html`<p>A new case passes the gates from the top; at the first one where it stays, the leaf there says its class. A bar is as long as the share of the training points that come to its leaf: blue was right, orange wrong.</p>
<ul class="tree">${part(cascade, formatCount(cascade.points, "training point"), 0, { points: cascade.points, depth: depthOf(cascade) })}</ul>
`;
}
