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

function percent(part: number, whole: number): string {
  return `${whole > 0 ? Number(((100 * part) / whole).toFixed(2)) : 0}%`;
}

function leaf({ points, classifier, right, wrong, pays }: CascadeLeafPicture, all: number): Markup {
  return html`<div class="flow" aria-hidden="true" style="width:${percent(points, all)}"><span class="part0" style="width:${percent(right, points)}"></span><span class="part2" style="width:${percent(wrong, points)}"></span></div>
<b>${classifier}</b><br>${formatNumber(right)} right, ${formatNumber(wrong)} wrong<span class="note">; ${pays}</span>`;
}

function part(cascade: CascadePicture, all: number, title: string): Markup {
  if (cascade.kind === "leaf") return html`<li><p>${title}</p>${leaf(cascade, all)}</li>`;
  const { question, stay, on } = cascade;
  return html`<li><p>${title}: who has <b>${question}</b> goes on</p>
<ul>${part(stay, all, formatCount(stay.points, "point stays", "points stay"))}
${part(on, all, formatCount(on.points, "point goes on", "points go on"))}</ul></li>`;
}

/** A cascade as a tree: at each gate what it asks; at each leaf how many training points come there, and how they fare. */
export function cascadeFigure(cascade: CascadePicture): Markup {
  return html`<p>A new case passes the gates from the top; at the first one where it stays, the leaf there says its class. A bar is as long as the share of the training points that come to its leaf: blue was right, orange wrong.</p>
<ul class="tree">${part(cascade, cascade.points, formatCount(cascade.points, "training point"))}</ul>
`;
}
