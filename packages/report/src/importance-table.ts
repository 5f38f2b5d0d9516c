import { formatNumber, formatPercent } from "vouch";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** How much a feature matters to a model. */
export interface Importance {
  readonly feature: string;
  /** Its share of what all features together do; the shares of all features sum to one. */
  readonly share: number;
}

const mostFeaturesShown = 20;
/** Of the name of a feature. */
const mostLetters = 60;

function importanceRow({ feature, share }: Importance, largest: number): Markup {
  const length = largest > 0 ? Math.round((100 * share) / largest) : 0;
  return html`<tr><th scope="row">${shortened(feature, mostLetters)}</th><td class="number">${formatPercent(share)}</td><td class="bar" aria-hidden="true"><span style="--length:${length}%"></span></td></tr>
`;
}

/** Bars for the features that matter most, the longest first; nothing when there is no finite share. */
export function importanceTable(importances: readonly Importance[]): Markup | undefined {
  const known = importances.filter(({ share }) => Number.isFinite(share)).sort((a, b) => b.share - a.share);
  if (known.length === 0) return undefined;
  const shown = known.slice(0, mostFeaturesShown);
  const hidden = known.length - shown.length;
  return html`<p>How much of what the trees learned came from questions about each feature.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Importance of the features">
<table class="names">
<thead><tr><th scope="col">Feature</th><th scope="col" class="number">Importance</th><td></td></tr></thead>
<tbody>
${shown.map((importance) => importanceRow(importance, shown[0].share))}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">The ${shown.length} most important; ${formatNumber(hidden)} more.</p>`}
`;
}
