import type { Arbitrary } from "fast-check";
import type { Classifier, Table } from "vouch";

/** A description of a random classifier. */
export interface ModelSpec {
  readonly seed: number;
  readonly learner: string;
  readonly classes: number;
  readonly rows: number;
  readonly columns: readonly string[];
  readonly missing: number;
  readonly decision: string;
}

export const modelSpecs: Arbitrary<ModelSpec>;
export function randomClassifier(
  spec: ModelSpec,
): Promise<{ readonly classifier: Classifier; readonly tolerance: number; readonly rows: Table }>;
