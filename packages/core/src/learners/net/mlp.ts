import * as z from "zod";
import { Random } from "../../runtime/maths/random.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { defineLearner } from "../define-learner.js";
import { network, networkParts, outputFor } from "./network.js";
import { activationOption, layersOption, trainingOptions } from "./network-options.js";
import { outputUnits, randomWeights } from "./network-weights.js";
import { drawWithPrior } from "./prior-and-draw.js";
import { trainNetwork } from "./train-network.js";
import { scheduleFor } from "./training-schedule.js";

/**
 * Features are clipped at this many standard deviations: otherwise those that are rarely on, such as pixels at the edge of an
 * image, would drown out the others.
 */
const INPUT_LIMIT = 4;

/** Images are moved by so many pixels at most. */
const MOST_SHIFT = 8;

/** A network of dense layers, trained from random weights. */
export const mlp = defineLearner({
  name: "mlp",
  title: "Neural network",
  summary: "Dense layers of units, trained by mini-batch gradient descent.",
  options: z.object({
    layers: layersOption,
    activation: activationOption("relu"),
    ...trainingOptions,
    scaling: z
      .enum(["standard", "common"])
      .default("standard")
      .describe(
        "Scaling of the features: standard gives each the deviation 1, common divides all by one number, as pixels need.",
      ),
    shift: z
      .int()
      .min(0)
      .max(MOST_SHIFT)
      .default(0)
      .describe(
        "For images: every step moves each row at random by up to this many pixels. Needs scaling=common.",
      ),
  }),
  encoding: ({ scaling }) => ({ kind: "numeric", standardise: scaling === "common" ? "common" : true }),
  ...network,
  async fit({ sample }, options, run) {
    checkShift(options);
    const output = outputFor(options.output, sample.classes);
    const sizes = [sample.features.columns, ...options.layers, outputUnits(output, sample.classes)];
    const initial = randomWeights(sizes, options.activation, new Random(run.seed));
    const plan = { ...scheduleFor(options, sample.rows), output, inputLimit: INPUT_LIMIT };
    const drawn = await drawWithPrior(sample, plan, options.prior, run, (rows) =>
      trainNetwork(rows, initial, plan, run),
    );
    return networkParts(sample, drawn, plan, run);
  },
});

/** Pixels that were scaled one by one cannot take each other's places. */
function checkShift({ shift, scaling }: { readonly shift: number; readonly scaling: string }): void {
  if (shift === 0 || scaling === "common") return;
  throw new VouchError("option/invalid", "mlp: shift needs one scale for all columns.", {
    hint: "Set scaling=common.",
  });
}
