import { formatCount } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import {
  type Certificate,
  checkTraining,
  type Premise,
  partsAbove,
  SETTLED_LEARNER,
  TRAINING_DRAWS,
  type TrainingEvidence,
  trainingCertificate,
} from "../certificate.js";
import { largestProbabilityByLog, logBinomialCoefficient } from "../distributions.js";
import { riskOfFailure } from "../held-out/held-out.js";
import { growthFunctionExact } from "../vc/growth-function.js";
import { logHalfSpaceGrowth } from "../vc/growth-of-families.js";
import { vcBound } from "../vc/vc-bound.js";

/** A classifier that some of its training rows alone determine. */
export interface CompressionEvidence extends TrainingEvidence {
  /** d: how many rows determine it. */
  readonly kept: number;
  /** How many of the other rows it misclassifies. */
  readonly errors: number;
  /** ln of how many classifiers the same d rows could stand for, where they need a message beside them; 0 otherwise. */
  readonly logMessages?: number;
  /** What else must be so for the kept rows to determine the classifier. */
  readonly premises: readonly Premise[];
  /** Why these premises fail, where they do. */
  readonly fault?: string;
}

/**
 * Sample compression (Littlestone and Warmuth 1986; Floyd and Warmuth 1995) with the exact binomial tail (Langford 2005,
 * section 5). If d of the m training rows determine the classifier, and one of M messages where that is not enough, then
 * with probability ≥ 1 − δ
 *
 *     L ≤ max { p : P(Binomial(m − d, p) ≤ k) ≥ δ / (m C(m, d) M) },   k = errors on the m − d other rows.
 *
 * Proof. Fix which d rows and which message. The classifier that they determine has not seen the other m − d rows, so its
 * errors there are Binomial(m − d, L), and the bound fails with probability at most δ/(m C(m, d) M), as for held-out rows.
 * Summed over the M messages, the C(m, d) choices of rows and d = 0 … m − 1, that is δ. So it holds for all of them
 * together, and for the one that training chose. ∎ How rows and message determine the classifier may depend on which places
 * in the sample the rows have, since the places are fixed.
 */
export function sampleCompression(evidence: CompressionEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, kept, logMessages = 0, premises, fault } = evidence;
  if (!(Number.isSafeInteger(kept) && kept >= 0 && kept + errors <= rows && logMessages >= 0)) {
    throw new VouchError(
      "option/invalid",
      `${kept} of ${rows} rows cannot determine a classifier with ${errors} errors on the others.`,
    );
  }
  const logSubsets = logBinomialCoefficient(rows, kept);
  const logTail = Math.log(delta) - Math.log(rows) - logSubsets - logMessages;
  const value = kept === rows ? 1 : largestProbabilityByLog(errors, rows - kept, logTail);
  const bound = {
    name: "compression",
    reference: "Littlestone and Warmuth (1986); Floyd and Warmuth (1995); Langford (2005), section 5",
    value,
    terms: {
      "rows that determine it": kept,
      "other rows": rows - kept,
      "errors on them": errors,
      "ln C(m, d)": logSubsets,
      "ln m": Math.log(rows),
      ...(logMessages > 0 && { "ln(messages)": logMessages }),
      delta,
    },
    ...(kept < rows && { parts: partsAbove("error on the other rows", errors / (rows - kept), value) }),
    premises: [TRAINING_DRAWS, SETTLED_LEARNER, ...premises],
    ...(fault !== undefined && { fault }),
  };
  return trainingCertificate(bound, evidence);
}

/** What a machine sgn(Σ coefficient · K(x_i, x) + bias), or several of which each decides on two classes, knows of its training. */
export interface KernelMachineFacts extends TrainingEvidence {
  /** How many machines there are; 1 if absent. The label of a row follows from what all of them say. */
  readonly machines?: number;
  /** How many rows have a coefficient other than 0, in any machine. */
  readonly supportVectors: number;
  /** Errors on the rows that are not among these. */
  readonly otherErrors: number;
  /** How many machines the same support vectors could stand for; 1 where they alone determine it. */
  readonly messages: number;
  /** Dimension of the space of all f + constant; infinite for kernels like rbf. */
  readonly dimension: number;
  /** Why training on the support vectors alone gives the same machine, and whether that is so. */
  readonly determined: Premise & { readonly fault?: string };
}

/**
 * Scales and offsets are known too late to be known beforehand, and a machine depends on them. What that gives away of the
 * rows that are no support vectors cannot be counted; it is little, as they are means over all rows.
 */
const KNOWN_ENCODING: Premise = {
  statement:
    "Scales and offsets of the features and the parameters of the kernel are as good as known beforehand, although they come from all training rows.",
  holds: true,
  assumed: true,
};

/**
 * All that is known of a kernel machine from its training: by its support vectors, and by its dimension if finite. Several
 * machines label points in at most the product of the ways in which each of them does.
 */
export function kernelMachineCertificates(facts: KernelMachineFacts): Certificate[] {
  const { rows, errors, confidence, machines = 1, supportVectors, otherErrors, messages, dimension } = facts;
  const { fault, ...determined } = facts.determined;
  const evidence = { rows, errors, confidence };
  const compression = sampleCompression({
    rows,
    confidence,
    kept: supportVectors,
    errors: otherErrors,
    logMessages: Math.log(messages),
    premises: [determined, KNOWN_ENCODING],
    ...(fault !== undefined && { fault }),
  });
  if (dimension === Number.POSITIVE_INFINITY) return [compression];
  const logGrowth = (points: number) => machines * logHalfSpaceGrowth(points, dimension);
  const exact = growthFunctionExact({ ...evidence, logGrowth });
  return machines > 1
    ? [compression, exact]
    : [compression, exact, vcBound({ ...evidence, vcDimension: dimension })];
}

/** A classifier for many classes that is made of machines for two. */
export interface MachineEvidence {
  readonly rows: number;
  readonly confidence: number;
  /** What the training of each machine proves of its own error, at any confidence. */
  readonly machines: readonly ((options: { readonly confidence: number }) => readonly Certificate[])[];
  /** What the error of all is at most where the machines have these errors. */
  errorBound(errors: readonly number[]): number;
  /** Why that is so. */
  readonly reasoning: string;
}

const KNOWN_CLASSES: Premise = {
  statement: "New cases have no classes but those of the training rows.",
  holds: true,
  assumed: true,
};

/**
 * Certificates of machines joined by the union bound: machine j of n with c_j certificates has each of these at confidence
 * 1 − δ/(n·c_j), so that all of them hold together with probability 1 − δ, and so does what follows from the smallest
 * of each machine. Undefined where a machine proves nothing, or where the bound is not below 1.
 */
export function unionOfMachines(evidence: MachineEvidence): Certificate | undefined {
  const { machines, confidence, rows } = evidence;
  const delta = riskOfFailure(confidence);
  const best: Certificate[] = [];
  for (const certificates of machines) {
    const count = certificates({ confidence }).length;
    if (count === 0) return undefined;
    const own = certificates({ confidence: 1 - delta / (machines.length * count) });
    const holding = own.filter(({ holds }) => holds);
    if (holding.length === 0) return undefined;
    best.push(holding.reduce((a, b) => (b.value < a.value ? b : a)));
  }
  const errors = best.map(({ value }) => value);
  const value = evidence.errorBound(errors);
  if (!(value < 1)) return undefined;
  return trainingCertificate(
    {
      name: "union-of-machines",
      reference: `union bound over ${formatCount(machines.length, "machine")}: ${evidence.reasoning}`,
      value,
      terms: {
        machines: machines.length,
        "largest error of a machine": errors.reduce((a, b) => Math.max(a, b)),
        "sum of their errors": errors.reduce((a, b) => a + b),
      },
      premises: [KNOWN_CLASSES, ...distinctPremises(best)],
    },
    { rows, confidence },
  );
}

function distinctPremises(certificates: readonly Certificate[]): Premise[] {
  const premises = certificates.flatMap((certificate) => certificate.premises);
  return [...new Map(premises.map((premise) => [premise.statement, premise])).values()];
}
