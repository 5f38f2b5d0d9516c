import type { PermutationImportance } from "vouch";
import { formatCount, formatNumber } from "vouch";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** What a model loses without each feature, and the rows that this was measured on. */
export interface MeasuredImportance extends PermutationImportance {
  readonly rows: number;
  readonly on: "held-out" | "training";
}

const mostFeaturesShown = 20;
/** Of the name of a feature. */
const mostLetters = 60;

/** A difference of errors in percentage points; a minus where the error shrinks. */
function points(difference: number): string {
  const rounded = Number((100 * difference).toFixed(2));
  return formatNumber(Object.is(rounded, -0) ? 0 : rounded);
}

function featureRow(
  { feature, mean, sd }: PermutationImportance["features"][number],
  largest: number,
): Markup {
  const length = largest > 0 ? Math.max(0, Math.round((100 * mean) / largest)) : 0;
  return html`<tr><th scope="row">${shortened(feature, mostLetters)}</th><td class="number">${`${points(mean)} ± ${points(sd)}`.replaceAll(" ", "\u00a0")}</td><td class="bar" aria-hidden="true"><span style="--length:${length}%"></span></td></tr>
`;
}

/** Bars for the features that matter most, the longest first; nothing where there is no feature. */
export function permutationTable({ features, rows, on }: MeasuredImportance): Markup | undefined {
  if (features.length === 0) return undefined;
  const sorted = [...features].sort((a, b) => b.mean - a.mean);
  const list = sorted.slice(0, mostFeaturesShown);
  const hidden = sorted.length - list.length;
  const which = on === "held-out" ? "held-out row" : "training row";
  return html`<p>By how many percentage points the error grows when one feature is shuffled among the rows, so that it says nothing any more. Measured on ${formatCount(rows, which)}; of two features that say the same, both may seem to matter little.</p>
<div class="scroll" tabindex="0" role="region" aria-label="What the model loses without each feature">
<table class="names">
<thead><tr><th scope="col">Feature</th><th scope="col" class="number">Error grows by</th><td></td></tr></thead>
<tbody>
${list.map((feature) => featureRow(feature, list[0].mean))}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">The ${list.length} that matter most; ${formatNumber(hidden)} more.</p>`}
`;
}
