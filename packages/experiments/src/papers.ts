/** The five works whose tables and figures are recomputed: their names in lists, and their citations in experiments. */
export const papers = {
  thesis: {
    short: "Triviño 2017",
    citation: "Triviño 2017, Model selection for boosting and deep learning binary classification methods",
  },
  cascades: {
    short: "DeSalvo, Mohri, Syed 2015",
    citation: "DeSalvo, Mohri, Syed 2015, Learning with deep cascades",
  },
  perceptrons: {
    short: "Vani, Venkatesh 2015",
    citation: "Vani, Venkatesh 2015, Deep cascades with perceptron",
  },
  forests: {
    short: "Lyu, Yang, Zhou 2019",
    citation:
      "Lyu, Yang, Zhou 2019, A refined margin distribution analysis for forest representation learning",
  },
  hierarchies: {
    short: "Gao, Koller 2011",
    citation:
      "Gao, Koller 2011, Discriminative learning of relaxed hierarchy for large-scale visual recognition",
  },
} as const;
