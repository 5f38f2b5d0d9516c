import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** A bar with its name and what is written beside it. */
export interface Bar {
  readonly name: string;
  readonly shown: string;
  /** Negative ones have no bar. */
  readonly value: number;
  /** Half of the line through the end of the bar. */
  readonly spread?: number;
}

/** Of a name; all of it is in the tooltip. */
const MOST_LETTERS = 60;

function percent(value: number, end: number): string {
  return `${end > 0 ? Number(((100 * Math.max(0, value)) / end).toFixed(1)) : 0}%`;
}

function barItem({ name, shown, value, spread = 0 }: Bar, end: number): Markup {
  const whisker =
    spread > 0 &&
    value + spread > 0 &&
    html`<s style="--from:${percent(value - spread, end)};--to:${percent(value + spread, end)}"></s>`;
  return html`<li><span title="${name}">${shortened(name, MOST_LETTERS)}</span> <b>${shown.replaceAll(" ", "\u00a0")}</b><i aria-hidden="true"><u style="--length:${percent(value, end)}"></u>${whisker}</i></li>
`;
}

/** Bars below each other, to a common scale from 0; short ones in two columns where there is room for them. */
export function barList(label: string, bars: readonly Bar[], layout: "single" | "double" = "single"): Markup {
  const end = Math.max(0, ...bars.map(({ value, spread = 0 }) => value + spread));
  return html`<ul class="bars ${layout === "double" && "double"}" aria-label="${label}">
${bars.map((bar) => barItem(bar, end))}</ul>
`;
}
