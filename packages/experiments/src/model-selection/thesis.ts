/** The paper that the experiments of this folder are about. */
export const thesis =
  "Triviño 2017, Model selection for boosting and deep learning binary classification methods";
