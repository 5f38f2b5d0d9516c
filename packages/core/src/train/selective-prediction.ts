import type { DataShift } from "../checks/data-shift.js";
import { computeConfidences, type Decision } from "../metrics/decision.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Certificate } from "../theory/certificate.js";
import { chooseAbstention, type ThresholdChoice } from "../theory/conformal/abstention.js";
import { abstentionCertificates } from "../theory/conformal/abstention-certificates.js";
import type { AbstentionRule } from "../theory/conformal/abstention-rule.js";
import {
  type CoverageCounts,
  countCoverage,
  coverageCertificates,
  testedCoverageCertificates,
} from "../theory/conformal/coverage-certificates.js";
import { fitSets, type ProbableRows } from "../theory/conformal/prediction-sets.js";
import {
  countAnswers,
  type SelectiveCounts,
  type SelectiveRows,
} from "../theory/conformal/selective-rows.js";
import type { SetRule } from "../theory/conformal/set-rule.js";
import type { HeldOut, HeldOutEvidence } from "../theory/held-out/held-out.js";

/** What a classifier answers in addition to a class for every row. */
export interface SelectiveOptions {
  /** Maximum error of the answers, such as 0.02; the classifier abstains to keep it. Needs held-out rows. */
  readonly abstain?: number;
  /** Minimum probability that a prediction set contains the right class, such as 0.95. Needs held-out rows. */
  readonly sets?: number;
  /** Whether `sets` keep their coverage in every class, or on average (the default). */
  readonly setsBy?: "all" | "class";
}

/** Evidence about abstention and sets on held-out rows. */
export interface SelectiveEvidence {
  readonly answers?: { readonly counts: SelectiveCounts; readonly choice?: ThresholdChoice } | undefined;
  /** The rule, if these rows determined its limits; otherwise how many rows its sets cover. */
  readonly coverage?: SetRule | readonly CoverageCounts[] | undefined;
}

/** A result on held-out rows with the evidence about abstention and sets. */
export interface HeldOutTest extends HeldOut, SelectiveEvidence {
  /** How the rows differ from the training rows; absent if they were not compared. */
  readonly findings?: readonly DataShift[] | undefined;
}

/** Rows with probabilities and predictions. */
export interface PredictedRows {
  readonly labels: Int32Array;
  readonly predictions: Int32Array;
  readonly scores: Matrix;
  readonly groups?: Int32Array | undefined;
}

/** Throws unless options for abstention and sets can be kept. */
export function checkSelectiveOptions(
  { abstain, sets, setsBy }: SelectiveOptions,
  { heldOut, calibrate }: { readonly heldOut: boolean; readonly calibrate: boolean },
): void {
  const given = abstain !== undefined ? "abstain" : sets !== undefined ? "sets" : undefined;
  if (setsBy !== undefined && sets === undefined) {
    throw new VouchError("option/invalid", "--sets-by needs --sets.", {
      hint: "It sets how the coverage of the sets is counted.",
    });
  }
  if (setsBy !== undefined && setsBy !== "all" && setsBy !== "class") {
    throw new VouchError("option/invalid", `setsBy must be "all" or "class", not "${setsBy}".`);
  }
  for (const [name, value] of Object.entries({ abstain, sets })) {
    if (value === undefined || (value > 0 && value < 1)) continue;
    throw new VouchError("option/invalid", `${name} must be between 0 and 1, not ${value}.`, {
      hint:
        name === "abstain"
          ? "Use 0.02 to keep the error of the answers at 2% or less."
          : "Use 0.95 for sets that have the class of 95% of new rows.",
    });
  }
  if (given === undefined) return;
  if (!heldOut) {
    const certified = given === "abstain" ? "the error of its answers" : "the coverage of its sets";
    throw new VouchError("option/invalid", `${given} needs held-out rows to certify ${certified}.`, {
      hint: "Hold out a share of the rows, or give test rows.",
    });
  }
  if (calibrate) return;
  throw new VouchError("option/invalid", `${given} needs calibrated probabilities.`, {
    hint: "Leave out calibrate.",
  });
}

function selectiveRows({ labels, predictions, scores, groups }: PredictedRows): SelectiveRows {
  return {
    confidences: computeConfidences(predictions, scores),
    wrong: Uint8Array.from(labels, (label, row) => Number(predictions[row] !== label)),
    ...(groups && { groups }),
  };
}

function probableRows({ labels, scores, groups }: PredictedRows): ProbableRows {
  return { labels, probabilities: scores, ...(groups && { groups }) };
}

/** Rules for abstention and sets, their evidence, and why one is missing. */
export interface FittedSelection extends Pick<Decision, "abstention" | "sets"> {
  readonly evidence: SelectiveEvidence;
  readonly notices: readonly string[];
}

/** Chooses when to abstain and the limits of sets, on the held-out rows that count as evidence. */
export function fitSelection(
  { abstain, sets: level, setsBy = "all" }: SelectiveOptions,
  rows: { readonly outOfFold: PredictedRows; readonly heldOut: PredictedRows },
  confidence: number,
): FittedSelection {
  const abstention = abstain === undefined ? undefined : abstentionFor(abstain, rows, confidence);
  const task = level === undefined ? undefined : { level, confidence, perClass: setsBy === "class" };
  const sets = task && fitSets(probableRows(rows.heldOut), task);
  const notices = [
    ...(abstain !== undefined && !abstention
      ? ["The held-out rows cannot certify any error of answers: the model answers every row."]
      : []),
    ...(task && !sets ? ["There are no held-out rows of known classes to make sets with."] : []),
  ];
  return {
    ...(abstention && { abstention }),
    ...(sets && { sets }),
    evidence: {
      ...(abstention && { answers: { counts: abstention.counts, choice: abstention } }),
      ...(sets && { coverage: sets }),
    },
    notices,
  };
}

function abstentionFor(
  target: number,
  { outOfFold, heldOut }: { readonly outOfFold: PredictedRows; readonly heldOut: PredictedRows },
  confidence: number,
): AbstentionRule | undefined {
  return chooseAbstention({
    outOfFold: selectiveRows(outOfFold),
    heldOut: selectiveRows(heldOut),
    target,
    confidence,
  });
}

/** Counts answers and coverage of rules that were fixed before these rows. */
export function testSelection({ abstention, sets }: Decision, rows: PredictedRows): SelectiveEvidence {
  const threshold = abstention?.threshold ?? Number.NEGATIVE_INFINITY;
  return {
    ...(abstention && { answers: { counts: countAnswers(selectiveRows(rows), threshold) } }),
    ...(sets && { coverage: countCoverage(sets, probableRows(rows)) }),
  };
}

/** Lists the certificates of abstention and sets. */
export function selectiveCertificates(
  { answers, coverage }: SelectiveEvidence,
  evidence: HeldOutEvidence,
  classes: readonly string[],
): Certificate[] {
  return [
    ...(answers ? abstentionCertificates(answers.counts, evidence, answers.choice) : []),
    ...(coverage === undefined
      ? []
      : "limits" in coverage
        ? coverageCertificates(coverage, evidence, classes)
        : testedCoverageCertificates(coverage, evidence, classes)),
  ];
}
