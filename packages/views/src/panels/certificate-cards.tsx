import {
  boundText,
  type Certificate,
  formatCount,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  type Premise,
} from "vouch/train";
import { givesGuarantee } from "./guarantee.js";
import { html, type Markup } from "./markup.js";

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

/** Lists the premises and the reference of a bound, and the terms of its formula. */
function grounds({ premises, terms, reference }: Certificate): Markup {
  const rows = Object.entries(terms);
  return html`<div class="columns">
${premises.length > 0 && html`<div><h4>Premises</h4>${premiseList(premises)}</div>`}
${rows.length > 0 && html`<div><h4>Terms of the formula</h4><table><tbody>${rows.map(termRow)}</tbody></table></div>`}
</div>
<p class="note">Reference: ${reference}</p>
`;
}

/** Lists premises with a mark each; only those that were verified have a tick. */
export function premiseList(premises: readonly Premise[]): Markup {
  return html`<ul class="premises">${premises.map(premiseItem)}</ul>`;
}

function boundInWords(certificate: Certificate): Markup {
  const { value, confidence, together, role } = certificate;
  if (!givesGuarantee(certificate)) return html`<span>no guarantee</span>`;
  return html`<span><b>${boundText(certificate, value)}</b> with ${formatRoundPercent(confidence)} confidence</span> ${
    together !== undefined && html`<span>${boundText(certificate, together)} all together</span> `
  }${role === "comparison" && html`<span>for comparison with the literature</span> `}`;
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

/** Measures that are no fraction of cases: their values are numbers, not percentages. */
const NUMBERS: readonly Certificate["measure"][] = ["auc", "brier", "log-loss", "cost"];

/** Shows bounds below 1 on fractions as percentages, others as numbers. */
function shown(value: number, { value: whole, measure }: Certificate): string {
  return whole < 1 && !NUMBERS.includes(measure) ? formatPercent(value) : formatNumber(value);
}

function width(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

function segment({ name, share }: Part, index: number): Markup {
  return html`<span class="part${index % 6}" style="width:${width(share)}" title="${name}"></span>`;
}

function entry({ name, value }: Part, index: number, certificate: Certificate): Markup {
  return html`<li><span class="swatch part${index % 6}"></span> ${name} <b>${shown(value, certificate)}</b></li>`;
}

/** Tells whether the bar goes beyond an error of one, where a bound gives no guarantee. */
function isBeyondOne({ value, measure }: Certificate): boolean {
  return value > 1 && !NUMBERS.includes(measure);
}

/**
 * Draws the parts of a bound as a bar; returns undefined if it has no parts or is infinite. The whole bar is as long as `end`, so
 * that several can be compared; by default, as the bound itself.
 */
export function partBar(certificate: Certificate, end = certificate.value): Markup | undefined {
  const parts = partsOf(certificate, end);
  if (parts.length === 0) return undefined;
  const words = parts.map((part) => `${part.name} ${shown(part.value, certificate)}`).join(", ");
  const beyond = isBeyondOne(certificate);
  return html`<div class="parts" role="img" aria-label="${words}">${parts.map(segment)}${beyond && html`<i style="left:${width(1 / certificate.value)}"></i>`}</div>
<ul class="legend">${parts.map((part, i) => entry(part, i, certificate))}${beyond && html`<li>The vertical line marks an error of 100 %.</li>`}</ul>
`;
}

/** How a certificate is shown. */
interface CardStyle {
  readonly title?: string | undefined;
  /** Where the scale of the bar ends; by default at the bound. */
  readonly end?: number | undefined;
  /** Folds premises, terms and reference. */
  readonly folded: boolean;
}

/** Shows a certificate: its statement, the bar of its parts, its premises, terms and reference. */
export function certificateCard(certificate: Certificate, { title, end, folded }: CardStyle): Markup {
  const { name, statement, reason } = certificate;
  const unsaid = reason !== undefined && !statement.includes(reason);
  return html`<article class="certificate">
<h3>${title ?? name}</h3>
<p class="bound">${boundInWords(certificate)} ${premisesInWords(certificate)}</p>
<p>${statement}${unsaid && ` ${reason}`}</p>
${partBar(certificate, end)}${
  folded
    ? html`<details><summary>Premises, terms and reference</summary>
${grounds(certificate)}</details>`
    : grounds(certificate)
}
</article>
`;
}
