import type { Certificate, Premise } from "./certificate.js";
import { growthFunctionExact } from "./growth-function-exact.js";
import { logHalfSpaceGrowth } from "./growth-half-spaces.js";
import { sampleCompression } from "./sample-compression.js";
import type { TrainingEvidence } from "./training-certificate.js";
import { vcBound } from "./vc.js";

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
