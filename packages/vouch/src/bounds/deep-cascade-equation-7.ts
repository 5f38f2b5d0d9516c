import { VouchError } from "../error.js";
import { checkLeaves, type ProductLeaf } from "./cascade-leaf.js";
import { leafShares } from "./cascade-leaf-terms.js";
import type { Certificate } from "./certificate.js";
import { objectiveCertificate } from "./deep-cascade-objective-certificate.js";

/**
 * Equation (7) of DeSalvo, Mohri and Syed (2015), for leaves with values in [−1, 1], where ρ_k is the smallest margin of a
 * rightly classified row of leaf k, and 0 if there is none:
 *
 *     R̂_S(f) + Σ_k min(4r_k/ρ_k, m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 *
 * The paper asks for Σ 1/ρ_k ≤ 1/ρ. Printed as a sum over all leaves, it is meant over those that pay for their
 * complexity, whose "weighted cardinality" it is called; the last term is this sum.
 */
export function deepCascadeEquation7(leaves: readonly ProductLeaf[], rows: number): Certificate {
  checkLeaves(leaves, rows);
  const shares = leafShares(leaves, rows, penalty);
  const weights = leaves.map((leaf, k) => (shares[k].active === "complexity" ? 1 / marginOf(leaf) : 0));
  const weighted = weights.reduce((sum, weight) => sum + weight, 0);
  return objectiveCertificate(7, shares, "4r/ρ", [["Σ 1/ρ of the leaves that pay 4r/ρ", weighted]]);
}

/** 4r_k/ρ_k; without a rightly classified row nothing is below m_k⁺/m = 0. */
function penalty(leaf: ProductLeaf): number {
  const margin = marginOf(leaf);
  return margin === 0 ? Number.POSITIVE_INFINITY : (4 * leaf.complexity) / margin;
}

function marginOf({ smallestMargin }: ProductLeaf): number {
  if (smallestMargin !== undefined) return smallestMargin;
  throw new VouchError("option/invalid", "Equation (7) needs the smallest margin ρ of every leaf.");
}
