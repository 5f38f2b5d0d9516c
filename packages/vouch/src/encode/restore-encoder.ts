import { isRecord, type Json, type State } from "../runtime/state.js";
import type { Encoder } from "./encoder.js";
import { restorePlainEncoder } from "./plain-encoder.js";

/** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
export type RestoreEncoder = (state: State) => Encoder & { toState(): State };

/** Loads the function that restores an encoder with this description: few models have dates or text. */
export async function encoderRestorer(json: Json | undefined): Promise<RestoreEncoder> {
  if (!isDerived(json)) return restorePlainEncoder;
  const { DerivedEncoder } = await import("./derived-encoder.js");
  return (state) => DerivedEncoder.restore(state);
}

/** Tells whether this describes an encoder of dates or text. */
export function isDerived(json: Json | undefined): boolean {
  return isRecord(json) && json.kind === "derived";
}
