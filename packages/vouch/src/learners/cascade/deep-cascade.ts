import * as z from "zod";
import type { Matrix } from "../../runtime/matrix.js";
import type { Kernel } from "../kernel/kernel.js";
import { cacheOption } from "../kernel/kernel-options.js";
import { cascadePlan, defineCascade } from "./cascade-learner.js";
import {
  ascending,
  cascadeOptions,
  complexityFor,
  complexityTerms,
  kernelGammasOption,
  svmOptions,
} from "./cascade-options.js";
import { genericFamily } from "./generic-family.js";
import type { LeafFamily } from "./generic-nodes.js";
import { polynomialKernels, radialKernels, svmMachine } from "./node-kernels.js";

const thresholds = ["threshold-1", "threshold-2", "threshold-3"] as const;
const polynomials = ["kernel-1", "kernel-2", "kernel-3", "kernel-4"] as const;

const options = z.object({
  ...cascadeOptions,
  leaves: z
    .array(z.enum(["constant", ...thresholds, ...polynomials, "rbf"]))
    .min(1)
    .default(["constant", "threshold-1", "threshold-2", "kernel-1", "kernel-2"])
    .describe(
      "Families of leaf classifiers: constants, thresholds on products of up to k features, SVMs of degree k, Gaussian SVMs.",
    ),
  gates: z
    .array(z.enum(thresholds))
    .min(1)
    .default(["threshold-1"])
    .describe("Families of gates: thresholds on products of up to k features."),
  complexity: z
    .enum(complexityTerms)
    .default("rademacher")
    .describe("Complexity term of the bound. rbf leaves need rademacher."),
  kernelGammas: kernelGammasOption,
  cacheMegabytes: cacheOption(1000),
  ...svmOptions,
});

type Options = z.output<typeof options>;

/** Deep cascades whose gates and leaves come from chosen families (DeSalvo, Mohri and Syed 2015, Algorithm 1). */
export const deepCascade = defineCascade({
  name: "deep-cascade",
  summary:
    "A chain of gates with a classifier at each leaf, chosen from your families by a generalisation bound.",
  options,
  plan(options) {
    const { cacheMegabytes, complexity } = options;
    complexityFor("deep-cascade", options.leaves.includes("rbf") ? "rbf" : "polynomial", complexity);
    const gates = ascending(options.gates.map(degreeOf));
    const machine = svmMachine(options);
    return cascadePlan("deep-cascade", options, {
      kernel: "polynomial",
      familyOf(features, labels, run) {
        const kernels = kernelsOf(options, features);
        const leaves = [
          ...rulesOf(options),
          ...kernels.map((_, kernel): LeafFamily => ({ kind: "kernel", kernel })),
        ];
        const settings = {
          space: spaceOf(options, leaves.length, gates.length),
          leaves,
          gates,
          complexity,
          kernels: { kernels, cacheMegabytes, machine },
        };
        return genericFamily(features, labels, settings, run);
      },
    });
  },
});

/** Makes the search space: all gates of a cascade pass on the same fraction, and a last node differs by its leaf only. */
function spaceOf({ minDepth, maxDepth, fractions }: Options, leaves: number, gates: number) {
  return {
    choices: leaves * gates,
    lastChoices: Array.from({ length: leaves }, (_, leaf) => leaf * gates),
    fractions: ascending(fractions),
    minDepth,
    maxDepth,
    nonDecreasing: false,
    sameFraction: true,
  };
}

/** Lists constants, then thresholds by degree; they come before all kernels, since ties go to the first. */
function rulesOf({ leaves }: Options): LeafFamily[] {
  const degrees = ascending(leaves.filter((name) => name.startsWith("threshold-")).map(degreeOf));
  return [
    ...(leaves.includes("constant") ? [{ kind: "constant" } as const] : []),
    ...degrees.map((degree): LeafFamily => ({ kind: "threshold", degree })),
  ];
}

/** Lists polynomial kernels by degree, then Gaussian ones by γ. */
function kernelsOf({ leaves, scale, kernelGammas }: Options, features: Matrix): Kernel[] {
  const degrees = leaves.filter((name) => name.startsWith("kernel-")).map(degreeOf);
  return [
    ...polynomialKernels(degrees, scale, features),
    ...(leaves.includes("rbf") ? radialKernels("rbf", kernelGammas, features) : []),
  ];
}

function degreeOf(name: string): number {
  return Number(name.slice(name.indexOf("-") + 1));
}
