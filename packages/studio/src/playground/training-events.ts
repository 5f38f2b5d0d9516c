import type { LearnerFamily } from "../options/learner-families.js";
import type { LearnerForm } from "../options/learner-form.js";
import type { DecisionRegions } from "./decision-regions.js";
import type { ModelStructure, PlaneStump } from "./model-structure.js";
import type { NetworkSketch } from "./network-sketch.js";
import type { PlanePoints } from "./plane-problem.js";
import type { PlaygroundState } from "./playground-state.js";

/** The rows of a problem; those that are held out do not train the model. */
export interface PlaygroundRows extends PlanePoints {
  readonly heldOut: Uint8Array;
  /** Classes of the model as indices of the letters: a drawn problem may leave some out. */
  readonly letters: readonly number[];
}

/** A model while it grows: its regions and its errors. */
export interface TrainingFrame {
  readonly step: number;
  readonly unit: string;
  readonly regions: DecisionRegions;
  /** The class that it predicts for each row, as an index of the letters. */
  readonly predicted: Uint8Array;
  /** Margins of the training rows, smallest first. */
  readonly margins: Float32Array;
  /** The stumps of AdaBoost by round; none for other learners. */
  readonly stumps: readonly PlaneStump[];
  /** The units of a network; absent for other learners. */
  readonly network?: NetworkSketch;
  readonly training: ErrorCount;
  readonly test: ErrorCount;
}

export interface ErrorCount {
  readonly rows: number;
  readonly errors: number;
}

/** Returns the share of the rows that are misclassified. */
export function errorShare({ errors, rows }: ErrorCount): number {
  return errors / Math.max(1, rows);
}

/** A bound on the error, in words. */
export interface ShownBound {
  readonly name: string;
  readonly value: number;
  /** "≤ 8.3%" */
  readonly shown: string;
  readonly statement: string;
  readonly reference: string;
  /** Why it does not hold or says nothing; absent otherwise. */
  readonly reason?: string;
}

/** What is known about the finished model. */
export interface TrainingOutcome {
  readonly bounds: readonly ShownBound[];
  readonly confidence: string;
  readonly structure?: ModelStructure;
  readonly notices: readonly string[];
}

/** What a training tells, in this order; it ends with an outcome or a fault. */
export type TrainingEvent =
  | { readonly kind: "form"; readonly form: LearnerForm }
  | { readonly kind: "rows"; readonly rows: PlaygroundRows }
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "frame"; readonly frame: TrainingFrame }
  | { readonly kind: "done"; readonly outcome: TrainingOutcome }
  | { readonly kind: "failed"; readonly message: string; readonly hint?: string };

/** What the page sends to the worker. A new training cancels the one before. */
export type PlaygroundRequest =
  | { readonly kind: "train"; readonly id: number; readonly state: PlaygroundState }
  | { readonly kind: "cancel" };

/** A learner to choose, and its place in the list. */
export interface PlaygroundLearner {
  readonly name: string;
  readonly title: string;
  readonly family: LearnerFamily;
}

/** What the worker sends to the page; `id` is that of the request. */
export type PlaygroundReply =
  | { readonly kind: "learners"; readonly learners: readonly PlaygroundLearner[] }
  | { readonly kind: "event"; readonly id: number; readonly event: TrainingEvent };
