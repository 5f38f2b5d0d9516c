import * as z from "zod";
import { Random } from "../../runtime/random.js";
import { defineLearner } from "../frame.js";
import { network, networkParts, outputFor } from "./network.js";
import { activationOption, layersOption, trainingOptions } from "./network-options.js";
import { outputUnits, randomWeights } from "./network-weights.js";
import { drawWithPrior } from "./prior-and-draw.js";
import { trainNetwork } from "./train-network.js";

/**
 * Features are clipped at this many standard deviations: otherwise those that are rarely on, such as pixels at the edge of an
 * image, would drown out the others.
 */
const INPUT_LIMIT = 4;

/** A network of dense layers, trained from random weights. */
export const mlp = defineLearner({
  name: "mlp",
  summary: "A neural network with dense layers, trained by mini-batch gradient descent.",
  options: z.object({ layers: layersOption, activation: activationOption("relu"), ...trainingOptions }),
  encoding: { kind: "numeric", standardise: true },
  ...network,
  async fit({ sample }, options, run) {
    const output = outputFor(options.output, sample.classes);
    const sizes = [sample.features.columns, ...options.layers, outputUnits(output, sample.classes)];
    const initial = randomWeights(sizes, options.activation, new Random(run.seed));
    const plan = { ...options, output, inputLimit: INPUT_LIMIT };
    const drawn = await drawWithPrior(sample, plan, options.prior, run, (rows) =>
      trainNetwork(rows, initial, plan, run),
    );
    return networkParts(sample, drawn, plan, run);
  },
});
