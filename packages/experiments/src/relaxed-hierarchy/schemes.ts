import {
  type RelaxedHierarchyModel,
  relaxedHierarchy,
} from "@vouch/core/internal/learners/hierarchy/relaxed-hierarchy";
import type { Learner } from "@vouch/core/internal/learners/learner";
import {
  dagSvm,
  type MulticlassModel,
  oneVsOne,
  oneVsRest,
} from "@vouch/core/internal/learners/multiclass/multiclass";
import { linearOptions, type SvmSettings } from "./svm-settings.js";

/** A scheme that combines binary machines into a classifier of many classes. */
export interface MulticlassScheme {
  readonly name: string;
  /** ρ of a relaxed hierarchy; absent for classical schemes. */
  readonly rho?: number;
  learner(settings: SvmSettings): Learner<MulticlassModel | RelaxedHierarchyModel>;
}

/** From two classes at a node to nearly all of them. */
const RHOS = [0.02, 0.05, 0.1, 0.2, 0.4, 0.7];

/**
 * With many rows and classes, hierarchies that ignore many classes have too many large nodes and would take hours. If
 * rows times classes exceed this, ρ is at least `LEAST_COSTLY_RHO`.
 */
const COSTLY = 500_000;
const LEAST_COSTLY_RHO = 0.2;

/** With such a large ρ, no class is ignored at any node. */
const EVERY_CLASS = 1000;

/** The hierarchy in which no class is ever ignored. */
export const BALANCED = "balanced hierarchy";
export const DAG = "DAGSVM";
export const ONE_VS_ONE = "one-vs-one";

/** Classical schemes, then hierarchies from the balanced one to the most relaxed. */
export const schemes: readonly MulticlassScheme[] = [
  { name: ONE_VS_ONE, learner: (settings) => oneVsOne(machinesOf(settings)) },
  { name: "one-vs-rest", learner: (settings) => oneVsRest(machinesOf(settings)) },
  { name: DAG, learner: (settings) => dagSvm(machinesOf(settings)) },
  { name: BALANCED, learner: (settings) => relaxedHierarchy({ ...settings, rho: EVERY_CLASS }) },
  ...[...RHOS].reverse().map((rho) => ({
    name: `relaxed, ρ = ${rho}`,
    rho,
    learner: (settings: SvmSettings) => relaxedHierarchy({ ...settings, rho }),
  })),
];

/** Returns the schemes that are affordable for this many training rows and classes. */
export function affordableSchemes(rows: number, classes: number): readonly MulticlassScheme[] {
  return schemes.filter(
    ({ rho }) => rho === undefined || rho >= LEAST_COSTLY_RHO || rows * classes <= COSTLY,
  );
}

function machinesOf({ kernel, C, gamma }: SvmSettings) {
  if (kernel === "linear") return { base: "linear-svm", baseOptions: linearOptions(C) };
  return { base: "svm", baseOptions: { kernel, C, ...(gamma !== undefined && { gamma }) } };
}
