import type { State } from "../runtime/codec/state.js";
import type { Matrix } from "../runtime/maths/matrix.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import type { Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import type { BinnedColumns } from "./binned-columns.js";
import type { BinnedEncoding, Encoder, Encoding, JointEncoding, NumericEncoding } from "./encoder.js";
import { isJoint } from "./encoder-state.js";
import { JointEncoder } from "./joint-encoder.js";
import type { JointFeatures } from "./joint-features.js";
import { fitSingleEncoder, restoreSingleEncoder, type SingleEncoder } from "./single-encoder.js";

/** Fits the encoder of an encoding to training rows, without the target column. */
export function fitEncoder(features: Table, target: Target, encoding: NumericEncoding): Encoder<Matrix>;
export function fitEncoder(features: Table, target: Target, encoding: BinnedEncoding): Encoder<BinnedColumns>;
export function fitEncoder(features: Table, target: Target, encoding: JointEncoding): Encoder<JointFeatures>;
export function fitEncoder(features: Table, target: Target, encoding: Encoding): Encoder;
export function fitEncoder(features: Table, target: Target, encoding: Encoding): Encoder {
  return runNow(fitEncoderInSteps(features, target, encoding));
}

/** Fits an encoder with pauses, for long tables. */
export function fitEncoderInSteps(features: Table, target: Target, encoding: Encoding): Pausable<Encoder> {
  return encoding.kind === "joint"
    ? JointEncoder.fit(features, target, encoding)
    : fitSingleEncoder(features, target, encoding);
}

/** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
export function restoreEncoder(state: State): SingleEncoder | JointEncoder {
  return isJoint(state.json) ? JointEncoder.restore(state) : restoreSingleEncoder(state);
}
