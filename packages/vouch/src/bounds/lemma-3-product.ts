/**
 * Lemma 3 of DeSalvo, Mohri and Syed (2015) for H = {h₁h₂} of functions with values in [0, 1]:
 *
 *     R̂_S(H) ≤ 3/2 (R̂_S(H₁) + R̂_S(H₂)),
 *
 * as h₁h₂ = ¼(h₁ + h₂)² − ¼(h₁ − h₂)², where ¼x² is 1-Lipschitz on [0, 2] and ½-Lipschitz on [−1, 1]; the complexity
 * of −H₂ is that of H₂.
 */
export function lemma3UnitProduct(first: number, second: number): number {
  return 1.5 * (first + second);
}

/**
 * Lemma 3 of DeSalvo, Mohri and Syed (2015) for F = {f₁f₂} of functions with values in [−1, 1]:
 *
 *     R̂_S(F) ≤ 2 (R̂_S(F₁) + R̂_S(F₂)),
 *
 * by the same identity, where ¼x² is 1-Lipschitz on [−2, 2].
 */
export function lemma3SignedProduct(first: number, second: number): number {
  return 2 * (first + second);
}
