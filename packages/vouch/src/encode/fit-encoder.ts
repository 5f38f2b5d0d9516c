import type { Matrix } from "../runtime/matrix.js";
import type { State } from "../runtime/state.js";
import { inOneGo, type Steps } from "../runtime/steps.js";
import { holdsProseOrDates } from "../table/column-content.js";
import type { Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import type { BinnedColumns } from "./binned-columns.js";
import { DerivedEncoder } from "./derived-encoder.js";
import type { BinnedEncoding, Encoder, Encoding, NumericEncoding } from "./encoder.js";
import { fitPlainEncoder, type PlainEncoder, restorePlainEncoder } from "./plain-encoder.js";
import { isDerived } from "./restore-encoder.js";

/** Fits the encoder of an encoding to training rows, without the target column. */
export function fitEncoder(features: Table, target: Target, encoding: NumericEncoding): Encoder<Matrix>;
export function fitEncoder(features: Table, target: Target, encoding: BinnedEncoding): Encoder<BinnedColumns>;
export function fitEncoder(features: Table, target: Target, encoding: Encoding): Encoder;
export function fitEncoder(features: Table, target: Target, encoding: Encoding): Encoder {
  return inOneGo(fitEncoderInSteps(features, target, encoding));
}

/** Fits an encoder with pauses, for long tables. */
export function fitEncoderInSteps(features: Table, target: Target, encoding: Encoding): Steps<Encoder> {
  return features.columns.some(holdsProseOrDates)
    ? DerivedEncoder.fit(features, target, encoding)
    : fitPlainEncoder(features, target, encoding);
}

/** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
export function restoreEncoder(state: State): PlainEncoder | DerivedEncoder {
  return isDerived(state.json) ? DerivedEncoder.restore(state) : restorePlainEncoder(state);
}
