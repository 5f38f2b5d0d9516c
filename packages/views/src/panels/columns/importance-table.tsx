import type { FeatureImportance } from "@vouch/core/internal/explain/permutation-importance";
import type { ImportanceSection } from "@vouch/core/internal/learners/description";
import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import {
  formatCount,
  formatNumber,
  formatPercent,
  shortList,
} from "@vouch/core/internal/runtime/text/number-format";
import { BarList } from "../../charts/bars.js";
import type { MeasuredImportance } from "../../facts/columns/column-importance.js";
import { Term } from "../../text/term.js";
import { shortened } from "../../text/text.js";

const MOST_SHOWN = 20;
/** Maximum number of columns without effect to name, and the length of a name. */
const MOST_NAMED = 12;
const MOST_LETTERS = 30;

/** Half the width of a 95% confidence interval, in standard errors. */
const INTERVAL = 1.96;

/** How to name and format the increase of a metric. */
interface MetricWords {
  readonly name: string;
  readonly unit: string;
  readonly factor: number;
  readonly digits: number;
  readonly shown: (loss: number) => string;
}

const threeDecimals = (loss: number) => loss.toFixed(3);

const metricWords: Readonly<Record<MetricName, MetricWords>> = {
  error: {
    name: "error",
    unit: ", in percentage points",
    factor: 100,
    digits: 2,
    shown: formatPercent,
  },
  "balanced-error": {
    name: "balanced error",
    unit: ", in percentage points",
    factor: 100,
    digits: 2,
    shown: formatPercent,
  },
  auc: { name: "1 − AUC", unit: "", factor: 1, digits: 3, shown: threeDecimals },
  f1: { name: "1 − F1", unit: "", factor: 1, digits: 3, shown: threeDecimals },
  cost: { name: "mean cost", unit: "", factor: 1, digits: 3, shown: threeDecimals },
  "log-loss": { name: "log loss", unit: "", factor: 1, digits: 3, shown: threeDecimals },
  brier: { name: "Brier score", unit: "", factor: 1, digits: 3, shown: threeDecimals },
};

/** Formats a difference with a fixed number of decimals, without a minus sign if it rounds to zero. */
function difference(value: number, { factor, digits }: MetricWords): string {
  const rounded = (factor * value).toFixed(digits);
  return Number(rounded) === 0 ? (0).toFixed(digits) : rounded.replace("-", "−");
}

function bar({ feature, mean, se, matters }: FeatureImportance, words: MetricWords) {
  const spread = INTERVAL * se;
  const shown = `${difference(mean, words)} ± ${difference(spread, words)}`;
  return { name: feature, shown, value: mean, spread, faint: !matters };
}

function describeRows({ rows, allRows, on }: MeasuredImportance): string {
  const which = on === "held-out" ? "held-out row" : "training row";
  return rows < allRows
    ? `Measured on a random subsample of ${formatNumber(rows)} of ${formatCount(allRows, which)}.`
    : `Measured on ${formatCount(rows, which)}.`;
}

function notes(measured: MeasuredImportance): string {
  const { screening, slow, features, repeats } = measured;
  const sentences = [
    `Mean of ${formatCount(repeats, "shuffle")}, with a 95% confidence interval over the rows.`,
    describeRows(measured),
  ];
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

/** A column is folded if its interval stays below this share of the longest bar. */
const HARDLY = 0.02;

/** Returns whether a column is not shown to matter and its bar would be too short to see. */
function isNegligible({ mean, se, matters }: FeatureImportance, longest: number): boolean {
  return !matters && Math.abs(mean) + INTERVAL * se < HARDLY * longest;
}

function WithoutEffect({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  const named = shortList(names, MOST_NAMED, (name) => shortened(name, MOST_LETTERS));
  return <p class="note">Without effect: {named}.</p>;
}

/** Explains pale bars. */
function ChanceNote({ shown }: { readonly shown: readonly FeatureImportance[] }) {
  if (shown.every(({ matters }) => matters)) return null;
  const which = shown.some(({ matters }) => matters) ? "Pale columns" : "These columns";
  return <p class="note">{which} may be chance (p ≥ 0.05 after Holm’s correction).</p>;
}

/** Draws bars for the most important columns, longest first; renders nothing without columns. */
export function PermutationTable({ measured }: { readonly measured: MeasuredImportance }) {
  const { features, loss, metric } = measured;
  if (features.length === 0) return null;
  const words = metricWords[metric];
  const effective = features.filter(({ mean, sd }) => mean !== 0 || sd !== 0).sort((a, b) => b.mean - a.mean);
  const longest = effective[0]?.mean ?? 0;
  const negligible = effective.filter((feature) => isNegligible(feature, longest));
  const list = effective.filter((feature) => !negligible.includes(feature)).slice(0, MOST_SHOWN);
  const hidden = effective.length - negligible.length - list.length;
  const idle = features.filter(({ mean, sd }) => mean === 0 && sd === 0).map(({ feature }) => feature);
  if (list.length === 0) {
    return (
      <p>
        The {words.name} stays at {words.shown(loss)} whichever of the{" "}
        {formatCount(features.length, "column")} is shuffled: no single column matters to the model.
      </p>
    );
  }
  return (
    <>
      <p>
        How much the {words.name} of {words.shown(loss)} grows{" "}
        <Term of="importance">when a column is shuffled</Term>
        {words.unit}.
      </p>
      <BarList
        label={`Growth of the ${words.name} when a column is shuffled`}
        bars={list.map((feature) => bar(feature, words))}
      />
      <ChanceNote shown={list} />
      {hidden > 0 && <p class="note">{formatNumber(hidden)} more columns matter less.</p>}
      {negligible.length > 0 && (
        <details>
          <summary>{formatCount(negligible.length, "more column")} with hardly any effect</summary>
          <BarList
            label="Columns with hardly any effect"
            bars={negligible.slice(0, MOST_SHOWN).map((feature) => bar(feature, words))}
            end={longest}
          />
        </details>
      )}
      <WithoutEffect names={idle} />
      <details>
        <summary>How it was measured</summary>
        <p class="note">{notes(measured)}</p>
      </details>
    </>
  );
}

/** Draws bars for the features that training found most important; renders nothing if no share is finite. */
export function ImportanceTable({ section }: { readonly section: ImportanceSection }) {
  const known = section.features
    .filter(({ share }) => Number.isFinite(share))
    .sort((a, b) => b.share - a.share);
  if (known.length === 0) return null;
  const used = known.filter(({ share }) => share > 0);
  const unused = known.filter(({ share }) => !(share > 0)).map(({ name }) => name);
  const shown = used.slice(0, MOST_SHOWN);
  const hidden = used.length - shown.length;
  const bars = shown.map(({ name, share }) => ({ name, shown: formatPercent(share), value: share }));
  return (
    <>
      <p>The share of each feature in what the splits of the trees gained on the training rows.</p>
      <BarList label="Share of each feature in the gain of the splits" bars={bars} />
      {hidden > 0 && (
        <p class="note">
          The {shown.length} most important; {formatNumber(hidden)} more.
        </p>
      )}
      {unused.length > 0 && (
        <p class="note">
          No split uses {shortList(unused, MOST_NAMED, (name) => shortened(name, MOST_LETTERS))}.
        </p>
      )}
    </>
  );
}
