import { formatNumber, formatPercent } from "vouch";
import { barList } from "./bar-list.js";
import { html, type Markup } from "./markup.js";

/** How much a feature matters to a model. */
export interface Importance {
  readonly feature: string;
  /** Its share of what all features together do; the shares of all features sum to one. */
  readonly share: number;
}

const mostFeaturesShown = 20;

/** Bars for the features that matter most, the longest first; nothing when there is no finite share. */
export function importanceTable(importances: readonly Importance[]): Markup | undefined {
  const known = importances.filter(({ share }) => Number.isFinite(share)).sort((a, b) => b.share - a.share);
  if (known.length === 0) return undefined;
  const shown = known.slice(0, mostFeaturesShown);
  const hidden = known.length - shown.length;
  const bars = shown.map(({ feature, share }) => ({
    name: feature,
    shown: formatPercent(share),
    value: share,
  }));
  return html`<p>How much of what the trees learned, on the training rows, came from questions about each column.</p>
${barList("Share of what the trees learned from each column", bars)}${hidden > 0 && html`<p class="note">The ${shown.length} most important; ${formatNumber(hidden)} more.</p>`}
`;
}
