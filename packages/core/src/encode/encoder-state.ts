import { isRecord, type Json } from "../runtime/codec/state.js";

/** Tells whether this describes an encoder of dates or text. */
export function isDerived(json: Json | undefined): boolean {
  return isRecord(json) && json.kind === "derived";
}

/** Tells whether this describes several encoders of the same columns. */
export function isJoint(json: Json | undefined): boolean {
  return isRecord(json) && json.kind === "joint";
}
