import * as z from "zod";
import type { Encoder } from "../encode/encoder.js";
import { restoreEncoder } from "../encode/fit-encoder.js";
import type { Part } from "../runtime/codec/parts.js";
import type { Json } from "../runtime/codec/state.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Model } from "./model.js";
import { isLearnerName, loadedLearner } from "./registry.js";

const stored = z.strictObject({ learner: z.string(), state: z.custom<Json>() });

/** A model inside another one, kept with the name of its learner, which restores it. */
export const nestedModel: Part<Model> = {
  write: (model, to) => ({ learner: model.learner, state: to.state(model.toState()) }),
  read(json, from) {
    const { success, data } = stored.safeParse(json);
    if (!success) throw from.corrupt("it is not a model");
    if (!isLearnerName(data.learner)) {
      throw new VouchError(
        "model/unknown",
        `A part of the model was made by the unknown learner "${data.learner}".`,
        { hint: "Import the module that defines this learner with defineLearner, then load the model." },
      );
    }
    return loadedLearner(data.learner).restore(from.state(data.state));
  },
};

/** An encoder inside a model. */
export const nestedEncoder: Part<Encoder> = {
  write: (encoder, to) => to.state(encoder.toState()),
  read: (json, from) => restoreEncoder(from.state(json)),
};
