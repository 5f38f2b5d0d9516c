import type { Part } from "../runtime/codec/parts.js";
import { isRecord, type State } from "../runtime/codec/state.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import type { Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import { BinnedEncoder } from "./binned-encoder.js";
import type { SingleEncoding } from "./encoder.js";
import { NumericEncoder } from "./numeric-encoder.js";

/** An encoder of numbers and categories. */
export type PlainEncoder = NumericEncoder | BinnedEncoder;

/** Fits an encoder to columns of numbers and categories. */
export function fitPlainEncoder(
  features: Table,
  target: Target,
  encoding: SingleEncoding,
): Pausable<PlainEncoder> {
  if (encoding.kind === "binned") return BinnedEncoder.fit(features, target, encoding);
  return NumericEncoder.fit(features, target, encoding);
}

/** Restores an encoder of numbers and categories; throws `model/corrupt` for anything else. */
export function restorePlainEncoder(state: State): PlainEncoder {
  const isBinned = isRecord(state.json) && state.json.kind === "binned";
  return isBinned ? BinnedEncoder.restore(state) : NumericEncoder.restore(state);
}

/** An encoder of numbers and categories inside another encoder. */
export const nestedPlainEncoder: Part<PlainEncoder> = {
  write: (encoder, to) => to.state(encoder.toState()),
  read: (json, from) => restorePlainEncoder(from.state(json)),
};
