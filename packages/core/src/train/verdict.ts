import type { AgainstBaseline, PairedResult } from "../metrics/baseline.js";
import { describeBaseline, formatMetric, type MetricName, metricFacts } from "../metrics/metric-name.js";
import { formatNumber, formatPercent, formatPValue } from "../runtime/text/number-format.js";
import { joined, visibleSpaces } from "../runtime/text/suggestions.js";
import {
  adviseOnRareClass,
  describeRareClass,
  describeRareClassAdvice,
  findRareClass,
  type RareClass,
} from "./rare-class.js";
import { type ClassFound, isGrave, type Warning } from "./warnings.js";

/** Whether a model is worth using: first, whether it is better than always answering the most common class. */
export interface Verdict {
  /** `yes` if the metric is significantly better than the baseline's, `no` if it is not better, otherwise `unclear`. */
  readonly better: "yes" | "no" | "unclear";
  /** The best constant answer, usually the most common class of the training rows, and its error. */
  readonly baseline: { readonly class: string; readonly error: number };
  readonly error: number;
  /** Advantage over the baseline by the metric to optimise; negative if the model is worse. */
  readonly gain: number;
  /** The metric to optimise, for the model and the baseline; absent if it is the error. */
  readonly objective?: (PairedResult & { readonly metric: MetricName }) | undefined;
  /** One-sided p-value of the gain: exact on held-out rows, approximate in folds, which share training rows. */
  readonly p: number;
  readonly measuredOn: "held-out rows" | "new rows" | "groups" | "folds" | "rows";
  /** Comparisons by other measures. */
  readonly logLoss?: PairedResult | undefined;
  readonly auc?: PairedResult | undefined;
  /** Absent if the model was measured in folds. */
  readonly classes?: readonly ClassFound[] | undefined;
  /** The rarest class if the model was measured in folds; held-out rows show it by `classes`. */
  readonly rare?: RareClass | undefined;
  readonly warnings: readonly Warning[];
}

/** Decides by a measured gain and its p-value at a significance level. */
export function betterBy(gain: number, p: number, significance: number): Verdict["better"] {
  if (!(gain > 0)) return "no";
  return p < significance ? "yes" : "unclear";
}

/** A verdict in words. */
export interface VerdictWords {
  /** Whether the model is better than the baseline, and by how much. */
  readonly verdict: string;
  /** The rows found of each class; absent if unknown. */
  readonly found?: string;
  /** Says that the scores rank rows although the predictions are no better than the baseline; otherwise absent. */
  readonly ranking?: string;
  /** Says that a class is rare, if the model minimises the number of errors; otherwise absent. */
  readonly rare?: string;
  /** What helps with a rare class; absent without one. */
  readonly advice?: string;
  /** Reasons to doubt the verdict, and limits of what is known, the most serious first. Show them with the verdict. */
  readonly warnings: readonly string[];
}

/** Describes a verdict in sentences. */
export function describeVerdict(verdict: Verdict): VerdictWords {
  const found = foundSentence(verdict);
  const ranking = rankingSentence(verdict);
  const rare = findRareClass(verdict);
  return {
    verdict: verdictSentence(verdict),
    ...(found !== undefined && { found }),
    ...(ranking !== undefined && { ranking }),
    ...(rare && {
      rare: describeRareClass(rare),
      advice: describeRareClassAdvice(rare, adviseOnRareClass(rare, verdict)),
    }),
    warnings: verdict.warnings.map(({ message }) => message),
  };
}

const WHERE: Readonly<Record<Verdict["measuredOn"], string>> = {
  "held-out rows": "on held-out rows",
  "new rows": "on new rows",
  groups: "on held-out groups",
  folds: "in cross-validation",
  rows: "on these rows",
};

/** Describes the verdict in one sentence. */
function verdictSentence(verdict: Verdict): string {
  const { better, p, warnings } = verdict;
  const constant = describeBaseline(verdict.objective?.metric ?? "error", verdict.baseline.class);
  const values = describeValues(verdict);
  const claim = warnings.some(isGrave) ? "In doubt: better" : "Better";
  if (better === "yes") return `${claim} than ${constant}: ${values} (${formatPValue(p)}).`;
  // Rows that prove nothing, such as training rows, have p = 1.
  if (better === "unclear" && p === 1) return `Not shown to be better than ${constant}: ${values}.`;
  if (better === "unclear") return `Not shown to be better than ${constant}: ${values} (${formatPValue(p)}).`;
  return `No better than ${constant}: ${values}.`;
}

function describeValues({ baseline, error, objective, measuredOn }: Verdict): string {
  const where = WHERE[measuredOn];
  if (!objective)
    return `${formatPercent(error)} errors ${where} instead of ${formatPercent(baseline.error)}`;
  const { metric, model, baseline: constant } = objective;
  const { title } = metricFacts(metric);
  return `${title} ${formatMetric(metric, model)} ${where} instead of ${formatMetric(metric, constant)}`;
}

/** With more classes, only the range of what is found is given. */
const MOST_CLASSES_LISTED = 4;

/** Describes what the model finds of each class; undefined if unknown. */
function foundSentence({ classes }: Pick<Verdict, "classes">): string | undefined {
  if (!classes || classes.length === 0) return undefined;
  if (classes.length <= MOST_CLASSES_LISTED) {
    const parts = classes.map(
      ({ class: name, rows, found }) =>
        `${formatNumber(found)} of ${formatNumber(rows)} "${visibleSpaces(name)}"`,
    );
    return `It finds ${joined(parts)}.`;
  }
  const share = ({ found, rows }: ClassFound) => found / rows;
  const ascending = [...classes].sort((a, b) => share(a) - share(b));
  const [worst] = ascending;
  const best = ascending[ascending.length - 1];
  if (share(worst) === share(best))
    return `It finds ${formatPercent(share(worst))} of the rows of each class.`;
  return `It finds between ${formatPercent(share(worst))} (class "${visibleSpaces(worst.class)}") and ${formatPercent(share(best))} ("${visibleSpaces(best.class)}") of the rows of a class.`;
}

/** AUCs with a smaller p-value are above one half. */
const SIGNIFICANT_RANKING = 0.05;

/** Says that the scores rank rows although predictions are not better than the baseline; undefined otherwise. */
function rankingSentence({ better, auc, objective }: Verdict): string | undefined {
  // A model for another metric already has its threshold, or needs none.
  if (objective || better === "yes" || !auc || !(auc.gain > 0 && auc.p < SIGNIFICANT_RANKING))
    return undefined;
  return `Its scores do rank rows better than chance (AUC ${formatNumber(Number(auc.model.toFixed(3)))}, ${formatPValue(auc.p)}): with another threshold it may be useful.`;
}

/** Creates the verdict from a comparison with the baseline. */
export function makeVerdict(
  baselineClass: string,
  { error, logLoss, auc, objective }: AgainstBaseline,
  rest: Pick<Verdict, "measuredOn" | "classes" | "warnings">,
  significance: number,
): Verdict {
  const { gain, p } = objective ?? error;
  return {
    better: betterBy(gain, p, significance),
    baseline: { class: baselineClass, error: error.baseline },
    error: error.model,
    gain,
    p,
    ...(objective && { objective }),
    ...(logLoss && { logLoss }),
    ...(auc && { auc }),
    ...rest,
  };
}
