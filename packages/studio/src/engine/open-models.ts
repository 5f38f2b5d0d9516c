import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Card } from "@vouch/core/internal/train/card";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { MOST_MODELS } from "./protocol.js";

/** Number of models to keep: the session's, and one that the page may still show while the newest arrives. */
const KEPT = MOST_MODELS + 1;

/** The models of the engine by number, so that an answer always comes from the requested model. */
export class OpenModels {
  readonly #models = new Map<number, Classifier<Card>>();
  #next = 1;

  add(model: Classifier<Card>): number {
    const number = this.#next++;
    this.#models.set(number, model);
    this.#models.delete(number - KEPT);
    return number;
  }

  /** Returns a model by its number. Throws if it is no longer kept. */
  numbered(number: number): Classifier<Card> {
    const model = this.#models.get(number);
    if (model) return model;
    throw new VouchError("model/unknown", "This model is not open any more.", {
      hint: "Train it again, or open its file.",
    });
  }
}
