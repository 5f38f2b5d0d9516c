import * as z from "zod";
import { cascadePlan, type DeepCascadePlan, defineCascade } from "./cascade-learner.js";
import {
  ascending,
  complexityFor,
  kernelCascadeOptions,
  scaleOption,
  svmOptions,
} from "./cascade-options.js";
import { kernelFamily } from "./kernel-family.js";
import { type KernelSettings, nodeKernels, svmMachine } from "./node-kernels.js";

/** Deep cascades of support vector machines with kernels (DeSalvo, Mohri and Syed 2015, Algorithm 2). */
export const deepCascadeSvm = defineCascade({
  name: "deep-cascade-svm",
  title: "Cascade of support vector machines",
  summary:
    "A cascade of support vector machines; each passes the points near its decision boundary on to the next.",
  options: z.object({ ...kernelCascadeOptions, ...svmOptions }),
  plan: (options) => kernelPlan("deep-cascade-svm", options, svmMachine(options)),
});

/** Deep cascades of kernel perceptrons (Vani and Venkatesh 2015, Algorithm 3). */
export const deepCascadePerceptron = defineCascade({
  name: "deep-cascade-perceptron",
  title: "Cascade of kernel perceptrons",
  summary:
    "A cascade of kernel perceptrons; each passes the points near its decision boundary on to the next.",
  options: z.object({
    ...kernelCascadeOptions,
    scale: scaleOption("none"),
    passes: z
      .int()
      .min(1)
      .max(100_000)
      .default(4)
      .describe("Maximum passes of a perceptron over its rows. It stops after a pass without mistakes."),
  }),
  plan: (options) =>
    kernelPlan("deep-cascade-perceptron", options, { kind: "perceptron", passes: options.passes }),
});

type KernelCascadeOptions = z.output<z.ZodObject<typeof kernelCascadeOptions>> &
  Pick<Parameters<typeof nodeKernels>[0], "scale">;

/** Resolves the options of a cascade whose levels differ by their kernel. */
function kernelPlan(
  learner: string,
  options: KernelCascadeOptions,
  machine: KernelSettings["machine"],
): DeepCascadePlan {
  const { minDepth, maxDepth, nonDecreasing, gate, kernel, cacheMegabytes } = options;
  const complexity = complexityFor(learner, kernel, options.complexity);
  const fractions = ascending(options.fractions);
  return cascadePlan(
    learner,
    { ...options, complexity },
    {
      kernel,
      familyOf({ features, labels, classes }, run) {
        const kernels = nodeKernels(options, features);
        const space = {
          choices: kernels.length,
          lastChoices: kernels.map((_, choice) => choice),
          fractions,
          minDepth,
          maxDepth,
          nonDecreasing,
          sameFraction: false,
        };
        const settings = { space, kernels, cacheMegabytes, edge: gate, complexity, machine };
        return kernelFamily(features, { labels, classes: classes.length }, settings, run);
      },
    },
  );
}
