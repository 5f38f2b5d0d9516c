import { formatNumber } from "vouch";
import { factTable, type LabelledValue } from "./fact-table.js";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** Parts of a model that are alike, such as its rules: a row for each, with what there is to know of it. */
export interface StructureList {
  /** What they are called: `rules`. */
  readonly name: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly StructureCell[])[];
  /** How many there are in all, when not all are given. */
  readonly total: number;
}

/** Words, or a number with the words for it. */
export type StructureCell = string | { readonly shown: string };

/** Of the words of a cell. */
const MOST_LETTERS = 120;

function cell(content: StructureCell): Markup {
  return typeof content === "string"
    ? html`<td>${shortened(content, MOST_LETTERS)}</td>`
    : html`<td class="number">${content.shown}</td>`;
}

/** A column whose first cell is a number has its heading at the right. */
function heading(text: string, first: StructureCell | undefined): Markup {
  return html`<th scope="col"${typeof first === "object" && html` class="number"`}>${text}</th>`;
}

function list({ name, headings, rows, total }: StructureList): Markup {
  const hidden = total - rows.length;
  return html`<h3>${name.charAt(0).toUpperCase() + name.slice(1)}</h3>
<div class="scroll" tabindex="0" role="region" aria-label="${name}">
<table class="parts-of-model">
<thead><tr><th scope="col" class="number"><span class="unseen">Number</span></th>${headings.map((text, c) => heading(text, rows[0]?.[c]))}</tr></thead>
<tbody>
${rows.map(
  (cells, i) => html`<tr><th scope="row" class="number">${i + 1}</th>${cells.map(cell)}</tr>
`,
)}</tbody>
</table>
</div>
${hidden > 0 && html`<p class="note">The first ${formatNumber(rows.length)} of ${formatNumber(total)}.</p>`}
`;
}

/** What a model is made of: facts first, then its parts; nothing where there is neither. */
export function structureTable(
  facts: readonly LabelledValue[],
  lists: readonly StructureList[],
): Markup | undefined {
  const filled = lists.filter(({ rows }) => rows.length > 0);
  if (facts.length === 0 && filled.length === 0) return undefined;
  return html`${facts.length > 0 && factTable(facts)}${filled.map(list)}`;
}
