import type { Json, State } from "../runtime/codec/state.js";
import type { Encoder } from "./encoder.js";
import { isDerived, isJoint } from "./encoder-state.js";
import { restorePlainEncoder } from "./plain-encoder.js";

/** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
export type RestoreEncoder = (state: State) => Encoder & { toState(): State };

/** Loads the function that restores an encoder with this description: few models have dates, text or several encodings. */
export async function encoderRestorer(json: Json | undefined): Promise<RestoreEncoder> {
  if (isJoint(json)) {
    const { JointEncoder } = await import("./joint-encoder.js");
    return (state) => JointEncoder.restore(state);
  }
  if (!isDerived(json)) return restorePlainEncoder;
  const { DerivedEncoder } = await import("./derived-encoder.js");
  return (state) => DerivedEncoder.restore(state);
}
