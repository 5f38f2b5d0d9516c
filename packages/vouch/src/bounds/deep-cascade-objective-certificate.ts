import { type LeafShare, leafTerms, sumPaid } from "./cascade-leaf-terms.js";
import type { Certificate } from "./certificate.js";
import { REFERENCE } from "./deep-cascade-printed.js";

const INCOMPLETE =
  "Without the Õ term this is not a bound by itself: it orders cascades, and is not an error to expect.";

/** Name and reference of an equation of DeSalvo, Mohri and Syed (2015). */
export function equationNamed(equation: number): Pick<Certificate, "name" | "reference"> {
  return { name: `deep-cascade-equation-${equation}`, reference: `${REFERENCE}, eq. ${equation}` };
}

/**
 * An equation that chooses among cascades but leaves terms in Õ, whose constants are not given: it has no confidence
 * and never holds. `symbol` is the penalty of a leaf as the equation writes it.
 */
export function objectiveCertificate(
  equation: number,
  shares: readonly LeafShare[],
  symbol: string,
  more: readonly [string, number][] = [],
): Certificate {
  const error = shares.reduce((sum, { wrong }) => sum + wrong, 0);
  return {
    ...equationNamed(equation),
    value: error + sumPaid(shares),
    confidence: 0,
    holds: false,
    reason: INCOMPLETE,
    premises: [{ statement: "All terms of the equation are known, those in Õ too.", holds: false }],
    terms: Object.fromEntries([
      ["training error", error],
      ...leafTerms(shares, symbol),
      [`Σ min(${symbol}, m⁺/m)`, sumPaid(shares)],
      ...more,
    ]),
    parts: { "training error": error, "what leaves pay": sumPaid(shares) },
    statement: `No guarantee: ${INCOMPLETE}`,
  };
}
