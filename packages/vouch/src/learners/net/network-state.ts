import { z } from "zod";
import { type State, StateReader, type Tensor } from "../../runtime/state.js";
import { trainingFactsSchema } from "../training-facts.js";
import { QUANTILES } from "./fit-network.js";
import type { NetworkModel, NetworkModelParts } from "./network-model.js";
import { activations, outputs } from "./resident-network.js";
import { type Epoch, networkStops } from "./train-network.js";

/** The largest number in single precision: sums of products in a file could still overflow, but no number in it has. */
const LARGEST = 3.4e38;

const pretrainedLayer = z.strictObject({
  error: z.number().min(0),
  epochs: z.array(z.number()),
  freeEnergies: z.array(z.number()).optional(),
  divergedIn: z.int().min(1).optional(),
});

const structure = z.strictObject({
  learner: z.string().min(1),
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()).min(1),
  activation: z.enum(activations),
  output: z.enum(outputs),
  learningRate: z.number().gt(0),
  inputLimit: z.number().gt(0).optional(),
  sizes: z.array(z.int().min(1)).min(2),
  epochs: z.int().min(0),
  best: z.int().min(0),
  stop: z.enum(networkStops),
  validated: z.boolean(),
  pretraining: z.array(pretrainedLayer).optional(),
  training: trainingFactsSchema.optional(),
});

const numbers = (data: Float64Array): Tensor => ({ shape: [data.length], data });

/** What a model file holds of a network. */
export function networkState(model: NetworkModel): State {
  const { weights, curve, pretraining, training } = model;
  const validated = curve.some(({ validationLoss }) => validationLoss !== undefined);
  const column = (of: (epoch: Epoch) => number | undefined) =>
    numbers(Float64Array.from(curve, (epoch) => of(epoch) ?? 0));
  const { learner, classes, featureNames, activation, output, inputLimit, learningRate, best, stop } = model;
  return {
    json: {
      ...{ learner, classes, featureNames, activation, output, learningRate, best, stop, validated },
      ...(inputLimit !== undefined && { inputLimit }),
      sizes: weights.sizes,
      epochs: curve.length,
      ...(pretraining && { pretraining: pretraining.map((layer) => ({ ...layer })) }),
      ...(training && { training: { rows: training.rows, errors: training.errors } }),
    },
    tensors: {
      ...Object.fromEntries(
        weights.weights.flatMap((data, l) => [
          [`weights${l}`, { shape: [weights.sizes[l + 1], weights.sizes[l]], data }],
          [`biases${l}`, { shape: [weights.sizes[l + 1]], data: weights.biases[l] }],
        ]),
      ),
      trainingLoss: column(({ trainingLoss }) => trainingLoss),
      ...(validated && {
        validationLoss: column(({ validationLoss }) => validationLoss),
        validationError: column(({ validationError }) => validationError),
      }),
      ...(training && {
        margins: numbers(training.margins),
        meanSquaredNorm: numbers(Float64Array.of(training.meanSquaredNorm)),
      }),
    },
  };
}

/** The parts of a model behind a state that `networkState` gave. */
export function restoreNetwork(state: State): NetworkModelParts {
  const reader = new StateReader("network", state);
  const { sizes, epochs, validated, pretraining, training, ...facts } = reader.json(structure);
  checkSizes(reader, { ...facts, sizes, epochs });
  if (pretraining && pretraining.length > sizes.length - 2)
    throw reader.corrupt(`${pretraining.length} layers were pre-trained`);
  const layers = [...sizes.keys()].slice(1);
  const single = (name: string, shape: number[]) => reader.singles(name, shape, -LARGEST, LARGEST);
  const weights = layers.map((l) => single(`weights${l - 1}`, [sizes[l], sizes[l - 1]]));
  const biases = layers.map((l) => single(`biases${l - 1}`, [sizes[l]]));
  const trainingFacts = training && {
    ...training,
    margins: reader.numbers("margins", [QUANTILES]),
    meanSquaredNorm: reader.numbers("meanSquaredNorm", [1], 0)[0],
  };
  const curve = readCurve(reader, epochs, validated);
  reader.only(
    ...layers.flatMap((l) => [`weights${l - 1}`, `biases${l - 1}`]),
    ...["trainingLoss", ...(validated ? ["validationLoss", "validationError"] : [])],
    ...(training ? ["margins", "meanSquaredNorm"] : []),
  );
  return {
    ...facts,
    weights: { sizes, weights, biases },
    curve,
    ...(pretraining && { pretraining }),
    ...(trainingFacts && { training: trainingFacts }),
  };
}

function checkSizes(
  reader: StateReader,
  {
    sizes,
    epochs,
    best,
    classes,
    featureNames,
    output,
  }: Pick<z.output<typeof structure>, "sizes" | "epochs" | "best" | "classes" | "featureNames" | "output">,
): void {
  const wanted = output === "logistic" ? 1 : classes.length;
  if (output === "logistic" && classes.length !== 2)
    throw reader.corrupt("a logistic output needs two classes");
  if (sizes[0] !== featureNames.length || sizes[sizes.length - 1] !== wanted) {
    throw reader.corrupt(`a network of ${sizes.join("-")} units does not fit its features and classes`);
  }
  if (best > epochs) throw reader.corrupt(`epoch ${best} of ${epochs} is the best one`);
}

function readCurve(reader: StateReader, epochs: number, validated: boolean): Epoch[] {
  const trainingLoss = reader.numbers("trainingLoss", [epochs], 0);
  if (!validated) return Array.from(trainingLoss, (loss) => ({ trainingLoss: loss }));
  const validationLoss = reader.numbers("validationLoss", [epochs], 0);
  const validationError = reader.numbers("validationError", [epochs], 0);
  return Array.from(trainingLoss, (loss, e) => ({
    trainingLoss: loss,
    validationLoss: validationLoss[e],
    validationError: validationError[e],
  }));
}
