import { type Encoder, fitEncoder } from "../data/encoder.js";
import { Sample } from "../data/sample.js";
import type { Table } from "../data/table.js";
import { VouchError } from "../error.js";
import type { Learner } from "../learning/learner.js";
import type { Model } from "../learning/model.js";
import type { Run } from "../learning/run.js";
import type { Matrix } from "../numeric/matrix.js";

/** A model of any learner with the encoder that gives it the features it wants. */
export interface EncodedModel {
  readonly encoder: Encoder;
  readonly model: Model;
}

/** The target column of an encoder; tables here have none. */
const NO_TARGET = "class";

/** Trains a learner on the rows of a table. It must give probabilities. */
export async function fitEncoded(
  learner: Learner,
  table: Table,
  target: {
    readonly labels: Int32Array;
    readonly classes: readonly string[];
    readonly weights?: Float64Array;
  },
  run: Run,
): Promise<EncodedModel> {
  const encoder = fitEncoder(table, { target: NO_TARGET, classes: target.classes }, learner.encoding);
  const sample = new Sample({
    ...target,
    features: encoder.encode(table),
    featureNames: encoder.featureNames,
  });
  const model = await learner.fit(sample, run);
  if (model.scoring === "probability") return { encoder, model };
  throw new VouchError(
    "learner/unsupported",
    `A layer cannot be made of ${learner.name}: it gives no probabilities.`,
    {
      hint:
        learner.name === "svm"
          ? "Let it calibrate them: svm:probability=true."
          : "Use learners that do, such as forest, random-trees or svm:probability=true.",
    },
  );
}

/** The probabilities of each class for the rows of a table. */
export function encodedScores({ encoder, model }: EncodedModel, table: Table): Matrix {
  return model.scores(encoder.encode(table));
}
