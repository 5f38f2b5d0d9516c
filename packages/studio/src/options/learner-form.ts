import { learnerNamed, learnerNames, withLearners } from "@vouch/core/internal/learners/index";
import type { LearnerKind } from "@vouch/core/internal/learners/learner";
import { describeOptions, type OptionDescription } from "@vouch/core/internal/learners/options";
import { defaultBase, parseSettings, settingText } from "@vouch/core/internal/learners/settings";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type Settings, settingTexts } from "./settings.js";

/** A learner and its options as a form: plain data that workers make and the page shows. */
export interface LearnerForm {
  readonly learner: string;
  readonly summary: string;
  readonly options: readonly OptionField[];
  /** Present if the learner uses a base learner, whose options begin with "base.". */
  readonly base?: { readonly name: string; readonly options: readonly OptionField[] };
  /** Errors in the settings by option name; the key "" if settings do not fit together. */
  readonly faults: Readonly<Record<string, string>>;
}

/** An option of a learner as a form field. */
export interface OptionField {
  readonly name: string;
  readonly description: string;
  readonly input: "choice" | "whole" | "number" | "text";
  /** Suggested words; other values are allowed unless the input is a choice. */
  readonly choices: readonly string[];
  /** The default as written in a setting; "" if there is none. */
  readonly initial: string;
  /** Settings of other options that make this option ineffective. */
  readonly ignoredIf: Readonly<Record<string, readonly string[]>>;
}

/** Builds the form of a learner and checks its settings. */
export async function learnerForm(name: string, settings: Settings): Promise<LearnerForm> {
  const kind = await learnerNamed(name);
  const base = await findBase(kind, settings);
  return {
    learner: kind.name,
    summary: kind.summary,
    options: optionFields(kind, ""),
    ...(base && { base: { name: base.name, options: optionFields(base, "base.") } }),
    faults: await findFaults(kind, settings),
  };
}

/** Finds the base learner; undefined if there is none or the settings name one that is not allowed. */
async function findBase(kind: LearnerKind, { base }: Settings): Promise<LearnerKind | undefined> {
  const { baseNamed } = kind;
  if (!baseNamed) return undefined;
  return withLearners(() => baseNamed(base ?? defaultBase(kind))).catch(() => undefined);
}

/** Options of a base are set under their own names, so "baseOptions" has no field. */
function optionFields(kind: LearnerKind, prefix: string): OptionField[] {
  return describeOptions(kind.options)
    .filter(({ name }) => name !== "baseOptions")
    .map((option) => {
      const { name, description, ignoredIf = {} } = option;
      const conditions = Object.entries(ignoredIf).map(([other, values]) => [prefix + other, values]);
      return {
        name: prefix + name,
        description,
        input: inputKind(option),
        choices: kind.baseNamed && name === "base" ? learnerNames() : option.choices,
        initial: option.default === undefined ? "" : settingText(option.default),
        ignoredIf: Object.fromEntries(conditions),
      };
    });
}

function inputKind({ allowed, choices, default: initial }: OptionDescription): OptionField["input"] {
  if (choices.length > 0) return /number|list/.test(allowed) ? "text" : "choice";
  if (typeof initial !== "number") return "text";
  return allowed.startsWith("a whole number") ? "whole" : "number";
}

/** Finds invalid settings. A valid combination is accepted even if one setting alone would not be. */
async function findFaults(kind: LearnerKind, settings: Settings): Promise<LearnerForm["faults"]> {
  const all = await findFault(kind, settings);
  if (all === undefined) return {};
  const faults: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings)) {
    const { base } = settings;
    const alone = { ...(name.startsWith("base.") && base !== undefined && { base }), [name]: value };
    const fault = await findFault(kind, alone);
    if (fault !== undefined) faults[name] = fault;
  }
  return Object.keys(faults).length === 0 ? { "": all } : faults;
}

async function findFault(kind: LearnerKind, settings: Settings): Promise<string | undefined> {
  try {
    await withLearners(() => kind.create(parseSettings(kind, settingTexts(settings))));
    return undefined;
  } catch (error) {
    if (!(error instanceof VouchError)) throw error;
    return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  }
}
