import * as z from "zod";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Kernel } from "../kernel/kernel.js";
import { cacheOption } from "../kernel/kernel-options.js";
import { checkLearner, type Learner } from "../learner.js";
import { loadedLearner } from "../registry.js";
import { cascadePlan, defineCascade } from "./cascade-learner.js";
import type { LeafFamily } from "./cascade-nodes.js";
import {
  ascending,
  cascadeOptions,
  complexityTerms,
  kernelGammasOption,
  needRademacher,
  svmOptions,
} from "./cascade-options.js";
import { mixedFamily } from "./mixed-family.js";
import { polynomialKernels, radialKernels, svmMachine } from "./node-kernels.js";

const NAME = "deep-cascade";

const thresholds = ["threshold-1", "threshold-2", "threshold-3"] as const;
const polynomials = ["kernel-1", "kernel-2", "kernel-3", "kernel-4"] as const;

const options = z.object({
  ...cascadeOptions,
  leaves: z
    .array(z.enum(["constant", ...thresholds, ...polynomials, "rbf", "base"]))
    .min(1)
    .default(["constant", "threshold-1", "threshold-2", "kernel-1", "kernel-2"])
    .describe(
      "Families of leaf classifiers: constants, thresholds on products of up to k features, SVMs of degree k, Gaussian SVMs, models of the base learner.",
    ),
  base: z
    .union([z.string(), z.custom<Learner>((value) => typeof value === "object" && value !== null)])
    .default("svm")
    .describe("Learner of the leaves of the family base: any learner. Ignored without such leaves."),
  baseOptions: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Options of the base learner. On the command line, set them as base.NAME=VALUE."),
  gates: z
    .array(z.enum(thresholds))
    .min(1)
    .default(["threshold-1"])
    .describe("Families of gates: thresholds on products of up to k features."),
  gateCandidates: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe(
      "Number of gates on different products that compete for each fraction. With 1, the one that leaves the purest points behind.",
    ),
  complexity: z
    .enum(complexityTerms)
    .default("rademacher")
    .describe("Complexity term of the bound. rbf and base leaves need rademacher."),
  kernelGammas: kernelGammasOption,
  cacheMegabytes: cacheOption(1000),
  ...svmOptions,
});

type Options = z.output<typeof options>;

/** Deep cascades whose gates and leaves come from chosen families (DeSalvo, Mohri and Syed 2015, Algorithm 1). */
export const deepCascade = defineCascade({
  name: NAME,
  title: "Deep cascade",
  summary:
    "A chain or tree of gates with a classifier at each leaf, chosen from your families by a generalisation bound.",
  baseNamed: loadedLearner,
  options,
  plan(options) {
    const { cacheMegabytes, complexity } = options;
    const base = baseOf(options);
    if (base || options.leaves.includes("rbf"))
      needRademacher(NAME, base ? `models of ${base.name}` : "the rbf kernel", complexity);
    const gates = ascending(options.gates.map(degreeOf));
    const machine = svmMachine(options);
    return cascadePlan(NAME, shownOptions(options, base), {
      kernel: "polynomial",
      ...(base && { base }),
      familyOf(sample, run) {
        const kernels = kernelsOf(options, sample.features);
        const leaves = [
          ...rulesOf(options),
          ...kernels.map((_, kernel): LeafFamily => ({ kind: "kernel", kernel })),
          ...(base ? [{ kind: "learner" } as const] : []),
        ];
        const settings = {
          space: spaceOf(options, leaves.length, gates.length),
          leaves,
          gates,
          fractions: ascending(options.fractions),
          candidates: options.gateCandidates,
          complexity,
          kernels: { kernels, cacheMegabytes, machine },
          ...(base && { base }),
        };
        return mixedFamily(sample, settings, run);
      },
    });
  },
});

/** Makes the learner of leaves of the family `base`; undefined if there are none. */
function baseOf({ leaves, base, baseOptions }: Options): Learner | undefined {
  if (!leaves.includes("base")) return undefined;
  if (typeof base === "string") return loadedLearner(base).create(baseOptions);
  checkLearner(base);
  if (Object.keys(baseOptions).length === 0) return base;
  throw new VouchError(
    "option/invalid",
    `Option baseOptions of ${NAME} is given, but the base is a learner that has options already.`,
    { hint: "Give the base by name, or leave baseOptions out." },
  );
}

/** Returns the options with the base by name, and all options of a base that is used. */
function shownOptions(options: Options, base: Learner | undefined) {
  const given = options.base;
  const unused = { base: typeof given === "string" ? given : given.name, baseOptions: options.baseOptions };
  return { ...options, ...(base ? { base: base.name, baseOptions: base.options } : unused) };
}

/**
 * Makes the search space: all gates of a chain pass on the same fraction, unless several gates compete for each, and a last node
 * differs by its leaf only.
 */
function spaceOf(options: Options, leaves: number, gates: number) {
  const { minDepth, maxDepth, fractions, gateCandidates } = options;
  return {
    choices: leaves * gates,
    lastChoices: Array.from({ length: leaves }, (_, leaf) => leaf * gates),
    fractions: ascending(fractions).flatMap((fraction) => Array<number>(gateCandidates).fill(fraction)),
    minDepth,
    maxDepth,
    nonDecreasing: false,
    sameFraction: gateCandidates === 1,
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
