import {
  formatCount,
  formatLowerBound,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "../../runtime/text/number-format.js";
import { addPremises, type Certificate, type Premise, partsAbove, riskOfFailure } from "../certificate.js";
import {
  type CountedUnits,
  eachRow,
  type HeldOutEvidence,
  heldOutCertificate,
} from "../held-out/held-out.js";
import { countedUnits } from "../held-out/measures.js";
import { answeredErrorBound, answerRateBounds, leastAnswers, type ThresholdChoice } from "./abstention.js";
import { type AbstentionRule, keepsTarget } from "./abstention-rule.js";
import { groupDraws, type SelectiveCounts } from "./selective-rows.js";

const TARGET: Premise = {
  text: "The error that answers may have was set before anyone looked at the held-out rows.",
  status: "assumed",
};
const SEQUENCE: Premise = {
  text: "The thresholds and the order of their tests were fixed by out-of-fold rows, before the held-out rows were seen.",
  status: "checked",
};

/**
 * Lists the certificates of a classifier that abstains: of the error of its answers, and of the share of cases that it answers. Their
 * rows are those that count as evidence. A threshold that was fixed before them is part of the finished classifier, and the bounds
 * do not depend on the target that it was chosen for.
 *
 * @param counts answers to these rows
 * @param evidence where the rows come from, and the confidence of each certificate
 * @param choice the rule, if these rows chose its threshold; absent if the threshold was fixed before
 */
export function abstentionCertificates(
  counts: SelectiveCounts,
  evidence: HeldOutEvidence,
  choice?: ThresholdChoice,
): Certificate[] {
  const units = unitsOf(counts, evidence);
  const certificates = [
    errorCertificate(counts, evidence, units, choice),
    rateCertificate(counts, evidence, units, choice),
  ];
  if (!choice) return certificates;
  return certificates.map((one) => addPremises(one, TARGET, SEQUENCE));
}

/** Describes the rows or groups that count; rows without their groups prove nothing if they were drawn by groups. */
function unitsOf({ groups }: Pick<SelectiveCounts, "groups">, evidence: HeldOutEvidence): CountedUnits {
  return evidence.groups && !groups ? eachRow(evidence) : countedUnits(evidence);
}

function errorCertificate(
  counts: SelectiveCounts,
  evidence: HeldOutEvidence,
  units: CountedUnits,
  choice: ThresholdChoice | undefined,
): Certificate {
  const { answered, errors, groups } = counts;
  const value = answered === 0 ? 1 : answeredErrorBound(counts, evidence.confidence, choice);
  return heldOutCertificate(
    {
      name: "answered-error",
      measure: "answered-error",
      reference: choice
        ? "Angelopoulos, Bates, Candès, Jordan and Lei (2025), fixed-sequence testing"
        : rateReference(groups),
      value,
      terms: { errors, answers: answered, ...choiceTerms(evidence, choice) },
      parts: partsAbove("error of answers to held-out rows", answered === 0 ? 0 : errors / answered, value),
    },
    evidence,
    groups
      ? { ...units, errors }
      : { ...units, rows: answered, errors, unit: ["answered held-out row", "answered held-out rows"] },
    (shown) => `at most ${shown} of its answers for ${units.cases} are wrong`,
  );
}

function rateCertificate(
  counts: SelectiveCounts,
  evidence: HeldOutEvidence,
  units: CountedUnits,
  choice: ThresholdChoice | undefined,
): Certificate {
  const { lower, measured } = answerRateBounds(counts, evidence.confidence, choice);
  return heldOutCertificate(
    {
      name: "answer-rate",
      measure: "answer-rate",
      bound: "lower",
      reference: rateReference(counts.groups),
      value: lower,
      terms: { "share answered": measured, rows: counts.rows, ...choiceTerms(evidence, choice) },
    },
    evidence,
    counts.groups ? units : { ...units, rows: counts.rows },
    (shown) => `it answers at least ${shown} of ${units.cases}`,
  );
}

/** Names the source of bounds on shares of rows, or of bounds on the mean share of a group. */
function rateReference(groups: SelectiveCounts["groups"]): string {
  return groups ? groupDraws(groups, (share) => share).reference : "Clopper and Pearson (1934)";
}

function choiceTerms({ confidence }: HeldOutEvidence, choice: ThresholdChoice | undefined) {
  return { ...(choice && { thresholds: choice.thresholds }), delta: riskOfFailure(confidence) };
}

/** Describes the error of answers that a rule keeps, and how many rows it answers. */
export function describeAbstention({
  asked,
  target,
  confidence,
  counts,
  thresholds,
}: AbstentionRule): string {
  const { lower, measured } = answerRateBounds(counts, confidence, { thresholds });
  const level = formatRoundPercent(confidence);
  const rate = `it answers at least ${formatLowerBound(lower)} of new cases (${formatPercent(measured)} of the held-out rows)`;
  if (keepsTarget({ asked, target })) {
    return `At most ${formatUpperBound(target)} of its answers are wrong, and ${rate}; each with ${level} confidence.`;
  }
  const evidence = counts.groups
    ? formatCount(
        counts.groups.reduce((sum, { groups }) => sum + groups, 0),
        "held-out group",
      )
    : formatCount(counts.rows, "held-out row");
  const least = leastAnswers(asked, confidence);
  const few =
    counts.rows < least
      ? ` That takes at least ${formatCount(least, "answered row")}, without any error.`
      : "";
  return `${evidence} cannot show that at most ${formatRoundPercent(asked)} of its answers are wrong.${few} The best they can show: at most ${formatUpperBound(target)} are wrong, and ${rate}; each with ${level} confidence.`;
}
