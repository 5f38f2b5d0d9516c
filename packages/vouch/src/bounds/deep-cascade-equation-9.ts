import { VouchError } from "../error.js";
import { type CascadeLeaf, checkLeaves } from "./cascade-leaf.js";
import { leafShares } from "./cascade-leaf-terms.js";
import { cascadeObjective, leafPenalty } from "./cascade-objective.js";
import type { Certificate } from "./certificate.js";
import { objectiveCertificate } from "./deep-cascade-objective-certificate.js";

/**
 * Equation (9) of DeSalvo, Mohri and Syed (2015), what the search for a cascade minimises: equation (8) with any complexities c, and
 * scaled by γ. The value is that of `cascadeObjective`, bit for bit.
 */
export function deepCascadeEquation9(
  leaves: readonly CascadeLeaf[],
  rows: number,
  gamma: number,
): Certificate {
  checkLeaves(leaves, rows);
  if (!(gamma > 0)) throw new VouchError("option/invalid", `γ is ${gamma}, but must be above 0.`);
  const shares = leafShares(leaves, rows, (leaf) => leafPenalty(leaf, gamma));
  return {
    ...objectiveCertificate(9, shares, "P", [["γ", gamma]]),
    value: cascadeObjective(leaves, rows, gamma),
  };
}
