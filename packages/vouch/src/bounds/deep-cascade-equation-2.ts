import { checkLeaves, type ProductLeaf } from "./cascade-leaf.js";
import { leafShares } from "./cascade-leaf-terms.js";
import type { Certificate } from "./certificate.js";
import { objectiveCertificate } from "./deep-cascade-objective-certificate.js";

/**
 * Equation (2) of DeSalvo, Mohri and Syed (2015), for leaves with values ±1 and r_k = R̂_S(ℋ_k):
 *
 *     R̂_S(f) + Σ_k min(4r_k, m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 */
export function deepCascadeEquation2(leaves: readonly ProductLeaf[], rows: number): Certificate {
  checkLeaves(leaves, rows);
  const shares = leafShares(leaves, rows, ({ complexity }) => 4 * complexity);
  return objectiveCertificate(2, shares, "4r");
}
