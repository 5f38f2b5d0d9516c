import { type Card, formatCount, formatNumber, formatPercent, type MetricName } from "vouch/train";
import { capitalised, html, type Markup } from "./markup.js";
import { type MetricScale, metricScale } from "./metric-scale.js";

type CardChoice = NonNullable<Card["choice"]>;
type CardCandidate = CardChoice["candidates"][number];

/** More candidates than this are only counted. */
const MOST_SHOWN = 12;

const fates: Readonly<Record<CardCandidate["fate"], string>> = {
  finished: "finished",
  behind: "fell behind",
  slow: "out of time",
  failed: "failed",
  "not tried": "not tried",
};

/** Lists the learners that took part in the choice by a metric, the chosen one first; returns undefined without any. */
export function candidateTable(
  { candidates, among }: CardChoice,
  metric: MetricName = "error",
): Markup | undefined {
  if (candidates.length === 0) return undefined;
  const scale = metric === "error" ? undefined : metricScale(metric);
  const hidden = candidates.length - MOST_SHOWN;
  const untried = among - candidates.length;
  const tried = formatCount(candidates.length, "candidate");
  const rest = untried > 0 ? ` ${formatCount(untried, "other")} got no result.` : "";
  return html`<p>${tried}, compared ${scale && `by ${scale.title} `}on parts of the training rows; the best first.${rest} The held-out rows took no part.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Candidates">
<table class="candidates">
<thead><tr><th scope="col">Learner</th>${scale && html`<th scope="col" class="number">${capitalised(scale.title)}</th>`}<th scope="col" class="number">Error</th><th scope="col" class="number">Rounds</th><th scope="col">Outcome</th></tr></thead>
<tbody>
${candidates.slice(0, MOST_SHOWN).map((candidate, i) => candidateRow(candidate, i, scale))}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">${formatCount(hidden, "more candidate")} did worse or ran out of time.</p>`}
`;
}

function candidateRow(
  { name, error, metric = Number.NaN, rounds, fate }: CardCandidate,
  index: number,
  scale: MetricScale | undefined,
): Markup {
  const measured = rounds > 0 && Number.isFinite(error);
  const own = scale && html`<td class="number">${rounds > 0 ? scale.shown(metric) : "–"}</td>`;
  return html`<tr><th scope="row">${name}</th>${own}<td class="number">${measured ? formatPercent(error) : "–"}</td><td class="number">${formatNumber(rounds)}</td><td>${index === 0 ? "chosen" : fates[fate]}</td></tr>
`;
}
