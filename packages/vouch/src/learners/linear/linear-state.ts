import { z } from "zod";
import { Matrix } from "../../runtime/matrix.js";
import { type State, StateReader, type Tensor } from "../../runtime/state.js";
import { compressionFactsSchema } from "../training-facts.js";
import { losses } from "./dual-coordinate-descent.js";
import { Hyperplanes } from "./hyperplanes.js";
import type { LinearSvmModelParts } from "./linear-model.js";

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()),
  trained: z.array(z.int().min(0)).min(2),
  loss: z.enum(losses),
  biasFeature: z.number().min(0),
  squaredRadius: z.number().min(0),
  tolerance: z.number().positive(),
  training: compressionFactsSchema.optional(),
});

/** What a model consists of, ready to be written to a file. */
export function linearState(model: LinearSvmModelParts): State {
  const { classes, featureNames, trained, loss, biasFeature, squaredRadius, convergence, training } = model;
  const { weights, biases } = model.machines;
  return {
    json: {
      classes,
      featureNames,
      trained,
      loss,
      biasFeature,
      squaredRadius,
      tolerance: convergence.tolerance,
      ...(training && { training: { ...training } }),
    },
    tensors: {
      weights: { shape: [weights.rows, weights.columns], data: weights.values },
      biases: vector(biases),
      squaredNorms: vector(model.squaredNorms),
      supportVectors: vector(model.supportVectors),
      violations: vector(convergence.violations),
      dualityGaps: vector(convergence.dualityGaps),
      passes: vector(convergence.passes),
    },
  };
}

/** What a model consists of, from a state that `linearState` gave; throws `model/corrupt` for anything else. */
export function linearParts(state: State): LinearSvmModelParts {
  const reader = new StateReader("linear-svm model", state);
  const { tolerance, training, ...parts } = reader.json(structure);
  const { classes, featureNames, trained } = parts;
  if (!trained.every((k, c) => k < classes.length && (c === 0 || k > trained[c - 1]))) {
    throw reader.corrupt(`it was trained on the classes [${trained}]`);
  }
  const count = trained.length === 2 ? 1 : trained.length;
  const supportVectors = reader.integers("supportVectors", [count], 0);
  if (training && supportVectors[0] + training.otherErrors > training.rows) {
    throw reader.corrupt(`it has ${supportVectors[0]} support vectors of ${training.rows} rows`);
  }
  reader.only(
    ...["weights", "biases", "squaredNorms", "supportVectors"],
    ...["violations", "dualityGaps", "passes"],
  );
  const columns = featureNames.length;
  return {
    ...parts,
    machines: new Hyperplanes(
      new Matrix(count, columns, reader.numbers("weights", [count, columns])),
      reader.numbers("biases", [count]),
    ),
    squaredNorms: reader.numbers("squaredNorms", [count], 0),
    supportVectors,
    convergence: {
      tolerance,
      violations: reader.numbers("violations", [count], 0),
      dualityGaps: reader.numbers("dualityGaps", [count]),
      passes: reader.numbers("passes", [count], 0),
    },
    ...(training && { training }),
  };
}

function vector(data: Float64Array | Int32Array): Tensor {
  return { shape: [data.length], data };
}
