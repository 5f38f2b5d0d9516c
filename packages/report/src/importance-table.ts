import {
  type FeatureImportance,
  formatCount,
  formatNumber,
  formatPercent,
  type ImportanceSection,
  type PermutationImportance,
} from "vouch/train";
import { html, type Markup, shortened } from "./markup.js";
import { barList } from "./page.js";

/** Permutation importance of the columns, and how it was measured. */
export interface MeasuredImportance extends PermutationImportance {
  readonly on: "held-out" | "training";
  /** Number of rows that it was measured on, and of all rows. */
  readonly rows: number;
  readonly allRows: number;
  readonly repeats: number;
  /** Whether less was measured because the model is slow. */
  readonly slow: boolean;
  /** With too many columns to measure all, the numbers of columns and rows that were tried to find those to measure. */
  readonly screening?: { readonly of: number; readonly columns: number; readonly rows: number };
}

/** Why importance was not measured. */
export interface UnmeasuredImportance {
  readonly reason: string;
}

const MOST_SHOWN = 20;
/** Number of columns without effect that are named, and of letters. */
const MOST_NAMED = 12;
const MOST_LETTERS = 30;

/** Formats a difference of errors in percentage points; no minus sign if it rounds to zero. */
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
    ? `Measured on a random subsample of ${formatNumber(rows)} of ${formatCount(allRows, which)}.`
    : `Measured on ${formatCount(rows, which)}.`;
}

function notes(measured: MeasuredImportance): string {
  const { screening, slow, features } = measured;
  const sentences = [rowsInWords(measured)];
  if (screening) {
    const { of, columns, rows } = screening;
    const tried =
      columns < of
        ? `${formatNumber(columns)} of ${formatCount(of, "column")}, chosen at random, were`
        : `All ${formatCount(of, "column")} were`;
    sentences.push(
      `${tried} first shuffled once on ${formatCount(rows, "row")}; the ${features.length} that changed the most predictions were then measured.`,
    );
  }
  if (slow) sentences.push("Fewer rows or columns than usual, because the model predicts slowly.");
  sentences.push("Columns that carry the same information may each seem to matter little.");
  return sentences.join(" ");
}

function withoutEffect(names: readonly string[]): Markup | undefined {
  if (names.length === 0) return undefined;
  const named = names.slice(0, MOST_NAMED).map((name) => shortened(name, MOST_LETTERS));
  const more = names.length - named.length;
  return html`<p class="note">Shuffling does not change the error: ${named.join(", ")}${more > 0 && ` and ${formatNumber(more)} more`}.</p>
`;
}

/** Draws bars for the columns that matter most, the longest first; returns undefined without columns. */
export function permutationTable(measured: MeasuredImportance): Markup | undefined {
  const { features, error, repeats } = measured;
  if (features.length === 0) return undefined;
  const effective = features.filter(({ mean, sd }) => mean !== 0 || sd !== 0).sort((a, b) => b.mean - a.mean);
  const list = effective.slice(0, MOST_SHOWN);
  const hidden = effective.length - list.length;
  const idle = features.filter(({ mean, sd }) => mean === 0 && sd === 0).map(({ feature }) => feature);
  if (list.length === 0) {
    return html`<p>The error stays at ${formatPercent(error)} whichever of the ${formatCount(features.length, "column")} is shuffled: no single column matters to the model.</p>
<p class="note">${notes(measured)}</p>
`;
  }
  return html`<p>Permutation importance: by how many percentage points the error of ${formatPercent(error)} grows when the values of one column are shuffled among the rows. Mean ± standard deviation of ${formatCount(repeats, "shuffle")}.</p>
${barList("Growth of the error in percentage points when a column is shuffled", list.map(bar))}${hidden > 0 && html`<p class="note">The ${list.length} columns that matter most; ${formatNumber(hidden)} more matter less.</p>`}
${withoutEffect(idle)}<p class="note">${notes(measured)}</p>
`;
}

/** Draws bars for the features that training found most important; returns undefined if there is no finite share. */
export function importanceTable({ features }: ImportanceSection): Markup | undefined {
  const known = features.filter(({ share }) => Number.isFinite(share)).sort((a, b) => b.share - a.share);
  if (known.length === 0) return undefined;
  const shown = known.slice(0, MOST_SHOWN);
  const hidden = known.length - shown.length;
  const bars = shown.map(({ name, share }) => ({ name, shown: formatPercent(share), value: share }));
  return html`<p>The share of each feature in what the splits of the trees gained on the training rows.</p>
${barList("Share of each feature in the gain of the splits", bars)}${hidden > 0 && html`<p class="note">The ${shown.length} most important; ${formatNumber(hidden)} more.</p>`}
`;
}
