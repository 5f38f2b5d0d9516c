import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import { formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { CONFIDENCE, holmAdjusted, intervalCell, meanInterval, pairedP } from "../confidence-interval.js";
import { markdownTable } from "../markdown-table.js";
import { type ChoiceTrial, type Method, relativeError } from "./choice-figure.js";

/** The order of criteria according to the thesis. */
export interface PublishedOrder {
  /** Names, best first. */
  readonly order: readonly string[];
  /** Quotation from the thesis, with its section. */
  readonly words: string;
}

const CROSS_VALIDATION = "10-fold CV";
const ADJUSTED = "adjusted SRM, C = 2⁻⁹";
/** Adjusted SRM whose constant is found as in §5.2, but separately for each problem. */
const CALIBRATED = "adjusted SRM, C by holdout";

/** The order of Figure 5.1. */
export const ADABOOST_ORDER: PublishedOrder = {
  order: [CROSS_VALIDATION, ADJUSTED, "margins"],
  words:
    'adjusted SRM "has larger mean and variance than cross validation", "which turned out to be the best selection method", and margins perform "in a extremely poor way" (§5.5.1)',
};

/** The order of Figure 5.2. */
export const NETWORK_ORDER: PublishedOrder = {
  order: ["layer-by-layer R.", "CV", ADJUSTED],
  words:
    'layer-by-layer reconstruction "has achieved the best performance of all three methods", and cross-validation "also outperformed SRM" (§5.5.1)',
};

/**
 * Compares the order of the criteria with the thesis, which shows figures without numbers: pair by pair, with its
 * certainty.
 */
export function orderOfCriteria(
  { order, words }: PublishedOrder,
  methods: readonly Method[],
  trials: readonly ChoiceTrial[],
): string {
  const errorsBy = (name: string) => relativeErrors(methods, name, trials);
  const found = order
    .toSorted((a, b) => mean(errorsBy(a)) - mean(errorsBy(b)))
    .map((name) => `${name} (${spread(errorsBy(name))})`);
  const pairs = comparisons(order, errorsBy);
  return [
    "### The order of the criteria",
    [
      `The thesis, best first: ${order.join("; ")}. It says that ${words}.`,
      `Here, best first, with mean and standard deviation of the relative error: ${found.join("; ")}.`,
    ].join("\n"),
    pairTable(pairs),
    `${verdict(pairs)} Intervals hold for all pairs together at ${formatRoundPercent(CONFIDENCE)}: Student's, over the problems, each with a share of the risk. p is from the two-sided paired t-test, adjusted for the number of pairs (Holm).`,
  ].join("\n\n");
}

/** Describes adjusted SRM with its constant calibrated in each problem. */
export function calibratedNote(methods: readonly Method[], trials: readonly ChoiceTrial[]): string {
  const [cv, calibrated] = [CROSS_VALIDATION, CALIBRATED].map((name) =>
    relativeErrors(methods, name, trials),
  );
  const ahead = cv.map((error, trial) => error - calibrated[trial]);
  const points = mean(ahead);
  const place = `${Math.abs(points).toFixed(1)} points ${points < 0 ? "behind" : "ahead of"} cross-validation on average`;
  return `The thesis calibrates C once, on a holdout, and takes 2⁻⁹, "one of the smallest values" that did well (§5.2). If C is calibrated in each problem, adjusted SRM is ${place} (ahead by ${intervalCell(meanInterval(ahead), 1)} at ${formatRoundPercent(CONFIDENCE)}).`;
}

/** Two criteria in the order of the thesis. */
interface Comparison {
  readonly better: string;
  readonly worse: string;
  /** How much larger the relative error of the worse one is, in each problem. */
  readonly differences: readonly number[];
  /** Adjusted p-value of the hypothesis that both are equally good. */
  readonly p: number;
  /** Number of comparisons. */
  readonly among: number;
}

function comparisons(order: readonly string[], errorsBy: (name: string) => readonly number[]): Comparison[] {
  const pairs = order.flatMap((better, i) =>
    order.slice(i + 1).map((worse) => {
      const [first, second] = [errorsBy(better), errorsBy(worse)];
      return { better, worse, differences: second.map((error, trial) => error - first[trial]) };
    }),
  );
  const adjusted = holmAdjusted(pairs.map(({ differences }) => pairedP(differences)));
  return pairs.map((pair, k) => ({ ...pair, p: adjusted[k], among: pairs.length }));
}

function pairTable(pairs: readonly Comparison[]): string {
  const rows = pairs.map((pair) => {
    const { better, worse, differences, p, among } = pair;
    return [
      better,
      worse,
      mean(differences).toFixed(1),
      intervalCell(meanInterval(differences, 1 - (1 - CONFIDENCE) / among), 1),
      p < 0.001 ? "< 0.001" : p.toFixed(3),
      judgement(pair),
    ];
  });
  return markdownTable(
    ["better in the thesis", "worse in the thesis", "worse by", "interval", "p", "here"],
    rows,
  );
}

function judgement({ differences, p }: Comparison): string {
  const direction = mean(differences) < 0 ? "the reverse" : "the same";
  return p <= 1 - CONFIDENCE ? direction : `not sure: ${direction}`;
}

/** Summarises the table: which pairs are certainly in the other order, and which perhaps by chance. */
function verdict(pairs: readonly Comparison[]): string {
  const named = (some: readonly Comparison[]) =>
    some.map(({ better, worse }) => `“${worse}” before “${better}”`).join(", ");
  const reversed = pairs.filter(({ differences }) => mean(differences) < 0);
  const sure = reversed.filter(({ p }) => p <= 1 - CONFIDENCE);
  const unsure = reversed.filter(({ p }) => p > 1 - CONFIDENCE);
  if (reversed.length === 0) return "The order agrees with the thesis.";
  return [
    ...(sure.length > 0 ? [`The order differs from the thesis beyond chance: ${named(sure)}.`] : []),
    ...(unsure.length > 0 ? [`These differences from the thesis may be chance: ${named(unsure)}.`] : []),
  ].join(" ");
}

function relativeErrors(
  methods: readonly Method[],
  name: string,
  trials: readonly ChoiceTrial[],
): readonly number[] {
  const method = methods.find((each) => each.name === name);
  return method ? trials.map((trial) => relativeError(trial.errors, method.choiceIn(trial))) : [];
}

function spread(errors: readonly number[]): string {
  return `${mean(errors).toFixed(1)}, ${standardDeviation(errors).toFixed(1)}`;
}
