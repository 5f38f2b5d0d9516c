import type { Part } from "../runtime/codec/parts.js";
import type { State } from "../runtime/codec/state.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { holdsProseOrDates } from "../table/column-content.js";
import type { Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import { DerivedEncoder } from "./derived-encoder.js";
import type { SingleEncoding } from "./encoder.js";
import { isDerived } from "./encoder-state.js";
import { fitPlainEncoder, type PlainEncoder, restorePlainEncoder } from "./plain-encoder.js";

/** An encoder that makes one kind of features. */
export type SingleEncoder = PlainEncoder | DerivedEncoder;

/** Fits the encoder of one encoding with pauses. */
export function fitSingleEncoder(
  features: Table,
  target: Target,
  encoding: SingleEncoding,
): Pausable<SingleEncoder> {
  return features.columns.some(holdsProseOrDates)
    ? DerivedEncoder.fit(features, target, encoding)
    : fitPlainEncoder(features, target, encoding);
}

/** Restores an encoder that makes one kind of features; throws `model/corrupt` for anything else. */
export function restoreSingleEncoder(state: State): SingleEncoder {
  return isDerived(state.json) ? DerivedEncoder.restore(state) : restorePlainEncoder(state);
}

/** An encoder that makes one kind of features, inside another encoder. */
export const nestedSingleEncoder: Part<SingleEncoder> = {
  write: (encoder, to) => to.state(encoder.toState()),
  read: (json, from) => restoreSingleEncoder(from.state(json)),
};
