import { VouchError } from "../error.js";
import { checkLeaves, type ProductLeaf } from "./cascade-leaf.js";
import type { Premise } from "./certificate.js";
import { riskOfFailure } from "./held-out.js";
import { SCALED_ENCODING, TRAINING_DRAWS } from "./training-certificate.js";

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
    TRAINING_DRAWS,
    SCALED_ENCODING,
    {
      statement:
        "The complexities are upper bounds for families of classifiers and gates that were fixed before the rows were seen.",
      holds: complexityFault === undefined,
    },
  ];
}
