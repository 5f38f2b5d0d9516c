import { type Capacity, capacity, logFamilies } from "./deep-cascade-capacity.js";
import type { CascadeEvidence } from "./deep-cascade-evidence.js";
import { riskOfFailure } from "./held-out.js";

/** C(m, p, ρ), √(ln(4/δ)/2m), and what choosing ρ among `choices` values adds to the latter. */
export interface ConfidenceTerms {
  readonly capacity: Capacity;
  readonly deviation: number;
  readonly choice: number;
}

/** The terms of Theorem 1 that depend on δ and on how much there was to choose. */
export function confidenceTerms(evidence: CascadeEvidence, margin: number, choices: number): ConfidenceTerms {
  const { rows, confidence } = evidence;
  const delta = riskOfFailure(confidence);
  const deviation = Math.sqrt(Math.log(4 / delta) / (2 * rows));
  const choice = Math.sqrt((Math.log(4 / delta) + Math.log(choices)) / (2 * rows)) - deviation;
  return { capacity: capacity(rows, logFamilies(evidence), margin), deviation, choice };
}

/** The same terms by name, in the order of the formula. */
export function namedConfidenceTerms(margin: number, terms: ConfidenceTerms): [string, number][] {
  return [
    ["ρ", margin],
    ["C(m, p, ρ): (2/ρ) √(ln(pl)/m)", terms.capacity.sampling],
    ["C(m, p, ρ): √(ln(pl)/(ρ²m) · ln(ρ²m/ln(pl)))", terms.capacity.union],
    ["√(ln(4/δ)/2m)", terms.deviation],
    ["price of choosing ρ", terms.choice],
  ];
}

/** C(m, p, ρ), δ-term and price as parts of a bound. */
export function confidenceParts({ capacity, deviation, choice }: ConfidenceTerms): Record<string, number> {
  return {
    "C(m, p, ρ)": capacity.sampling + capacity.union,
    "√(ln(4/δ)/2m)": deviation,
    "price of choosing ρ": choice,
  };
}

/** The sum of C(m, p, ρ), δ-term and price. */
export function sumOfConfidenceTerms({ capacity, deviation, choice }: ConfidenceTerms): number {
  return capacity.sampling + capacity.union + deviation + choice;
}
