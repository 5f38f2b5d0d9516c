/**
 * Lemma 1 of DeSalvo, Mohri and Syed (2015): for G = {g₁g₂}, g₁ with values in {0, 1} and g₂ in {−1, +1},
 *
 *     R̂_S(G) ≤ R̂_S(G₁) + R̂_S(G₂),
 *
 * as g₁g₂ = |g₁ + g₂| − 1 and |·| is 1-Lipschitz. Joins the selector of a leaf to its classifier.
 */
export function lemma1Product(selector: number, classifier: number): number {
  return selector + classifier;
}
