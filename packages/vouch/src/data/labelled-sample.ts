import { inOneGo, type Steps } from "../parallel/steps.js";
import type { Encoder, OnNotice } from "./encoder.js";
import { type Features, Sample } from "./sample.js";
import type { LabelledRows } from "./target.js";

/** Labelled raw rows as the sample that a learner or a bound takes. */
export function labelledSample(
  encoder: Encoder,
  rows: Pick<LabelledRows, "features" | "labels">,
  onNotice?: OnNotice,
): Sample<Features> {
  return inOneGo(labelledSampleInSteps(encoder, rows, onNotice));
}

/** The same with pauses, for many rows. */
export function* labelledSampleInSteps(
  encoder: Encoder,
  rows: Pick<LabelledRows, "features" | "labels">,
  onNotice?: OnNotice,
): Steps<Sample<Features>> {
  const features = yield* encoder.encodeInSteps(rows.features, onNotice);
  const { classes } = encoder.schema;
  return new Sample({ features, labels: rows.labels, classes, featureNames: encoder.featureNames });
}
