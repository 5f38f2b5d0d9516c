import * as real from "../../runtime/maths/portable-math.js";
import { formatCount } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, type Premise, partsAbove, riskOfFailure } from "../certificate.js";
import { KNOWN_KERNEL } from "../encoding-premises.js";
import { largestProbabilityByLog, logBinomialCoefficient } from "../log-tails.js";
import {
  checkTraining,
  FIXED_LEARNER,
  INDEPENDENT_ROWS,
  type SampleEvidence,
  type TrainingEvidence,
  trainingCertificate,
} from "../training-certificate.js";
import { growthFunctionExact } from "../vc/growth-function.js";
import { logHalfSpaceGrowth } from "../vc/growth-of-families.js";
import { vcBound } from "../vc/vc-bound.js";

/** A classifier that is determined by some of its training rows: the compression set. */
export interface CompressionEvidence extends SampleEvidence {
  /** d: size of the compression set. */
  readonly kept: number;
  /** k: number of the other rows that it misclassifies. */
  readonly errors: number;
  /** ln M, if the rows need one of M messages to determine the classifier; 0 by default. */
  readonly logMessages?: number;
  /** The further conditions under which the compression set determines the classifier. */
  readonly premises: readonly Premise[];
  /** Why these premises fail; absent if they hold. */
  readonly fault?: string;
}

/**
 * Bounds the error by sample compression (Littlestone and Warmuth 1986; Floyd and Warmuth 1995) with the exact binomial tail
 * (Langford 2005, section 5). If d of the m training rows determine the classifier, together with one of M messages if they need
 * one, then with probability ≥ 1 − δ
 *
 *     L ≤ max { p : P(Binomial(m − d, p) ≤ k) ≥ δ / (m C(m, d) M) },   k = errors on the m − d other rows.
 *
 * Proof. Fix the d rows and the message. The classifier that they determine has not seen the other m − d rows, so its errors
 * there are Binomial(m − d, L), and the bound fails with probability at most δ/(m C(m, d) M), as for held-out rows. Summing over
 * the M messages, the C(m, d) choices of rows and d = 0 … m − 1 gives δ. So it holds for all of them together, and for the one
 * that training chose. ∎ How rows and message determine the classifier may depend on the positions of the rows in the sample,
 * because the positions are fixed.
 */
export function sampleCompression(evidence: CompressionEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, kept, logMessages = 0, premises, fault } = evidence;
  if (!(Number.isSafeInteger(kept) && kept >= 0 && kept + errors <= rows && logMessages >= 0)) {
    throw new VouchError(
      "option/invalid",
      `Got a compression set of ${kept} of ${rows} rows with ${errors} errors on the others and ln(messages) ${logMessages}: the counts must add up to at most all rows, and nothing may be negative.`,
    );
  }
  const logSubsets = logBinomialCoefficient(rows, kept);
  const logTail = real.log(delta) - real.log(rows) - logSubsets - logMessages;
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
      "ln m": real.log(rows),
      ...(logMessages > 0 && { "ln(messages)": logMessages }),
      delta,
    },
    ...(kept < rows && { parts: partsAbove("error on the other rows", errors / (rows - kept), value) }),
    premises: [INDEPENDENT_ROWS, FIXED_LEARNER, ...premises],
    ...(fault !== undefined && { fault }),
  };
  return trainingCertificate(bound, evidence);
}

/** The training of a kernel machine sgn(Σ coefficient · K(x_i, x) + bias), or of one machine for each pair of classes. */
export interface KernelMachineInputs extends TrainingEvidence {
  /** Number of machines, 1 by default. The label of a row follows from the outputs of all of them. */
  readonly machines?: number;
  /** Size of the compression set: the support vectors of all machines, and the rows that set a bias without a free one. */
  readonly kept: number;
  /** Errors on the rows outside the compression set. */
  readonly otherErrors: number;
  /** M: number of machines that the same compression set could determine; 1 if it determines one. */
  readonly messages: number;
  /** Dimension of the space of all f + constant; infinite for kernels like rbf. */
  readonly dimension: number;
  /** Why training on the compression set alone gives the same machine, and whether it does. */
  readonly determined: Premise & { readonly fault?: string };
}

/**
 * Lists the certificates of a kernel machine: by its compression set, and by its dimension if that is finite. Several machines
 * label points in at most the product of the numbers of ways in which each of them does.
 *
 * A solver stops near the optimum, and the machine f of all rows and the machine f′ of the compression set alone differ a little,
 * so that a point with f(x) ≈ 0 may change sides. The bound holds nevertheless. Let |f − f′| ≤ ε < ½ everywhere. The rows outside
 * the compression set have y·f(x) ≥ 1 up to the tolerance, hence y·f′(x) > ε: none of them is an error of f′ even if an error is
 * y·f′(x) ≤ ε. The proof above is true for errors in this sense, too, and every error of f is such an error of f′. ∎
 */
export function kernelMachineCertificates(facts: KernelMachineInputs): Certificate[] {
  const { rows, errors, confidence, machines = 1, kept, otherErrors, messages, dimension } = facts;
  const { fault, ...determined } = facts.determined;
  const evidence = { rows, errors, confidence };
  const compression = sampleCompression({
    rows,
    confidence,
    kept,
    errors: otherErrors,
    logMessages: real.log(messages),
    premises: [determined, KNOWN_KERNEL],
    ...(fault !== undefined && { fault }),
  });
  if (dimension === Number.POSITIVE_INFINITY) return [compression];
  const logGrowth = (points: number) => machines * logHalfSpaceGrowth(points, dimension);
  const exact = growthFunctionExact({ ...evidence, logGrowth });
  return machines > 1
    ? [compression, exact]
    : [compression, exact, vcBound({ ...evidence, vcDimension: dimension })];
}

/** A classifier for several classes that consists of two-class machines. */
export interface MachineEvidence extends SampleEvidence {
  /** The certificates of each machine for its own error, at any confidence. */
  readonly machines: readonly ((options: { readonly confidence: number }) => readonly Certificate[])[];
  /** Bounds the error of the whole by the errors of the machines. */
  errorBound(errors: readonly number[]): number;
  /** Why `errorBound` is a bound. */
  readonly reasoning: string;
}

/** Without this premise, no machine says anything about a case of another class. */
const KNOWN_CLASSES: Premise = {
  text: "Every new case belongs to one of the classes of the training rows.",
  status: "assumed",
};

/**
 * Combines the certificates of machines by the union bound: each of the c_j certificates of machine j of n, those for comparison
 * left out, has confidence 1 − δ/(n·c_j), so that all of them hold together with probability 1 − δ, and so does every conclusion
 * from the smallest of each machine. Undefined if a machine has no certificate that holds, or if the bound is not below 1.
 */
export function unionOfMachines(evidence: MachineEvidence): Certificate | undefined {
  const { machines, confidence, rows } = evidence;
  const delta = riskOfFailure(confidence);
  const best: Certificate[] = [];
  for (const certificates of machines) {
    const candidates = (level: number) =>
      certificates({ confidence: level }).filter(({ role }) => role !== "comparison");
    const count = candidates(confidence).length;
    if (count === 0) return undefined;
    const own = candidates(1 - delta / (machines.length * count));
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
  return [...new Map(premises.map((premise) => [premise.text, premise])).values()];
}
