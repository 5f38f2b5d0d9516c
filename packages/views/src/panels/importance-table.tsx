import { shortList } from "vouch/errors";
import {
  type FeatureImportance,
  formatCount,
  formatNumber,
  formatPercent,
  type ImportanceSection,
  type MetricName,
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

/** Half the width of a 95 % confidence interval, in standard errors. */
const INTERVAL = 1.96;

/** How the increase of a metric is named and written. */
interface MetricWords {
  readonly name: string;
  readonly growth: string;
  readonly factor: number;
  readonly digits: number;
  readonly shown: (loss: number) => string;
}

const threeDecimals = (loss: number) => loss.toFixed(3);

const metricWords: Readonly<Record<MetricName, MetricWords>> = {
  error: {
    name: "error",
    growth: "by how many percentage points",
    factor: 100,
    digits: 2,
    shown: formatPercent,
  },
  "balanced-error": {
    name: "balanced error",
    growth: "by how many percentage points",
    factor: 100,
    digits: 2,
    shown: formatPercent,
  },
  auc: { name: "1 − AUC", growth: "by how much", factor: 1, digits: 3, shown: threeDecimals },
  f1: { name: "1 − F1", growth: "by how much", factor: 1, digits: 3, shown: threeDecimals },
  cost: { name: "mean cost", growth: "by how much", factor: 1, digits: 3, shown: threeDecimals },
  "log-loss": { name: "log loss", growth: "by how much", factor: 1, digits: 3, shown: threeDecimals },
  brier: { name: "Brier score", growth: "by how much", factor: 1, digits: 3, shown: threeDecimals },
};

/** Formats a difference with a fixed number of decimals; no minus sign if it rounds to zero. */
function difference(value: number, { factor, digits }: MetricWords): string {
  const rounded = (factor * value).toFixed(digits);
  return Number(rounded) === 0 ? (0).toFixed(digits) : rounded.replace("-", "−");
}

function bar({ feature, mean, se, matters }: FeatureImportance, words: MetricWords) {
  const spread = INTERVAL * se;
  const shown = `${difference(mean, words)} ± ${difference(spread, words)}`;
  return { name: feature, shown, value: mean, spread, faint: !matters };
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
  const named = shortList(names, MOST_NAMED, (name) => shortened(name, MOST_LETTERS));
  return html`<p class="note">Shuffling changes no prediction: ${named}.</p>
`;
}

/** Explains pale bars. */
function chanceNote(shown: readonly FeatureImportance[]): Markup | false {
  if (shown.every(({ matters }) => matters)) return false;
  const which = shown.some(({ matters }) => matters) ? "Pale columns cannot" : "None of these columns can";
  return html`<p class="note">${which} be told from chance (p ≥ 0.05 after Holm’s correction).</p>
`;
}

/** Draws bars for the columns that matter most, the longest first; returns undefined without columns. */
export function permutationTable(measured: MeasuredImportance): Markup | undefined {
  const { features, loss, metric, repeats } = measured;
  if (features.length === 0) return undefined;
  const words = metricWords[metric];
  const effective = features.filter(({ mean, sd }) => mean !== 0 || sd !== 0).sort((a, b) => b.mean - a.mean);
  const list = effective.slice(0, MOST_SHOWN);
  const hidden = effective.length - list.length;
  const idle = features.filter(({ mean, sd }) => mean === 0 && sd === 0).map(({ feature }) => feature);
  if (list.length === 0) {
    return html`<p>The ${words.name} stays at ${words.shown(loss)} whichever of the ${formatCount(features.length, "column")} is shuffled: no single column matters to the model.</p>
<p class="note">${notes(measured)}</p>
`;
  }
  return html`<p>Permutation importance: ${words.growth} the ${words.name} of ${words.shown(loss)} grows when the values of one column are shuffled among the rows. Mean of ${formatCount(repeats, "shuffle")}, with a 95 % confidence interval over the rows.</p>
${barList(
  `Growth of the ${words.name} when a column is shuffled`,
  list.map((feature) => bar(feature, words)),
)}${chanceNote(list)}${hidden > 0 && html`<p class="note">The ${list.length} columns that matter most; ${formatNumber(hidden)} more matter less.</p>`}
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
