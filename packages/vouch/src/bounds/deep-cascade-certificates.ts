import { type CascadeLeaf, productLeaf } from "./cascade-leaf.js";
import type { Certificate } from "./certificate.js";
import { deepCascadeDirect } from "./deep-cascade-direct.js";
import { deepCascadeEquation6 } from "./deep-cascade-equation-6.js";
import { deepCascadeEquation9 } from "./deep-cascade-equation-9.js";
import type { CascadeEvidence } from "./deep-cascade-evidence.js";
import { deepCascadeTheorem1 } from "./deep-cascade-theorem-1.js";

/** What a trained cascade knows of itself. */
export interface CascadeFacts extends Omit<CascadeEvidence, "leaves"> {
  /** With complexities that bound R̂_S of the families of gates and leaves: `leafVcComplexity`, `gateVcComplexity`. */
  readonly leaves: readonly CascadeLeaf[];
  /** What the search minimised: the leaves with the complexities that it used, and their scale. */
  readonly objective: { readonly leaves: readonly CascadeLeaf[]; readonly gamma: number };
}

/** All that the theory of cascades says of a trained cascade, without further data. */
export function deepCascadeCertificates(facts: CascadeFacts): Certificate[] {
  const { objective, rows } = facts;
  const evidence = { ...facts, leaves: facts.leaves.map(productLeaf) };
  return [
    deepCascadeTheorem1(evidence),
    deepCascadeEquation6(evidence),
    deepCascadeDirect(evidence),
    deepCascadeEquation9(objective.leaves, rows, objective.gamma),
  ];
}
