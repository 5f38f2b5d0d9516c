import * as real from "../../runtime/maths/portable-math.js";
import { mean } from "../../runtime/maths/statistics.js";
import { formatLowerNumber, formatUpperNumber } from "../../runtime/text/number-format.js";
import { visibleSpaces } from "../../runtime/text/suggestions.js";
import { addPremises, type Certificate, type Premise, partsAbove, riskOfFailure } from "../certificate.js";
import { aucBounds } from "./auc-bound.js";
import { meanUpperBounds } from "./bounded-mean.js";
import {
  balancedErrorBound,
  type ConfusionCounts,
  classErrorBounds,
  expectedCostBounds,
  precisionErrorBounds,
} from "./class-bounds.js";
import { meanReference } from "./counted-draws.js";
import {
  type CountedUnits,
  countsNewRows,
  eachRow,
  type HeldOut,
  type HeldOutEvidence,
  heldOutCertificate,
  selectNewRows,
} from "./held-out.js";

/** With more classes than this, there are no certificates for single classes. */
const MOST_CLASSES = 100;

/** Costs of predictions: `costs[t][p]` is the cost of predicting class p for a row of class t. */
export type CostMatrix = ConfusionCounts;

/**
 * Lists the certificates of measures other than the error: balanced error, error and precision of each class, cost,
 * AUC, Brier score and log loss. If the rows were drawn by groups, only means of groups are independent, so only Brier
 * score and log loss are certified.
 */
export function measureCertificates(evidence: HeldOutEvidence, costs?: CostMatrix): Certificate[] {
  const { groups, confusion } = evidence;
  if (countedUnits(evidence).rows === 0) return [];
  return [...(confusion && !groups ? classCertificates(evidence, costs) : []), ...lossCertificates(evidence)];
}

function classCertificates(evidence: HeldOutEvidence, costs: CostMatrix | undefined): Certificate[] {
  const { confusion } = evidence;
  if (!confusion) return [];
  const { matrix } = confusion;
  const delta = riskOfFailure(evidence.confidence);
  const measured = classErrorBounds(matrix, delta).filter(({ rows }) => rows > 0);
  const error = mean(measured.map(({ errors, rows }) => errors / rows));
  // A class that the model knows and no held-out row has may always be misclassified.
  const untested =
    confusion.classes.length -
    matrix.filter((row, c) => c < confusion.classes.length && row.some((count) => count > 0)).length;
  const classes = measured.length + untested;
  const value = (measured.length * balancedErrorBound(matrix, delta) + untested) / classes;
  const units = countedUnits(evidence);
  const certificates = [
    heldOutCertificate(
      {
        name: "balanced-error",
        measure: "balanced-error",
        reference: "Chernoff's method for independent binomial errors",
        value,
        terms: {
          "mean error of the tested classes": error,
          classes,
          ...(untested > 0 && { "classes without held-out rows": untested }),
          delta,
        },
        parts: partsAbove("balanced error", error, value),
      },
      evidence,
      units,
      (shown) => `the mean of the classes' errors on ${units.cases} is at most ${shown}`,
    ),
  ];
  if (confusion.classes.length <= MOST_CLASSES) certificates.push(...singleClasses(evidence, delta));
  if (costs) certificates.push(costCertificate(evidence, matrix, costs, delta));
  return certificates;
}

/** Bounds the error and the precision of each class by binomial tails: given their number, the rows of a class are draws. */
function singleClasses(evidence: HeldOutEvidence, delta: number): Certificate[] {
  const { classes = [], matrix = [] } = evidence.confusion ?? {};
  const units = countedUnits(evidence);
  const reference = "Clopper and Pearson (1934)";
  const errors = classErrorBounds(matrix, delta).flatMap(({ rows, errors, upper: value }, c) =>
    rows === 0 || c >= classes.length
      ? []
      : heldOutCertificate(
          {
            name: "class-error",
            measure: "class-error",
            class: classes[c],
            reference,
            value,
            terms: { errors, rows, delta },
            parts: partsAbove("error on held-out rows of the class", errors / rows, value),
          },
          evidence,
          { ...units, rows, errors, unit: ["held-out row of the class", "held-out rows of the class"] },
          (shown) =>
            `at most ${shown} of ${units.cases} that are of class "${visibleSpaces(classes[c])}" are misclassified`,
        ),
  );
  const precisions = precisionErrorBounds(matrix, delta).flatMap(({ rows, errors, upper: value }, c) =>
    rows === 0 || c >= classes.length
      ? []
      : heldOutCertificate(
          {
            name: "precision",
            measure: "precision",
            class: classes[c],
            bound: "lower",
            reference,
            value: 1 - value,
            terms: { right: rows - errors, predicted: rows, delta },
          },
          evidence,
          { ...units, rows, errors, unit: ["such prediction", "such predictions"] },
          (shown) =>
            `at least ${shown} of predictions of "${visibleSpaces(classes[c])}" for ${units.cases} are right`,
        ),
  );
  return [...errors, ...precisions];
}

const COSTS: Premise = {
  text: "The costs were set before anyone looked at the held-out rows.",
  status: "assumed",
};

function costCertificate(
  evidence: HeldOutEvidence,
  matrix: readonly (readonly number[])[],
  costs: CostMatrix,
  delta: number,
): Certificate {
  const units = countedUnits(evidence);
  const { mean: cost, betting: value } = expectedCostBounds(matrix, padded(costs, matrix.length), delta);
  const certificate = heldOutCertificate(
    {
      name: "cost",
      measure: "cost",
      reference: meanReference(matrix.flat().reduce((rows, count) => rows + count, 0)),
      value,
      terms: { "mean cost": cost, delta },
      parts: partsAbove("mean cost of held-out rows", cost, value),
    },
    evidence,
    { ...units, vacuous: false },
    () => `the mean cost of ${units.cases} is at most ${formatUpperNumber(value)}`,
  );
  return addPremises(certificate, COSTS);
}

/** Adds a row and a column for rows of unknown classes, which cost as much as the most expensive error. */
function padded(costs: CostMatrix, size: number): CostMatrix {
  if (costs.length >= size) return costs;
  const most = Math.max(...costs.map((row) => Math.max(...row)));
  const wider = costs.map((row) => [...row, most]);
  return [...wider, new Array<number>(size).fill(most)];
}

const BETTING = "Waudby-Smith and Ramdas (2024), betting bound on a mean";

function lossCertificates(evidence: HeldOutEvidence): Certificate[] {
  const { losses, groups, auc } = evidence;
  const ranking = auc && !groups ? [aucCertificate(evidence, auc)] : [];
  if (!losses) return ranking;
  const { brier, brierRange, logLoss, leastProbability } = losses;
  const of = `of ${countedUnits(evidence).cases}`;
  return [
    ...ranking,
    ...(brier ? [meanCertificate("brier", `the Brier score ${of} is`, brier, brierRange, evidence)] : []),
    ...(logLoss
      ? [
          meanCertificate(
            "log-loss",
            `the log loss ${of} with probabilities clipped to at least ${leastProbability} is`,
            logLoss,
            -real.log(leastProbability),
            evidence,
          ),
        ]
      : []),
  ];
}

function meanCertificate(
  measure: "brier" | "log-loss",
  claim: string,
  values: Float64Array,
  high: number,
  evidence: HeldOutEvidence,
): Certificate {
  const delta = riskOfFailure(evidence.confidence);
  const value = meanUpperBounds(values, { low: 0, high }, delta).betting;
  const measured = values.length === 0 ? 0 : mean(values);
  return heldOutCertificate(
    {
      name: measure,
      measure,
      reference: BETTING,
      value,
      terms: { mean: measured, largest: high, delta },
      parts: partsAbove("mean of held-out rows", measured, value),
    },
    evidence,
    { ...countedUnits(evidence), vacuous: value >= high },
    () => `${claim} at most ${formatUpperNumber(value)}`,
  );
}

function aucCertificate(
  evidence: HeldOutEvidence,
  { value: area, positives, negatives }: NonNullable<HeldOut["auc"]>,
): Certificate {
  const delta = riskOfFailure(evidence.confidence);
  const units = countedUnits(evidence);
  const { lower: value } = aucBounds({ auc: area, positives, negatives }, delta);
  return heldOutCertificate(
    {
      name: "auc",
      measure: "auc",
      bound: "lower",
      reference: "Hoeffding (1963), section 5, for a U-statistic of two samples",
      value,
      terms: { AUC: area, positives, negatives, delta },
    },
    evidence,
    units,
    () => `the AUC for ${units.cases} is at least ${formatLowerNumber(value)}`,
  );
}

/** Describes the rows that count as evidence. */
export function countedUnits(evidence: HeldOutEvidence): CountedUnits {
  const { repeats, groups } = evidence;
  if (!groups)
    return repeats && countsNewRows(evidence) ? selectNewRows(evidence, repeats) : eachRow(evidence);
  return {
    ...eachRow({ ...evidence, groups: undefined }),
    rows: groups.reduce((sum, { groups: count }) => sum + count, 0),
    unit: ["held-out group", "held-out groups"],
    cases: "the cases of a new group, on average over groups,",
    draws: "The held-out groups are independent draws from the groups of the future.",
  };
}
