import {
  dagSvm,
  type Learner,
  type MulticlassModel,
  oneVsOne,
  oneVsRest,
  type RelaxedHierarchyModel,
  relaxedHierarchy,
} from "vouch";
import type { SetKernel } from "./sets.js";

/** What all machines of a data set have in common, so that schemes differ in how they combine them alone. */
export interface MachineSettings {
  readonly kernel: SetKernel;
  readonly C: number;
  /** Of the kernels that have one. */
  readonly gamma?: number;
}

/** A way to make a classifier for many classes of machines for two. */
export interface Scheme {
  readonly name: string;
  /** Of a relaxed hierarchy; absent in classical schemes. */
  readonly rho?: number;
  learner(settings: MachineSettings): Learner<MulticlassModel | RelaxedHierarchyModel>;
}

/** From "two classes a node" to "nearly all take part". */
const RHOS = [0.02, 0.05, 0.1, 0.2, 0.4, 0.7];

/**
 * Where there are many rows of many classes, hierarchies that ignore much have so many large nodes that they would take
 * hours: with more rows times classes than this, ρ is not below `LEAST_COSTLY_RHO`.
 */
const COSTLY = 500_000;
const LEAST_COSTLY_RHO = 0.2;

/** So large that every class takes part at every node. */
const EVERY_CLASS = 1000;

/** The name of the hierarchy in which no class is ever ignored. */
export const BALANCED = "balanced hierarchy";
export const DAG = "DAGSVM";
export const ONE_VS_ONE = "one-vs-one";

/** All of them: classical ones, then hierarchies from the balanced one to the most relaxed. */
export const schemes: readonly Scheme[] = [
  { name: ONE_VS_ONE, learner: (settings) => oneVsOne(machinesOf(settings)) },
  { name: "one-vs-rest", learner: (settings) => oneVsRest(machinesOf(settings)) },
  { name: DAG, learner: (settings) => dagSvm(machinesOf(settings)) },
  { name: BALANCED, learner: (settings) => relaxedHierarchy({ ...settings, rho: EVERY_CLASS }) },
  ...[...RHOS].reverse().map((rho) => ({
    name: `relaxed, ρ = ${rho}`,
    rho,
    learner: (settings: MachineSettings) => relaxedHierarchy({ ...settings, rho }),
  })),
];

/** The schemes that are affordable for so many training rows of so many classes. */
export function affordableSchemes(rows: number, classes: number): readonly Scheme[] {
  return schemes.filter(
    ({ rho }) => rho === undefined || rho >= LEAST_COSTLY_RHO || rows * classes <= COSTLY,
  );
}

function machinesOf({ kernel, C, gamma }: MachineSettings) {
  if (kernel === "linear") return { base: "linear-svm", baseOptions: linearOptions(C) };
  return { base: "svm", baseOptions: { kernel, C, ...(gamma !== undefined && { gamma }) } };
}

/** With the loss that hierarchies are trained with: the same C means the same. */
export function linearOptions(C: number) {
  return { C, loss: "hinge" } as const;
}
