import type { Certificate, Premise } from "vouch";
import { formatNumber, formatRoundPercent, formatUpperBound } from "vouch";
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
  if (holds) return verdict(true, "hold");
  return verdict(false, failing > 1 ? `${failing} fail` : failing === 1 ? "one fails" : "do not hold");
}

function boundShown({ value }: Certificate): string {
  return value < 1 ? formatUpperBound(value) : "says nothing";
}

function summaryRow(certificate: Certificate): Markup {
  return html`<tr><th scope="row">${certificate.name}</th><td class="number">${boundShown(certificate)}</td><td class="number">${formatRoundPercent(certificate.confidence)}</td><td>${premisesVerdict(certificate)}</td></tr>
`;
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

/** A certificate that unfolds; the one to quote is open. */
function detail(certificate: Certificate, index: number): Markup {
  const { premises, statement, reason } = certificate;
  const terms = Object.entries(certificate.terms);
  const unsaid = reason !== undefined && !statement.includes(reason);
  return html`<details class="certificate"${index === 0 && new Markup(" open")}>
<summary><h3>${certificate.name}</h3> ${boundShown(certificate)}</summary>
<p>${statement}${unsaid && ` ${reason}`}</p>
${partBar(certificate)}<div class="columns">
${premises.length > 0 && html`<div><h4>Premises</h4><ul class="premises">${premises.map(premiseItem)}</ul></div>`}
${terms.length > 0 && html`<div><h4>Terms of the formula</h4><table><tbody>${terms.map(termRow)}</tbody></table></div>`}
</div>
<p class="note">Reference: ${certificate.reference}</p>
</details>
`;
}

/** Union bound: certificates that fail with probability δ₁, …, δ_k hold together with at least 1 − Σ δ_i. */
function jointConfidence(certificates: readonly Certificate[]): number {
  return Math.max(0, 1 - certificates.reduce((sum, { confidence }) => sum + (1 - confidence), 0));
}

function jointNote(certificates: readonly Certificate[]): Markup | false {
  const holding = certificates.filter(givesGuarantee);
  return (
    holding.length > 1 &&
    html`<p class="note">Each certificate has its own confidence. All ${holding.length} that give a guarantee are true together with a confidence of at least ${formatRoundPercent(jointConfidence(holding))}.</p>`
  );
}

/** All certificates at a glance. */
export function certificateTable(certificates: readonly Certificate[]): Markup {
  if (certificates.length === 0) {
    return html`<p>There is no certificate for this run. Hold rows out (<code>--holdout 0.2</code>) or give a test file (<code>--test FILE</code>) to get one.</p>`;
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Certificates">
<table>
<thead><tr><th scope="col">Certificate</th><th scope="col" class="number">Error at most</th><th scope="col" class="number">Confidence</th><th scope="col">Premises</th></tr></thead>
<tbody>
${certificates.map(summaryRow)}</tbody>
</table>
</div>
${jointNote(certificates)}`;
}

/** Each certificate with its parts, its premises and the terms of its formula; nothing where there is none. */
export function certificateDetails(certificates: readonly Certificate[]): Markup | undefined {
  if (certificates.length === 0) return undefined;
  return html`${certificates.map(detail)}`;
}
