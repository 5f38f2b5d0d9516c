import * as z from "zod";
import type { Encoding, SingleEncoding } from "../../encode/encoder.js";
import { nonNegativeNumber, realNumber } from "../../runtime/codec/schema-numbers.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { optionsUnlikeDefaults } from "../changed-options.js";
import type { Learner } from "../learner.js";
import { loadedLearner } from "../registry.js";
import { settingText } from "../settings.js";

/** The name of the learner. */
export const ENSEMBLE = "ensemble";

/** What out-of-fold rows say about a member. */
export const memberEvidence = z.strictObject({
  /** The loss of the member alone: the error, unless `metric` names another one. */
  error: realNumber,
  /** The loss of the ensemble without the member, less its loss with it; absent if there is no other member. */
  adds: realNumber.exactOptional(),
  metric: z.string().exactOptional(),
  /** Time to fit the member. */
  seconds: nonNegativeNumber.exactOptional(),
  /** Time to predict a row with the member, in seconds. */
  secondsPerRow: nonNegativeNumber.exactOptional(),
});

export type MemberEvidence = z.output<typeof memberEvidence>;

const memberOption = z.strictObject({
  learner: z.string(),
  options: z.record(z.string(), z.unknown()).default({}),
  weight: nonNegativeNumber.exactOptional(),
  temperature: z.number().gt(0).max(Number.MAX_VALUE).exactOptional(),
  evidence: memberEvidence.exactOptional(),
});

/** Learners of different kinds, whose mistakes differ. */
const DEFAULT_MEMBERS = ["logistic", "forest", "random-trees", "boosted-trees", "svm", "mlp"];

export const ensembleOptions = z.object({
  members: z
    .array(z.union([z.string(), memberOption]))
    .min(1)
    .max(200)
    .default(DEFAULT_MEMBERS)
    .describe(
      "Members: names, or JSON objects with learner, options, weight and temperature. All have a weight or none.",
    ),
  combine: z
    .enum(["auto", "average", "log-linear"])
    .default("auto")
    .describe(
      "Weighted mean of probabilities, or of their logarithms (stacking); auto compares both in folds.",
    ),
  offsets: z
    .array(z.number())
    .default([])
    .describe("Offset of each class in a log-linear ensemble whose members have weights; empty for zeros."),
  folds: z
    .int()
    .min(2)
    .max(20)
    .default(5)
    .describe("Folds in which weights are selected. Ignored if members have weights."),
  metric: z
    .enum(["error", "log-loss"])
    .default("error")
    .describe("Loss that weights are selected by; equal errors are decided by log-loss."),
});

/** A member before it is fitted. */
export interface MemberPlan {
  readonly learner: Learner;
  /** The options that are not the defaults, as settings. */
  readonly settings: readonly string[];
  readonly weight?: number;
  readonly temperature?: number;
  readonly evidence?: MemberEvidence;
  /** The index of its encoding among the different ones. */
  readonly place: number;
}

type Options = z.output<typeof ensembleOptions>;

/** Checked options of an ensemble. */
export interface EnsemblePlan extends Omit<Options, "members"> {
  readonly members: readonly MemberPlan[];
  /** The different encodings of the members. */
  readonly encodings: readonly SingleEncoding[];
  /** Whether the members have weights. */
  readonly weighted: boolean;
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Makes the members that the options name, and checks what must fit together. */
export function planEnsemble({ members, ...options }: Options): EnsemblePlan {
  const encodings = new Map<string, { readonly place: number; readonly encoding: SingleEncoding }>();
  const plans = members.map((given): MemberPlan => {
    const { learner: name, options: own, ...rest } = typeof given === "string" ? namedMember(given) : given;
    const learner = memberNamed(name, own);
    const encoding = singleEncoding(learner);
    const key = JSON.stringify(encoding);
    const known = encodings.get(key) ?? { place: encodings.size, encoding };
    encodings.set(key, known);
    return { ...rest, learner, settings: changedSettings(learner), place: known.place };
  });
  const weighted = checkedWeights(plans);
  checkOffsets(options, weighted);
  return {
    ...options,
    members: plans,
    weighted,
    encodings: Array.from(encodings.values(), ({ encoding }) => encoding),
    shown: { members: plans.map(shownMember), ...options },
  };
}

/** Returns the encoding of an ensemble: that of its members if they have the same, otherwise all of them at once. */
export function encodingOf({ encodings }: EnsemblePlan): Encoding {
  return encodings.length === 1 ? encodings[0] : { kind: "joint", parts: encodings };
}

function namedMember(learner: string): z.output<typeof memberOption> {
  return { learner, options: {} };
}

function memberNamed(name: string, options: Readonly<Record<string, unknown>>): Learner {
  if (name === ENSEMBLE) {
    throw new VouchError("option/invalid", "A member of an ensemble cannot be an ensemble.", {
      hint: "List the members of both in one ensemble.",
    });
  }
  const learner = loadedLearner(name).create(options);
  if (!learner.pretrains) return learner;
  throw new VouchError("option/invalid", `${name} pre-trains, so it cannot be a member of an ensemble.`, {
    hint: "Use mlp, or set its option pretrainEpochs to 0.",
  });
}

function singleEncoding({ name, encoding }: Learner): SingleEncoding {
  if (encoding.kind !== "joint") return encoding;
  throw new VouchError("option/invalid", `${name} contains an ensemble, so it cannot be a member of one.`);
}

/** Returns whether members have weights. Throws if only some of them have one, or if all weights are zero. */
function checkedWeights(members: readonly MemberPlan[]): boolean {
  const given = members.filter(({ weight }) => weight !== undefined).length;
  if (given === 0) return false;
  if (given < members.length) {
    throw new VouchError(
      "option/invalid",
      `${given} of ${members.length} members of the ensemble have a weight.`,
      { hint: "Give all members a weight, or none: then folds select the weights." },
    );
  }
  if (members.some(({ weight = 0 }) => weight > 0)) return true;
  throw new VouchError("option/invalid", "All members of the ensemble have weight 0.");
}

function checkOffsets({ offsets, combine }: Omit<Options, "members">, weighted: boolean): void {
  if (offsets.length === 0 || (weighted && combine !== "average")) return;
  throw new VouchError(
    "option/invalid",
    "Option offsets of ensemble is for log-linear ensembles whose members have weights.",
  );
}

function shownMember({ learner, weight, temperature, evidence }: MemberPlan) {
  return {
    learner: learner.name,
    options: learner.options,
    ...(weight !== undefined && { weight }),
    ...(temperature !== undefined && { temperature }),
    ...(evidence && { evidence }),
  };
}

function changedSettings(learner: Learner): string[] {
  return optionsUnlikeDefaults(learner).map(([option, value]) => `${option}=${settingText(value)}`);
}
