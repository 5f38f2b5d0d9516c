import type { Certificate } from "vouch";
import { formatNumber, formatPercent } from "vouch";
import { html, type Markup } from "./markup.js";

/** A part of a bound and how long it is, of the whole bar. */
interface Part {
  readonly name: string;
  readonly value: number;
  readonly share: number;
}

function partsOf({ parts = {}, value }: Certificate, end: number): readonly Part[] {
  if (!(Number.isFinite(value) && value > 0)) return [];
  return Object.entries(parts).map(([name, part]) => ({ name, value: part, share: part / end }));
}

/** Below 1 a share of cases, above a number that says nothing. */
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

/** Where the bar reaches an error of one: whatever goes beyond says nothing. */
function oneMark(value: number): Markup | false {
  return value > 1 && html`<i style="left:${width(1 / value)}"></i>`;
}

/**
 * What a bound is made of, as a bar of its parts, each with its length; nothing where it has none or is infinite. A whole bar is
 * as long as `end`, by which several can be compared; without it, as the bound itself.
 */
export function partBar(certificate: Certificate, end = certificate.value): Markup | undefined {
  const parts = partsOf(certificate, end);
  if (parts.length === 0) return undefined;
  const { value } = certificate;
  const words = parts.map((part) => `${part.name} ${shown(part.value, value)}`).join(", ");
  return html`<div class="parts" role="img" aria-label="${words}">${parts.map(segment)}${oneMark(value)}</div>
<ul class="legend">${parts.map((part, i) => entry(part, i, value))}${value > 1 && html`<li>The line across is an error of 100 %.</li>`}</ul>
`;
}
