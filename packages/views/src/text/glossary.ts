/** The terms that readers meet, each with one plain sentence. */
export const glossary = {
  abstention: "The model gives no answer where it is unsure, so that fewer of its answers are wrong.",
  accuracy: "The share of rows that get the right class.",
  AUC: "How often a row of one class scores above a row of another class: 0.5 is chance, 1 is perfect.",
  "balanced accuracy": "The mean recall of the classes: a rare class counts as much as a frequent one.",
  "Brier score": "The mean squared distance between probabilities and the truth: smaller is better.",
  calibration: "Calibrated probabilities can be taken at their word: of all answers at 80%, 80% are right.",
  certificate:
    "A number that the error on new cases stays below, proven from premises that the page lists, with 95% confidence as a rule.",
  confidence:
    "With 95% confidence, about 95 of 100 such statements are true, each from other data. Nobody can see which ones are not.",
  "cross-validation":
    "The rows are split into parts, and each part tests a model that was trained on all other parts: an estimate without a hold-out.",
  ensemble: "Several models that decide together; the weights say how much each of them counts.",
  "held-out rows":
    "Rows that took no part in training. The model has not seen them, so they show its error on new cases.",
  importance: "How much worse the model gets if the values of a column are shuffled between the rows.",
  interval: "The range in which the true error probably lies: few test rows make it wide.",
  leak: "A column that contains the answer, such as a status that is set afterwards. On new cases the column is empty or wrong.",
  "log loss":
    "Measures probabilities: it is 0 if the true class always gets 100%, and large if a wrong class is nearly certain.",
  "macro F1":
    "The mean F1 of the classes. It is high only if each class is found and rarely predicted wrongly.",
  margin: "How clear an answer is: 0 is undecided, a negative margin is an error.",
  "p-value":
    "How often chance alone makes a difference this large. Below 0.05, chance is an unlikely explanation.",
  precision: "Of all rows that get this answer, the share for which the answer is right.",
  "prediction set":
    "All classes that are possible for a row: clear rows get one class, unclear rows several.",
  premise:
    "A condition that the bound needs. Checked: vouch compared it with the data. Assumed: yours to judge. Violated: no guarantee.",
  recall: "Of all rows of a class, the share that the model finds.",
  "ROC curve":
    "Each point is a threshold: how many rows of the class it finds, and how many other rows it takes for one of them.",
  "says nothing": "A bound of 100% or more: every error is allowed, so it excludes nothing.",
  seed: "The start of all random draws: the same seed gives the same model.",
  threshold: "The probability from which the answer is this class.",
  verdict:
    "Whether the model makes fewer errors than the same answer for every row, and what speaks against it.",
} as const satisfies Readonly<Record<string, string>>;

/** A term of the glossary, such as `log loss`. */
export type GlossaryTerm = keyof typeof glossary;

/** Matches a term in a sentence; the match is marked. */
export const termPatterns: Readonly<Partial<Record<GlossaryTerm, RegExp>>> = {
  abstention: /abstains/,
  AUC: /\bAUC\b/,
  calibration: /(Not c|C)alibrated/,
  confidence: /\d+(\.\d+)?\s?% confidence/,
  "cross-validation": /cross-validation|\bfolds\b/,
  "held-out rows": /held-out (rows|groups)/,
  "log loss": /\blog loss\b/,
  "p-value": /\bp\s[<=]\s\d[\d.]*/,
};
