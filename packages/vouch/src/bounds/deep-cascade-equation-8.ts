import { type CascadeLeaf, productLeaf } from "./cascade-leaf.js";
import type { Certificate } from "./certificate.js";
import { deepCascadeEquation2 } from "./deep-cascade-equation-2.js";
import { equationNamed } from "./deep-cascade-objective-certificate.js";

/**
 * Equation (8) of DeSalvo, Mohri and Syed (2015): equation (2) with r_k bounded by Lemmas 1 and 2,
 *
 *     R̂_S(f) + Σ_k min(4[Σ_{j ≤ d_k} R̂_S(Q_j) + R̂_S(H_k)], m_k⁺/m)   [+ Õ(l √(ln(pl)/m)), left out].
 */
export function deepCascadeEquation8(leaves: readonly CascadeLeaf[], rows: number): Certificate {
  return { ...deepCascadeEquation2(leaves.map(productLeaf), rows), ...equationNamed(8) };
}
