import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Card } from "@vouch/core/internal/train/card";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { MOST_MODELS } from "./protocol.js";

/** Models that are kept: those of the page, and one that the page may show until it has the newest. */
const KEPT = MOST_MODELS + 1;

/** The models of the engine by number, so that no answer can be about another model than the one that was asked. */
export class OpenModels {
  readonly #models = new Map<number, Classifier<Card>>();
  #next = 1;

  /** Keeps a model and returns its number. */
  add(model: Classifier<Card>): number {
    const number = this.#next++;
    this.#models.set(number, model);
    this.#models.delete(number - KEPT);
    return number;
  }

  /** Returns the model of a number. Throws if it is not kept any more. */
  numbered(number: number): Classifier<Card> {
    const model = this.#models.get(number);
    if (model) return model;
    throw new VouchError("model/unknown", "This model is not open any more.", {
      hint: "Train it again, or open its file.",
    });
  }
}
