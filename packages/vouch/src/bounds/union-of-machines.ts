import { formatCount } from "../number-format.js";
import type { Certificate, Premise } from "./certificate.js";
import { riskOfFailure } from "./held-out.js";
import { trainingCertificate } from "./training-certificate.js";

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
