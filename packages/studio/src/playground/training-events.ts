import type { LearnerFamily } from "../options/learner-families.js";
import type { LearnerForm } from "../options/learner-form.js";
import type { DecisionRegions } from "./decision-regions.js";
import type { ModelStructure, PlaneStump } from "./model-structure.js";
import type { NetworkSketch } from "./network-sketch.js";
import type { PlanePoints } from "./plane-problem.js";
import type { PlaygroundState } from "./playground-state.js";

/** The rows of a problem; held-out rows do not train the model. */
export interface PlaygroundRows extends PlanePoints {
  readonly heldOut: Uint8Array;
  /** The model's classes as indices of the letters; a drawn problem may skip some. */
  readonly letters: readonly number[];
}

/** Regions and errors of a growing model. */
export interface TrainingFrame {
  readonly step: number;
  readonly unit: string;
  readonly regions: DecisionRegions;
  /** Predicted class of each row, as an index of the letters. */
  readonly predicted: Uint8Array;
  /** Margins of the training rows, ascending. */
  readonly margins: Float32Array;
  /** Stumps of AdaBoost by round; empty for other learners. */
  readonly stumps: readonly PlaneStump[];
  /** Units of a network; absent for other learners. */
  readonly network?: NetworkSketch;
  readonly training: ErrorCount;
  readonly test: ErrorCount;
}

export interface ErrorCount {
  readonly rows: number;
  readonly errors: number;
}

export function errorShare({ errors, rows }: ErrorCount): number {
  return errors / Math.max(1, rows);
}

/** A formatted bound on the error. */
export interface ShownBound {
  readonly name: string;
  readonly value: number;
  /** "≤ 8.3%" */
  readonly shown: string;
  readonly statement: string;
  readonly reference: string;
  /** Why it does not hold or is uninformative; absent otherwise. */
  readonly reason?: string;
}

/** Results of the finished model. */
export interface TrainingOutcome {
  readonly bounds: readonly ShownBound[];
  readonly confidence: string;
  readonly structure?: ModelStructure;
  readonly notices: readonly string[];
}

/** Events of a training, in this order; the last one is an outcome or a fault. */
export type TrainingEvent =
  | { readonly kind: "form"; readonly form: LearnerForm }
  | { readonly kind: "rows"; readonly rows: PlaygroundRows }
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "frame"; readonly frame: TrainingFrame }
  | { readonly kind: "done"; readonly outcome: TrainingOutcome }
  | { readonly kind: "failed"; readonly message: string; readonly hint?: string };

/** Messages from the page to the worker. A new training cancels the previous one. */
export type PlaygroundRequest =
  | { readonly kind: "train"; readonly id: number; readonly state: PlaygroundState }
  | { readonly kind: "cancel" };

/** A learner and its position in the list. */
export interface PlaygroundLearner {
  readonly name: string;
  readonly title: string;
  readonly family: LearnerFamily;
}

/** Messages from the worker to the page; `id` refers to the request. */
export type PlaygroundReply =
  | { readonly kind: "learners"; readonly learners: readonly PlaygroundLearner[] }
  | { readonly kind: "event"; readonly id: number; readonly event: TrainingEvent };
