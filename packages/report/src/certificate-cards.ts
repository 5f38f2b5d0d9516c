import type { Certificate, Premise } from "vouch";
import { formatCount, formatNumber, formatRoundPercent, formatUpperBound } from "vouch";
import { html, Markup } from "./markup.js";
import { partBar } from "./part-bar.js";

/** Whether the premises hold and the bound says something: an error is at most one anyway. */
export function givesGuarantee({ holds, value }: Certificate): boolean {
  return holds && value < 1;
}

/** The one to quote: `certify` puts it first, where it says something. */
export function quotedCertificate(certificates: readonly Certificate[]): Certificate | undefined {
  return certificates.find(givesGuarantee);
}

function verdict(holds: boolean, words: string): Markup {
  return html`<span class="${holds ? "holds" : "fails"}"><span aria-hidden="true">${holds ? "✓" : "✗"}</span> ${words}</span>`;
}

function premisesVerdict({ holds, premises }: Certificate): Markup {
  const failing = premises.filter((premise) => !premise.holds).length;
  if (holds) return verdict(true, "premises hold");
  return verdict(
    false,
    failing > 1 ? `${failing} premises fail` : failing === 1 ? "one premise fails" : "premises do not hold",
  );
}

function premiseItem({ statement, holds, assumed }: Premise): Markup {
  const words = assumed ? "assumed" : holds ? "holds" : "fails";
  return html`<li>${verdict(holds, words)}: ${statement}</li>
`;
}

function termRow([name, value]: readonly [string, number]): Markup {
  return html`<tr><th scope="row">${name}</th><td class="number">${formatNumber(value)}</td></tr>
`;
}

/** What the bound rests on and what it is computed from. */
function grounds({ premises, terms, reference }: Certificate): Markup {
  const rows = Object.entries(terms);
  return html`<div class="columns">
${premises.length > 0 && html`<div><h4>Premises</h4><ul class="premises">${premises.map(premiseItem)}</ul></div>`}
${rows.length > 0 && html`<div><h4>Terms of the formula</h4><table><tbody>${rows.map(termRow)}</tbody></table></div>`}
</div>
<p class="note">Reference: ${reference}</p>
`;
}

function boundInWords({ value, confidence }: Certificate): Markup {
  if (!(value < 1)) return html`says nothing`;
  return html`<b>≤ ${formatUpperBound(value)}</b> with ${formatRoundPercent(confidence)} confidence`;
}

/** A certificate with the bar of its parts; what it rests on unfolds, and is open of the one to quote. */
function card(certificate: Certificate, end: number | undefined, open: boolean): Markup {
  const { name, statement, reason } = certificate;
  const unsaid = reason !== undefined && !statement.includes(reason);
  return html`<article class="certificate">
<h3>${name}</h3>
<p class="bound"><span>${boundInWords(certificate)}</span> ${premisesVerdict(certificate)}</p>
${partBar(certificate, end)}${!givesGuarantee(certificate) && html`<p>${statement}${unsaid && ` ${reason}`}</p>`}
<details${open && new Markup(" open")}><summary>Premises, terms and reference</summary>
${grounds(certificate)}</details>
</article>
`;
}

/** Union bound: certificates that fail with probability δ₁, …, δ_k hold together with at least 1 − Σ δ_i. */
function jointConfidence(certificates: readonly Certificate[]): number {
  return Math.max(0, 1 - certificates.reduce((sum, { confidence }) => sum + (1 - confidence), 0));
}

function jointNote(holding: readonly Certificate[]): string {
  if (holding.length < 2) return "";
  return ` Each has its own confidence. All ${holding.length} that give a guarantee are true together with a confidence of at least ${formatRoundPercent(jointConfidence(holding))}.`;
}

/** A bar so many times as long as the shortest would leave that no room: it is drawn to a scale of its own. */
const MOST_TIMES = 4;

/** Where bars to the common scale end. */
function commonEnd(certificates: readonly Certificate[]): number {
  const values = certificates.map(({ value }) => value);
  return Math.max(...values.filter((value) => value <= MOST_TIMES * Math.min(...values)));
}

/** Certificates that guarantee nothing, to unfold. */
function empty(certificates: readonly Certificate[]): Markup | false {
  const count = formatCount(certificates.length, "certificate gives", "certificates give");
  return (
    certificates.length > 0 &&
    html`<details class="empty"><summary>${count} no guarantee here: ${certificates.map(({ name }) => name).join(", ")}</summary>
${certificates.map((certificate) => card(certificate, undefined, false))}</details>
`
  );
}

/** All certificates as bars of their parts, those that give a guarantee first, with what they rest on. */
export function certificateCards(certificates: readonly Certificate[]): Markup {
  if (certificates.length === 0) {
    return html`<p>There is no certificate for this run. Hold rows out (<code>--holdout 0.2</code>) or give a test file (<code>--test FILE</code>) to get one.</p>`;
  }
  const holding = certificates.filter(givesGuarantee);
  const end = commonEnd(holding);
  const scaled = (certificate: Certificate) => (certificate.value <= end ? end : undefined);
  return html`${holding.length > 0 && html`<p>What the error on new data is at most, and what each bound is made of.${jointNote(holding)}</p>`}
${holding.map((certificate, i) => card(certificate, scaled(certificate), i === 0))}${empty(certificates.filter((one) => !givesGuarantee(one)))}`;
}
