import type { z } from "zod";
import { VouchError } from "../../runtime/vouch-error.js";
import { checkLearner } from "../check-learner.js";
import type { Learner, LearnerKind } from "../learner.js";
import type { LearnerLookup } from "../legacy.js";
import { parseOptions } from "../options.js";
import { multiclassOptions } from "./multiclass.js";

/** Schemes that make one classifier for many classes of machines for two. */
const SCHEME_NAMES = ["one-vs-one", "one-vs-rest", "dag-svm"] as const;

/** The name of a scheme, which is that of its learner. */
export type SchemeName = (typeof SCHEME_NAMES)[number];

/** Options of a scheme in a program: the base by name, with its options, or as a learner. */
export type MulticlassOptions = Omit<z.input<typeof multiclassOptions>, "base"> & {
  readonly base?: string | Learner;
};

/** The checked options of a scheme. */
export interface SchemeOptions extends Readonly<Record<string, unknown>> {
  readonly base: string;
  readonly baseOptions: Learner["options"];
  readonly maxRows: z.output<typeof multiclassOptions>["maxRows"];
}

/** The learner of a scheme's machines. */
export interface BaseLearner {
  /** Absent for a learner of the caller's own: no thread can make it again. */
  readonly definition?: LearnerKind;
  readonly learner: Learner;
}

/** The kind of learner that a scheme can have as a base. */
export function baseNamed(scheme: SchemeName, name: string, lookup: LearnerLookup): LearnerKind {
  if (!SCHEME_NAMES.some((other) => other === name)) return lookup(name);
  throw new VouchError(
    "option/invalid",
    `Option base of ${scheme} is "${name}", which is made of machines for two classes itself.`,
    { hint: "Name the learner of these machines, such as svm, adaboost or deep-cascade-svm." },
  );
}

/** The options with their defaults filled in, those of the base too, and the base. */
export function chooseBase(
  scheme: SchemeName,
  given: MulticlassOptions | undefined,
  lookup: LearnerLookup,
): { options: SchemeOptions; base: BaseLearner } {
  const { base, baseOptions, maxRows } = parseOptions(scheme, multiclassOptions, byName(scheme, given));
  const own = ownBase(given, lookup);
  if (own) return { options: { base, baseOptions, maxRows }, base: { learner: own } };
  const definition = baseNamed(scheme, base, lookup);
  const learner = definition.create(baseOptions);
  return { options: { base, baseOptions: learner.options, maxRows }, base: { definition, learner } };
}

/** The base where it is a learner of the caller's own, of a kind that is not known here. */
function ownBase(given: MulticlassOptions | undefined, lookup: LearnerLookup): Learner | undefined {
  const base = given?.base;
  if (typeof base !== "object" || base === null) return undefined;
  checkLearner(base);
  try {
    lookup(base.name);
    return undefined;
  } catch (error) {
    if (error instanceof VouchError && error.code === "learner/unknown") return base;
    throw error;
  }
}

/** Options in which the base is a name. */
function byName(scheme: SchemeName, given: MulticlassOptions | undefined): unknown {
  const base = given?.base;
  if (typeof base !== "object" || base === null) return given;
  if (given?.baseOptions !== undefined) {
    throw new VouchError(
      "option/invalid",
      `Option baseOptions of ${scheme} is given beside a base that has its own.`,
      {
        hint: "Give the base by its name, or leave baseOptions out.",
      },
    );
  }
  return { ...given, base: base.name, baseOptions: base.options };
}
