import type { FeatureImportance, PermutationImportance } from "vouch";
import { formatCount, formatNumber, formatPercent } from "vouch";
import { barList } from "./bar-list.js";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** What a model loses without each column, and how this was measured. */
export interface MeasuredImportance extends PermutationImportance {
  readonly on: "held-out" | "training";
  /** Rows that it was measured on, and all that there were. */
  readonly rows: number;
  readonly allRows: number;
  readonly repeats: number;
  /** Whether less was measured than usual because the model is slow. */
  readonly slow: boolean;
  /** Of too many columns to measure all: how many were tried on how many rows to find those that are measured. */
  readonly screening?: { readonly of: number; readonly columns: number; readonly rows: number };
}

/** Why importance was not measured, as it follows “because”. */
export interface UnmeasuredImportance {
  readonly reason: string;
}

const mostShown = 20;
/** Of columns that make no difference, so many are named, each with so many letters. */
const mostNamed = 12;
const mostLetters = 30;

/** A difference of errors in percentage points; a minus where the error shrinks, none where it rounds to nothing. */
function points(difference: number): string {
  const rounded = (100 * difference).toFixed(2);
  return (Number(rounded) === 0 ? "0.00" : rounded).replace("-", "−");
}

function bar({ feature, mean, sd }: FeatureImportance) {
  return { name: feature, shown: `${points(mean)} ± ${points(sd)}`, value: mean, spread: sd };
}

function rowsInWords({ rows, allRows, on }: MeasuredImportance): string {
  const which = on === "held-out" ? "held-out row" : "training row";
  return rows < allRows
    ? `Measured on ${formatNumber(rows)} of ${formatCount(allRows, which)}, drawn at random.`
    : `Measured on ${formatCount(rows, which)}.`;
}

/** How it was measured, and what was left out of it. */
function notes(measured: MeasuredImportance): string {
  const { screening, slow, features } = measured;
  const sentences = [rowsInWords(measured)];
  if (screening) {
    const { of, columns, rows } = screening;
    const tried =
      columns < of
        ? `${formatNumber(columns)} of ${formatCount(of, "column")}, drawn at random, were`
        : `All ${formatCount(of, "column")} were`;
    sentences.push(
      `${tried} first shuffled once on ${formatCount(rows, "row")}; the ${features.length} that changed most predictions were then measured.`,
    );
  }
  if (slow) sentences.push("Fewer rows or columns than usual, because the model takes long to predict.");
  sentences.push("Of columns that say the same, each may seem to matter little.");
  return sentences.join(" ");
}

/** The columns that the model does not look at, or could do without. */
function withoutEffect(names: readonly string[]): Markup | undefined {
  if (names.length === 0) return undefined;
  const named = names.slice(0, mostNamed).map((name) => shortened(name, mostLetters));
  const more = names.length - named.length;
  return html`<p class="note">No prediction got better or worse without ${named.join(", ")}${more > 0 && ` and ${formatNumber(more)} more`}.</p>
`;
}

/** Bars for the columns that matter most, the longest first; nothing where there is no column. */
export function permutationTable(measured: MeasuredImportance): Markup | undefined {
  const { features, error, repeats } = measured;
  if (features.length === 0) return undefined;
  const effective = features.filter(({ mean, sd }) => mean !== 0 || sd !== 0).sort((a, b) => b.mean - a.mean);
  const list = effective.slice(0, mostShown);
  const hidden = effective.length - list.length;
  const idle = features.filter(({ mean, sd }) => mean === 0 && sd === 0).map(({ feature }) => feature);
  if (list.length === 0) {
    return html`<p>The error stays at ${formatPercent(error)} whichever of the ${formatCount(features.length, "column")} is shuffled among the rows: by itself, none of them matters to the model.</p>
<p class="note">${notes(measured)}</p>
`;
  }
  return html`<p>By how many percentage points the error grows, from ${formatPercent(error)}, when the values of one column are shuffled among the rows, so that they say nothing any more: the mean of ${formatCount(repeats, "shuffle")}, ± their standard deviation.</p>
${barList("By how many percentage points the error grows without each column", list.map(bar))}${hidden > 0 && html`<p class="note">The ${list.length} that matter most; ${formatNumber(hidden)} more.</p>`}
${withoutEffect(idle)}<p class="note">${notes(measured)}</p>
`;
}
