import { z } from "zod";
import { Matrix } from "../../runtime/matrix.js";
import { type State, StateReader, type Tensor } from "../../runtime/state.js";
import { kernelSchema } from "../kernel/kernel.js";
import { compressionFactsSchema } from "../training-facts.js";
import { OneVsOne } from "./pair-machines.js";
import type { SvmModelParts } from "./svm-model.js";

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()),
  trained: z.array(z.int().min(0)).min(2),
  kernel: kernelSchema,
  supportVectors: z.int().min(1),
  squaredRadius: z.number().min(0),
  probability: z.boolean(),
  tolerance: z.number().positive().nullable(),
  training: compressionFactsSchema.optional(),
});

/** What a model consists of, ready to be written to a file. */
export function svmState(model: SvmModelParts): State {
  const { classes, featureNames, trained, machines, squaredNorms, squaredRadius, convergence, training } =
    model;
  const { kernel, supportVectors, counts, coefficients, biases, sigmoids } = machines;
  return {
    json: {
      classes,
      featureNames,
      trained,
      kernel: { ...kernel },
      supportVectors: supportVectors.rows,
      squaredRadius,
      probability: sigmoids !== undefined,
      tolerance: convergence?.tolerance ?? null,
      ...(training && { training: { ...training } }),
    },
    tensors: {
      supportVectors: matrix(supportVectors),
      counts: vector(counts),
      coefficients: matrix(coefficients),
      biases: vector(biases),
      squaredNorms: vector(squaredNorms),
      ...(sigmoids && {
        sigmoidA: vector(Float64Array.from(sigmoids, ({ A }) => A)),
        sigmoidB: vector(Float64Array.from(sigmoids, ({ B }) => B)),
      }),
      ...(convergence && {
        gaps: vector(convergence.gaps),
        dualityGaps: vector(convergence.dualityGaps),
        iterations: vector(convergence.iterations),
      }),
    },
  };
}

/** What a model consists of, from a state that `svmState` gave; throws `model/corrupt` for anything else. */
export function svmParts(state: State): SvmModelParts {
  const reader = new StateReader("svm model", state);
  const json = reader.json(structure);
  const { classes, featureNames, trained, squaredRadius, tolerance, training } = json;
  if (!trained.every((k, c) => k < classes.length && (c === 0 || k > trained[c - 1]))) {
    throw reader.corrupt(`it was trained on the classes [${trained}]`);
  }
  if (training && json.supportVectors + training.otherErrors > training.rows) {
    throw reader.corrupt(`it has ${json.supportVectors} support vectors of ${training.rows} rows`);
  }
  const pairs = [(trained.length * (trained.length - 1)) / 2];
  const convergence = tolerance !== null && {
    gaps: reader.numbers("gaps", pairs, 0),
    dualityGaps: reader.numbers("dualityGaps", pairs),
    iterations: reader.numbers("iterations", pairs, 0),
  };
  reader.only(
    ...["supportVectors", "counts", "coefficients", "biases", "squaredNorms"],
    ...(json.probability ? ["sigmoidA", "sigmoidB"] : []),
    ...Object.keys(convergence || {}),
  );
  return {
    classes,
    featureNames,
    trained,
    machines: machinesOf(reader, json, pairs),
    squaredNorms: reader.numbers("squaredNorms", pairs, 0),
    squaredRadius,
    ...(convergence && { convergence: { tolerance, ...convergence } }),
    ...(training && { training }),
  };
}

function machinesOf(
  reader: StateReader,
  json: z.output<typeof structure>,
  pairs: readonly number[],
): OneVsOne {
  const { trained, featureNames, kernel, supportVectors: size, probability } = json;
  const counts = reader.integers("counts", [trained.length], 0, size);
  if (counts.reduce((sum, count) => sum + count, 0) !== size) throw reader.corrupt("counts do not add up");
  const numbers = (name: string, columns: number) =>
    new Matrix(size, columns, reader.numbers(name, [size, columns]));
  const sigmoids = probability && {
    A: reader.numbers("sigmoidA", pairs),
    B: reader.numbers("sigmoidB", pairs),
  };
  return new OneVsOne({
    kernel,
    supportVectors: numbers("supportVectors", featureNames.length),
    counts,
    coefficients: numbers("coefficients", trained.length - 1),
    biases: reader.numbers("biases", pairs),
    ...(sigmoids && { sigmoids: Array.from(sigmoids.A, (A, p) => ({ A, B: sigmoids.B[p] })) }),
  });
}

function matrix({ rows, columns, values }: Matrix): Tensor {
  return { shape: [rows, columns], data: values };
}

function vector(data: Float64Array | Int32Array): Tensor {
  return { shape: [data.length], data };
}
