/**
 * Lemma 2 of DeSalvo, Mohri and Syed (2015): for H = {h₁h₂} of functions with values in {0, 1},
 *
 *     R̂_S(H) ≤ R̂_S(H₁) + R̂_S(H₂),
 *
 * as h₁h₂ = (h₁ + h₂ − 1)₊ and (·)₊ is 1-Lipschitz. Joins node questions to the selector of a leaf. The empty product
 * is the constant 1, whose complexity is 0.
 */
export function lemma2Product(questions: readonly number[]): number {
  return questions.reduce((sum, question) => sum + question, 0);
}
