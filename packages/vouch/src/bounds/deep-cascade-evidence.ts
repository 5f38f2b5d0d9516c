import { VouchError } from "../error.js";
import { formatCount, formatRoundPercent, formatUpperBound } from "../number-format.js";
import { checkLeaves, type ProductLeaf } from "./cascade-leaf.js";
import type { Certificate, Premise } from "./certificate.js";
import { riskOfFailure } from "./held-out.js";

/** The facts of a trained deep cascade that the theorems about cascades speak of. */
export interface CascadeEvidence {
  /** m: how many rows it was trained on. */
  readonly rows: number;
  /** All l leaves, each row in one of them, with the complexities r_k of their families ℋ_k. */
  readonly leaves: readonly ProductLeaf[];
  /** p: how many families there were to choose from at each level: pairs, where gate and leaf have a choice each. */
  readonly families: number;
  /** Whether the families of the gates were chosen, too, together with those of the leaves or each for itself. */
  readonly gatesChosen: boolean;
  /** The most leaves that a cascade could have had. */
  readonly mostLeaves: number;
  /** The probability 1 − δ with which the bound is to hold; in (0, 1). */
  readonly confidence: number;
  /**
   * Why the r_k are not upper bounds of R̂_S(ℋ_k) for families of functions with values −1, 0 and 1 that were fixed
   * before the rows were seen; absent when they are.
   */
  readonly complexityFault?: string;
}

/** Fails on facts that no cascade can have. */
export function checkEvidence(evidence: CascadeEvidence): void {
  const { rows, leaves, families, mostLeaves, confidence } = evidence;
  riskOfFailure(confidence);
  checkLeaves(leaves, rows);
  if (!(Number.isSafeInteger(families) && families >= 1)) {
    throw new VouchError(
      "option/invalid",
      `There are ${families} families to choose from, but must be at least 1.`,
    );
  }
  if (!(Number.isSafeInteger(mostLeaves) && mostLeaves >= leaves.length)) {
    throw new VouchError(
      "option/invalid",
      `The cascade has ${leaves.length} leaves, but was to have at most ${mostLeaves}.`,
    );
  }
}

/** R̂_S(f) = Σ_k m_k⁻/m. */
export function trainingError({ leaves, rows }: Pick<CascadeEvidence, "leaves" | "rows">): number {
  return leaves.reduce((sum, leaf) => sum + leaf.wrong, 0) / rows;
}

/** What all theorems about cascades ask of the rows and of the complexities. */
export function cascadePremises({ complexityFault }: CascadeEvidence): Premise[] {
  return [
    {
      statement: "The training rows are independent draws from the distribution of future data.",
      holds: true,
      assumed: true,
    },
    {
      statement:
        "Encoding the features took nothing from the training rows but scales and offsets, under which the families do not change.",
      holds: true,
      assumed: true,
    },
    {
      statement:
        "The complexities are upper bounds for families of classifiers and gates that were fixed before the rows were seen.",
      holds: complexityFault === undefined,
    },
  ];
}

/** A bound from the training rows: its name, where it is proved, its value, terms and premises. */
export interface CascadeBound
  extends Pick<Certificate, "name" | "reference" | "value" | "terms" | "premises"> {
  /** Why it does not hold, where a premise fails. */
  readonly fault?: string;
}

/** Joins a bound to the sentence that says what it is worth. */
export function cascadeCertificate(bound: CascadeBound, evidence: CascadeEvidence): Certificate {
  const { fault, ...rest } = bound;
  const { confidence, rows } = evidence;
  const holds = bound.premises.every((premise) => premise.holds);
  const reason = fault ?? (bound.value < 1 ? undefined : vacuity(rows));
  return {
    ...rest,
    confidence,
    holds,
    ...(reason !== undefined && { reason }),
    statement:
      reason === undefined
        ? `With ${formatRoundPercent(confidence)} confidence at most ${formatUpperBound(bound.value)} of new cases like these are misclassified, from the ${formatCount(rows, "training row")} alone.`
        : `No guarantee: ${reason}`,
  };
}

function vacuity(rows: number): string {
  return `The bound is not below 1: ${formatCount(rows, "training row")} are too few for families this complex.`;
}
