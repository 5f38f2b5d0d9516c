import type { CascadeEvidence } from "./deep-cascade-evidence.js";

/** The two roots of C(m, p, ρ). */
export interface Capacity {
  /** (2/ρ) √(ln(pl)/m). */
  readonly sampling: number;
  /** √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl))). */
  readonly union: number;
}

/**
 * The price of a choice among p families at each of l leaves in Theorem 1 of DeSalvo, Mohri and Syed (2015),
 *
 *     C(m, p, ρ) = (2/ρ) √(ln(pl)/m) + √( ln(pl)/(ρ²m) · ln(ρ²m/ln(pl)) ),
 *
 * with the second logarithm under the root, as in the theorem on convex ensembles that it comes from (Cortes, Mohri
 * and Syed, "Deep boosting", 2014, Theorem 1). Where ρ²m ≤ ln(pl), that logarithm is not positive: the second root is
 * left out then, and the first one alone is at least 2, so that the bound says nothing anyhow. Without a choice, for
 * pl = 1, both are 0.
 */
export function capacity(rows: number, logFamilies: number, margin: number): Capacity {
  const share = logFamilies / (margin * margin * rows);
  const sampling = 2 * Math.sqrt(share);
  const union = share > 0 && share < 1 ? Math.sqrt(-share * Math.log(share)) : 0;
  return { sampling, union };
}

/**
 * ln(pl), l being the most leaves that a cascade could have had. Where the families of the gates are chosen, too, it
 * becomes l ln p (section 4.1), which is at least as much for p ≥ 2; for p = 1 there is nothing to choose.
 */
export function logFamilies({ families, mostLeaves, gatesChosen }: CascadeEvidence): number {
  const fixedGates = Math.log(families) + Math.log(mostLeaves);
  return gatesChosen ? Math.max(fixedGates, mostLeaves * Math.log(families)) : fixedGates;
}
