import * as z from "zod";
import { VouchError } from "../../runtime/vouch-error.js";
import { checkLearner, type Learner, type LearnerKind } from "../learner.js";
import { isLoaded, loadedLearner } from "../registry.js";

/** Learners that reduce many classes to machines for two; none of them can be the base of another. */
const SCHEMES = ["one-vs-one", "one-vs-rest", "dag-svm"];

export const multiclassOptions = z.object({
  base: z
    .union([z.string(), z.custom<Learner>((value) => typeof value === "object" && value !== null)])
    .default("svm")
    .describe(
      "Base learner for the two-class problems: any learner except one-vs-one, one-vs-rest and dag-svm.",
    ),
  baseOptions: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Options of the base learner. On the command line, set them as base.NAME=VALUE."),
  maxRows: z
    .union([z.int().min(10), z.enum(["auto", "all"])])
    .default("auto")
    .describe(
      "Maximum rows per machine; larger problems are subsampled. auto is all rows, or 1000 for deep cascades.",
    ),
});

/** The learner of the machines, and how many rows each machine is trained on at most. */
export interface ChosenBase {
  readonly learner: Learner;
  readonly maxRows: number;
  /** The options of the scheme with the base by name, and all options of the base. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Finds a kind of learner that can be the base of a scheme. */
export function baseNamed(scheme: string, name: string): LearnerKind {
  checkBase(scheme, name);
  return loadedLearner(name);
}

/** Makes the base that the options of a scheme name or hold. */
export function chooseBase(
  scheme: string,
  { base, baseOptions, maxRows }: z.output<typeof multiclassOptions>,
): ChosenBase {
  const learner =
    typeof base === "string"
      ? baseNamed(scheme, base).create(baseOptions)
      : givenBase(scheme, base, baseOptions);
  return {
    learner,
    maxRows: maxRows === "all" ? Infinity : maxRows === "auto" ? comfortableRows(learner) : maxRows,
    shown: { base: learner.name, baseOptions: learner.options, maxRows },
  };
}

function givenBase(scheme: string, base: Learner, baseOptions: Learner["options"]): Learner {
  checkLearner(base);
  checkBase(scheme, base.name);
  if (Object.keys(baseOptions).length === 0) return base;
  throw new VouchError(
    "option/invalid",
    `Option baseOptions of ${scheme} is given, but the base is a learner that has options already.`,
    { hint: "Give the base by name, or leave baseOptions out." },
  );
}

function checkBase(scheme: string, name: string): void {
  if (!SCHEMES.includes(name)) return;
  throw new VouchError(
    "option/invalid",
    `Option base of ${scheme} is "${name}", which is made of two-class machines itself.`,
    { hint: "Name the learner of these machines, such as svm, adaboost or deep-cascade-svm." },
  );
}

function comfortableRows({ name }: Learner): number {
  return (isLoaded(name) ? loadedLearner(name).comfortableRows : undefined) ?? Infinity;
}
