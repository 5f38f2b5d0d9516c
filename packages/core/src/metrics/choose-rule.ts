import type { Matrix } from "../runtime/maths/matrix.js";
import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import { evenRows } from "../table/even-rows.js";
import { ARGMAX, type DecisionRule, predictionsBy } from "./decision-rule.js";
import { metricFacts } from "./metric-name.js";
import { type Objective, rowLosses } from "./objective-metric.js";
import { type ScoreCurve, scoreCurve } from "./score-curve.js";

/** Rows with calibrated probabilities from models that did not see them. */
export interface RowsToDecide {
  readonly labels: Int32Array;
  readonly probabilities: Matrix;
  /** The model's own answers. */
  readonly predictions: Int32Array;
}

/** Limit on the number of products of weight and probability in a search for weights. */
const MOST_PRODUCTS = 5e7;
const LEAST_ROWS_OF_CLASS = 20;

/** Factors that a search tries for the weight of a class. */
const FACTORS = [0.25, 0.5, 0.7, 0.85, 1.2, 1.5, 2, 4];
const SEARCH_PASSES = 2;

/**
 * Chooses the decision rule for a metric. Metrics of probabilities or ranking, and the error, keep the model's own
 * answers. For other metrics the rule follows from the probabilities: the least expected cost, the threshold that
 * maximises the expected F1, or weights 1/share for the balanced error. The best rule on these rows replaces it only if
 * such rules are better by more than a standard error on rows that did not choose them, because the best of many
 * thresholds is partly chance.
 */
export function chooseRule(objective: Objective, rows: RowsToDecide): DecisionRule {
  const derived = derivedRule(objective, rows);
  if (derived === ARGMAX) return derived;
  const searched = searchedRule(objective, rows);
  return searched && isClearlyBetter(derived, objective, rows) ? searched : derived;
}

/** Returns whether a metric keeps the model's own answers, so that no rule is chosen. */
export function keepsOwnAnswers({ metric }: Objective): boolean {
  return metricFacts(metric).judges !== "predictions" || metric === "error";
}

/** Finds the best rule on these rows; undefined if there is none to find. */
function searchedRule(objective: Objective, rows: RowsToDecide): DecisionRule | undefined {
  return rows.probabilities.columns === 2 ? bestThreshold(objective, rows) : searchedWeights(objective, rows);
}

/** Returns the rule that would be best if the probabilities were true. */
export function derivedRule(objective: Objective, rows: RowsToDecide): DecisionRule {
  const { metric, costs, positive = 1 } = objective;
  if (keepsOwnAnswers(objective)) return ARGMAX;
  if (rows.labels.length === 0) return ARGMAX;
  const { columns } = rows.probabilities;
  if (metric === "cost" && costs) {
    const at = columns === 2 ? costThreshold(costs, positive) : undefined;
    return at === undefined ? { kind: "costs", costs } : { kind: "threshold", class: positive, at };
  }
  if (metric === "balanced-error") {
    const shares = meanProbabilities(rows.probabilities);
    if (columns === 2) return { kind: "threshold", class: positive, at: shares[positive] };
    return { kind: "weights", weights: Array.from(shares, (share) => 1 / Math.max(share, 1e-9)) };
  }
  if (columns === 2) return expectedF1Threshold(rows.probabilities, positive);
  return { kind: "weights", weights: new Array<number>(columns).fill(1) };
}

/** Solves p·c(pos, pos) + (1 − p)·c(neg, pos) = p·c(pos, neg) + (1 − p)·c(neg, neg) for p; undefined unless errors cost more. */
function costThreshold(costs: NonNullable<Objective["costs"]>, positive: number): number | undefined {
  const negative = 1 - positive;
  const falseAlarm = costs[negative][positive] - costs[negative][negative];
  const miss = costs[positive][negative] - costs[positive][positive];
  return falseAlarm >= 0 && miss >= 0 && falseAlarm + miss > 0 ? falseAlarm / (falseAlarm + miss) : undefined;
}

function meanProbabilities({ rows, columns, values }: Matrix): Float64Array {
  const sums = new Float64Array(columns);
  for (let i = 0; i < values.length; i++) sums[i % columns] += values[i];
  return sums.map((sum) => sum / rows);
}

/** Finds the threshold with the largest 2 Σ_{p ≥ t} p / (Σ p + #{p ≥ t}), the F1 expected from the probabilities. */
function expectedF1Threshold({ rows, columns, values }: Matrix, positive: number): DecisionRule {
  const own = Float64Array.from({ length: rows }, (_, i) => values[i * columns + positive]).sort();
  const total = own.reduce((sum, p) => sum + p, 0);
  let found = 0;
  let best = { f1: -1, at: 0.5 };
  for (let i = rows - 1; i >= 0; i--) {
    found += own[i];
    const f1 = (2 * found) / (total + rows - i);
    if (f1 > best.f1 && (i === 0 || own[i - 1] < own[i])) best = { f1, at: between(own[i - 1], own[i]) };
  }
  return { kind: "threshold", class: positive, at: best.at };
}

/** Returns a threshold between two neighbouring probabilities, so that rounding does not decide. */
function between(below: number | undefined, at: number): number {
  return below === undefined ? at / 2 : (below + at) / 2;
}

/** Finds the best threshold on these rows; undefined if all belong to one class. */
function bestThreshold(
  objective: Objective,
  { labels, probabilities }: RowsToDecide,
): DecisionRule | undefined {
  const { positive = 1 } = objective;
  const curve = scoreCurve(labels, probabilities, positive);
  if (!curve) return undefined;
  // Above the largest probability, no row is predicted as the class.
  let best = { loss: lossAt(objective, curve, -1, positive), at: between(curve.thresholds[0], 1) };
  for (let i = 0; i < curve.thresholds.length; i++) {
    const loss = lossAt(objective, curve, i, positive);
    if (loss < best.loss) best = { loss, at: between(curve.thresholds[i + 1], curve.thresholds[i]) };
  }
  return { kind: "threshold", class: positive, at: best.at };
}

function lossAt({ metric, costs }: Objective, curve: ScoreCurve, i: number, positive: number): number {
  const { positives, negatives } = curve;
  const found = curve.truePositives[i] ?? 0;
  const alarms = curve.falsePositives[i] ?? 0;
  if (metric === "f1") return 1 - (2 * found) / (found + alarms + positives);
  if (metric === "balanced-error" || !costs) return (1 - found / positives + alarms / negatives) / 2;
  const negative = 1 - positive;
  return (
    found * costs[positive][positive] +
    (positives - found) * costs[positive][negative] +
    alarms * costs[negative][positive] +
    (negatives - alarms) * costs[negative][negative]
  );
}

/** Changes the weight of one class at a time while that lowers the loss; undefined if there are too many classes. */
function searchedWeights(objective: Objective, all: RowsToDecide): DecisionRule | undefined {
  const { columns } = all.probabilities;
  const most = Math.floor(MOST_PRODUCTS / (SEARCH_PASSES * FACTORS.length * columns ** 2));
  if (most < LEAST_ROWS_OF_CLASS * columns) return undefined;
  const rows = thinned(all, most);
  const derived = derivedRule(objective, all);
  let weights = derived.kind === "weights" ? [...derived.weights] : new Array<number>(columns).fill(1);
  const lossOf = (given: readonly number[]) =>
    mean(lossesBy({ kind: "weights", weights: given }, objective, rows));
  let best = lossOf(weights);
  for (let pass = 0; pass < SEARCH_PASSES; pass++) {
    for (let k = 0; k < columns; k++) {
      const tries = FACTORS.map((factor) => weights.map((weight, j) => (j === k ? factor * weight : weight)));
      for (const one of tries) {
        const loss = lossOf(one);
        if (loss < best) {
          best = loss;
          weights = one;
        }
      }
    }
  }
  return { kind: "weights", weights };
}

function thinned(all: RowsToDecide, most: number): RowsToDecide {
  const { labels } = all;
  if (labels.length <= most) return all;
  return pickedRows(all, evenRows(labels.length, most));
}

function pickedRows({ labels, probabilities, predictions }: RowsToDecide, rows: Int32Array): RowsToDecide {
  return {
    labels: rows.map((row) => labels[row]),
    predictions: rows.map((row) => predictions[row]),
    probabilities: probabilities.select(rows),
  };
}

function lossesBy(rule: DecisionRule, objective: Objective, rows: RowsToDecide): Float64Array {
  const { labels, probabilities } = rows;
  const predictions = predictionsBy(rule, probabilities, () => rows.predictions);
  return rowLosses(objective, { labels, predictions, scores: probabilities });
}

/** Number of parts, each decided by the best rule on the other parts. */
const PARTS = 5;

/** Returns whether rules chosen on other rows are better than the derived one by more than a standard error. */
function isClearlyBetter(derived: DecisionRule, objective: Objective, rows: RowsToDecide): boolean {
  const { labels, probabilities } = rows;
  const predictions = new Int32Array(labels.length);
  for (let part = 0; part < PARTS; part++) {
    const own = Int32Array.from(labels.keys()).filter((row) => row % PARTS === part);
    const others = Int32Array.from(labels.keys()).filter((row) => row % PARTS !== part);
    const rule = searchedRule(objective, pickedRows(rows, others)) ?? derived;
    const tested = pickedRows(rows, own);
    const found = predictionsBy(rule, tested.probabilities, () => tested.predictions);
    own.forEach((row, i) => {
      predictions[row] = found[i];
    });
  }
  const searched = rowLosses(objective, { labels, predictions, scores: probabilities });
  const gains = lossesBy(derived, objective, rows).map((loss, i) => loss - searched[i]);
  return mean(gains) > standardDeviation(gains) / Math.sqrt(gains.length);
}
