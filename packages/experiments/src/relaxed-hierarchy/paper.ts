/** The paper that the experiments of this folder are about. */
export const paper =
  "Gao, Koller 2011, Discriminative learning of relaxed hierarchy for large-scale visual recognition";
