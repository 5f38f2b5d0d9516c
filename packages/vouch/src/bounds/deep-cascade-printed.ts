import { formatNumber } from "../number-format.js";
import { type LeafShare, leafShares } from "./cascade-leaf-terms.js";
import type { Certificate, Premise } from "./certificate.js";
import { deepCascadeDirect } from "./deep-cascade-direct.js";
import { type CascadeEvidence, cascadePremises } from "./deep-cascade-evidence.js";
import { trainingCertificate } from "./training-certificate.js";

/** The paper, as the certificates cite it. */
export const REFERENCE = "DeSalvo, Mohri and Syed (2015)";

/** A value with its terms, before the premises. */
export interface PrintedBound {
  readonly name: string;
  readonly reference: string;
  readonly value: number;
  readonly terms: Readonly<Record<string, number>>;
  readonly parts: Readonly<Record<string, number>>;
}

/** Joins the premises of Theorem 1 to a value that was computed as printed. */
export function certificateOfPrinted(bound: PrintedBound, evidence: CascadeEvidence): Certificate {
  const proved = deepCascadeDirect(evidence).value;
  const carried: Premise = {
    statement: "The printed constants are large enough: the value is not below that of deep-cascade-direct.",
    holds: bound.value >= proved,
  };
  const premises = [...cascadePremises(evidence), carried];
  const fault =
    evidence.complexityFault ??
    (carried.holds
      ? undefined
      : `The printed constants give ${formatNumber(bound.value)}, less than the ${formatNumber(proved)} that is proved for this cascade.`);
  return trainingCertificate({ ...bound, premises, ...(fault !== undefined && { fault }) }, evidence);
}

/** The shares of the leaves in Σ min(4r_k, m_k⁺/m); those that pay for their complexity are 𝓚. */
export function theorem1Shares({ leaves, rows }: CascadeEvidence): LeafShare[] {
  return leafShares(leaves, rows, ({ complexity }) => 4 * complexity);
}
