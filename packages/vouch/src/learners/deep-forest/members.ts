import type { Encoder } from "../../encode/encoder.js";
import { fitEncoder } from "../../encode/fit-encoder.js";
import { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import type { Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Table } from "../../table/table.js";
import type { Learner } from "../learner.js";
import type { Model } from "../model.js";
import type { TreeGrowth } from "../tree/tree-grower.js";
import type { TreeSet } from "../tree/tree-set.js";

/** A forest of a layer, to be grown. */
export interface ForestMember {
  readonly kind: "forest";
  /** Of random trees (the best of some random cuts) or of completely random ones. */
  readonly name: "forest" | "random-trees";
  readonly trees: number;
  readonly bootstrap: boolean;
  /** How its trees grow on so many columns. */
  readonly growth: (columns: number) => TreeGrowth;
}

/** Any other learner that gives probabilities. */
export interface LearnerMember {
  readonly kind: "learner";
  readonly learner: Learner;
}

/** What a layer is made of. Each member is trained once for each fold. */
export type Member = ForestMember | LearnerMember;

/** A trained member. */
export type FittedMember =
  | {
      readonly kind: "forest";
      readonly name: ForestMember["name"];
      /** The trees of all folds, equally many of each: their mean is the mean over the folds. */
      readonly trees: TreeSet;
    }
  | {
      readonly kind: "learner";
      readonly name: string;
      /** What was trained without each of the folds. */
      readonly folds: readonly EncodedModel[];
    };

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
