import { formatCount, formatNumber, formatPercent } from "vouch";
import { html, type Markup } from "./markup.js";

/** A learner that was tried before one was chosen. */
export interface TriedLearner {
  readonly name: string;
  /** Mean error in its rounds. */
  readonly error: number;
  readonly rounds: number;
  /** What became of it, in words. */
  readonly fate: string;
}

/** More learners than this are only counted. */
const mostShown = 12;

function triedRow({ name, error, rounds, fate }: TriedLearner): Markup {
  const measured = rounds > 0 && Number.isFinite(error);
  return html`<tr><th scope="row">${name}</th><td class="number">${measured ? formatPercent(error) : "–"}</td><td class="number">${formatNumber(rounds)}</td><td>${fate}</td></tr>
`;
}

/** The learners that were tried, the chosen one first; nothing where there was no choice. */
export function candidateTable(tried: readonly TriedLearner[]): Markup | undefined {
  if (tried.length === 0) return undefined;
  const hidden = tried.length - mostShown;
  return html`<p>${formatCount(tried.length, "learner")} tried on parts of the training rows, the chosen one first. Held-out rows took no part in it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Learners that were tried">
<table>
<thead><tr><th scope="col">Learner</th><th scope="col" class="number">Error</th><th scope="col" class="number">Rounds</th><th scope="col">Outcome</th></tr></thead>
<tbody>
${tried.slice(0, mostShown).map(triedRow)}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">${formatCount(hidden, "more learner")} did worse or had no turn.</p>`}
`;
}
