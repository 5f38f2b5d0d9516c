import { z } from "zod";
import { cacheOption, kernelOptions } from "../kernel/index.js";

/** The options of `perceptron`. */
export const perceptronOptions = z.object({
  ...kernelOptions({ kernel: "polynomial", degree: 2, scale: 1 }),
  cacheMegabytes: cacheOption(1000),
  passes: z
    .int()
    .min(1)
    .max(100_000)
    .default(4)
    .describe("How often all rows are visited at most; a pass without a mistake is the last."),
  averaged: z
    .boolean()
    .default(false)
    .describe(
      "Keep the mean of the weights after each visit instead of the last ones: steadier on noisy data.",
    ),
});
