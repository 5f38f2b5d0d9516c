import type { z } from "zod";
import type { Sample } from "../data/sample.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { completeRun, type Run } from "../learning/run.js";
import { checkFinite, trainingSample } from "../learning/training-sample.js";
import type { Matrix } from "../numeric/matrix.js";
import { Random } from "../numeric/random.js";
import { fitNetwork, outputFor, outputUnits } from "./fit-network.js";
import { NetworkModel } from "./model.js";
import { randomWeights } from "./network-weights.js";
import { mlpOptions } from "./options.js";

const NAME = "mlp";

/**
 * So many standard deviations from the mean are as far as it gets: features that are rarely on would otherwise drown all
 * others, such as the pixels at the edge of a picture.
 */
const INPUT_LIMIT = 4;

/** A network of dense layers, trained from random weights. */
export function mlp(options?: z.input<typeof mlpOptions>): Learner<NetworkModel, Matrix> {
  const parsed = parseOptions(NAME, mlpOptions, options);
  return {
    name: NAME,
    options: parsed,
    encoding: { kind: "numeric", standardise: true },
    async fit(given: Sample<Matrix>, partialRun?: Partial<Run>) {
      checkFinite(given.features, given.featureNames);
      const { sample } = trainingSample(NAME, given);
      const run = completeRun(partialRun);
      const units = outputUnits(outputFor(NAME, parsed, sample.classes), sample.classes);
      const sizes = [sample.features.columns, ...parsed.layers, units];
      const initial = randomWeights(sizes, parsed.activation, new Random(run.seed));
      return fitNetwork(sample, { learner: NAME, options: parsed, initial, inputLimit: INPUT_LIMIT }, run);
    },
  };
}

/** What the rest of the system knows of `mlp`. */
export const mlpDefinition: LearnerDefinition<typeof mlpOptions, NetworkModel, Matrix> = {
  name: NAME,
  summary: "A neural network of dense layers, trained by gradient descent in small batches.",
  options: mlpOptions,
  multiclass: true,
  create: mlp,
  restore: NetworkModel.restore,
};
