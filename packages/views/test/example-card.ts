import type { TrainedCard } from "@vouch/core/internal/train/card";
import type { Certificate } from "vouch";

/** Makes a certificate that gives a guarantee, with changes. */
export function certificate(changes: Partial<Certificate> = {}): Certificate {
  return {
    name: "held-out-binomial",
    measure: "error",
    reference: "Clopper and Pearson (1934)",
    value: 0.0736,
    confidence: 0.95,
    holds: true,
    premises: [{ text: "The rows took no part in training.", status: "checked" }],
    terms: { errors: 5, rows: 140, delta: 0.05 },
    parts: { "error on held-out rows": 5 / 140, "allowance for chance": 0.0736 - 5 / 140 },
    statement: "With 95% confidence at most 7.4% of new cases like these are misclassified.",
    ...changes,
  };
}

/** A verdict as a card holds it. */
type CardVerdict = NonNullable<TrainedCard["verdict"]>;

/** Makes the verdict on a model that is better than the baseline, with changes. */
export function verdict(changes: Partial<CardVerdict> = {}): CardVerdict {
  return {
    better: "yes",
    baseline: { class: "benign", error: 48 / 140 },
    error: 5 / 140,
    gain: 43 / 140,
    p: 1e-6,
    measuredOn: "held-out rows",
    warnings: [],
    classes: [
      { class: "benign", rows: 92, found: 90, predicted: 93 },
      { class: "malignant", rows: 48, found: 45, predicted: 47 },
    ],
    ...changes,
  };
}

/** The card of a model that was not measured on new rows. */
export const bareCard: TrainedCard = {
  vouch: "0.1.0",
  learner: "majority",
  options: {},
  seed: 0,
  data: { name: "table.csv", rows: 10, features: 2, classes: 2 },
  error: { train: 0.5 },
  margins: [],
  notices: [],
};
