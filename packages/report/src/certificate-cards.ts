import {
  type Certificate,
  formatCount,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
  type Premise,
} from "vouch/train";
import { html, Markup } from "./markup.js";

/** Tells whether the premises hold and the bound is below one. */
export function givesGuarantee({ holds, value }: Certificate): boolean {
  return holds && value < 1;
}

/** Returns the certificate to quote: `certify` puts it first if it gives a guarantee. */
export function quotedCertificate(certificates: readonly Certificate[]): Certificate | undefined {
  return certificates.find(givesGuarantee);
}

/** Only a premise that was verified has a tick. */
const MARKS = { checked: "✓", assumed: "?", violated: "✗" };

function marked(status: Premise["status"], words: string = status): Markup {
  return html`<span class="${status}"><span aria-hidden="true">${MARKS[status]}</span> ${words}</span>`;
}

/** Counts the premises by status: "2 premises checked, 1 assumed". */
function premisesInWords({ premises }: Certificate): Markup {
  const count = (status: Premise["status"]) => premises.filter((premise) => premise.status === status).length;
  const violated = count("violated");
  if (violated > 0) return marked("violated", `${formatCount(violated, "premise")} violated`);
  const assumed = count("assumed");
  if (assumed > 0) return marked("assumed", `${formatCount(assumed, "premise")} assumed`);
  return marked("checked", "all premises checked");
}

function premiseItem({ text, status }: Premise): Markup {
  return html`<li>${marked(status)}: ${text}</li>
`;
}

function termRow([name, value]: readonly [string, number]): Markup {
  return html`<tr><th scope="row">${name}</th><td class="number">${formatNumber(value)}</td></tr>
`;
}

/** Lists the premises and terms of a bound. */
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
  if (!(value < 1)) return html`no guarantee`;
  return html`<b>≤ ${formatUpperBound(value)}</b> with ${formatRoundPercent(confidence)} confidence`;
}

/** A part of a bound, and its share of the whole bar. */
interface Part {
  readonly name: string;
  readonly value: number;
  readonly share: number;
}

function partsOf({ parts = {}, value }: Certificate, end: number): readonly Part[] {
  if (!(Number.isFinite(value) && value > 0)) return [];
  return Object.entries(parts).map(([name, part]) => ({ name, value: part, share: part / end }));
}

/** Shows bounds below 1 as shares, others as numbers. */
function shown(value: number, whole: number): string {
  return whole < 1 ? formatPercent(value) : formatNumber(value);
}

function width(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

function segment({ name, share }: Part, index: number): Markup {
  return html`<span class="part${index % 6}" style="width:${width(share)}" title="${name}"></span>`;
}

function entry({ name, value }: Part, index: number, whole: number): Markup {
  return html`<li><span class="swatch part${index % 6}"></span> ${name} <b>${shown(value, whole)}</b></li>`;
}

/** Marks an error of one: a bar beyond it gives no guarantee. */
function oneMark(value: number): Markup | false {
  return value > 1 && html`<i style="left:${width(1 / value)}"></i>`;
}

/**
 * Draws the parts of a bound as a bar; returns undefined if it has no parts or is infinite. The whole bar is as long as `end`, so
 * that several can be compared; by default, as the bound itself.
 */
export function partBar(certificate: Certificate, end = certificate.value): Markup | undefined {
  const parts = partsOf(certificate, end);
  if (parts.length === 0) return undefined;
  const { value } = certificate;
  const words = parts.map((part) => `${part.name} ${shown(part.value, value)}`).join(", ");
  return html`<div class="parts" role="img" aria-label="${words}">${parts.map(segment)}${oneMark(value)}</div>
<ul class="legend">${parts.map((part, i) => entry(part, i, value))}${value > 1 && html`<li>The vertical line marks an error of 100 %.</li>`}</ul>
`;
}

/** Shows a certificate with the bar of its parts; premises and terms unfold, and are open for the one to quote. */
function card(certificate: Certificate, end: number | undefined, open: boolean): Markup {
  const { name, statement, reason } = certificate;
  const unsaid = reason !== undefined && !statement.includes(reason);
  return html`<article class="certificate">
<h3>${name}</h3>
<p class="bound"><span>${boundInWords(certificate)}</span> ${premisesInWords(certificate)}</p>
${partBar(certificate, end)}${!givesGuarantee(certificate) && html`<p>${statement}${unsaid && ` ${reason}`}</p>`}
<details${open && new Markup(" open")}><summary>Premises, terms and reference</summary>
${grounds(certificate)}</details>
</article>
`;
}

/**
 * Computes the joint confidence by the union bound: certificates that fail with probability δ₁, …, δ_k hold together with at
 * least 1 − Σ δ_i.
 */
function jointConfidence(certificates: readonly Certificate[]): number {
  return Math.max(0, 1 - certificates.reduce((sum, { confidence }) => sum + (1 - confidence), 0));
}

function jointNote(holding: readonly Certificate[]): string {
  if (holding.length < 2) return "";
  return ` Each has its own confidence. All ${holding.length} that give a guarantee hold together with a confidence of at least ${formatRoundPercent(jointConfidence(holding))}.`;
}

/** Bars that are more than this many times as long as the shortest one have their own scale. */
const MOST_TIMES = 4;

/** Returns the end of the common scale. */
function commonEnd(certificates: readonly Certificate[]): number {
  const values = certificates.map(({ value }) => value);
  return Math.max(...values.filter((value) => value <= MOST_TIMES * Math.min(...values)));
}

/** Folds certificates that give no guarantee. */
function empty(certificates: readonly Certificate[]): Markup | false {
  const count = formatCount(certificates.length, "certificate gives", "certificates give");
  return (
    certificates.length > 0 &&
    html`<details class="empty"><summary>${count} no guarantee here: ${certificates.map(({ name }) => name).join(", ")}</summary>
${certificates.map((certificate) => card(certificate, undefined, false))}</details>
`
  );
}

/** Shows all certificates as bars of their parts, those that give a guarantee first. */
export function certificateCards(certificates: readonly Certificate[]): Markup {
  if (certificates.length === 0) {
    return html`<p>There is no certificate for this training. Hold rows out or test the model on other rows to get one.</p>`;
  }
  const holding = certificates.filter(givesGuarantee);
  const end = commonEnd(holding);
  const scaled = (certificate: Certificate) => (certificate.value <= end ? end : undefined);
  return html`${holding.length > 0 && html`<p>Upper bounds on the error on new data, and their parts.${jointNote(holding)}</p>`}
${holding.map((certificate, i) => card(certificate, scaled(certificate), i === 0))}${empty(certificates.filter((one) => !givesGuarantee(one)))}`;
}
