import { VouchError } from "../error.js";
import type { Json } from "../state/state.js";
import type { LearnerDefinition } from "./learner.js";
import { parseSetting } from "./options.js";

/** What the names of settings of a base begin with. */
const OF_BASE = "base.";

/**
 * Reads settings as written on a command line into options of a learner. In a learner that is made of another one, such as
 * one-vs-rest, `base.NAME=VALUE` sets an option of the base.
 */
export function parseSettings(
  definition: LearnerDefinition,
  settings: readonly string[],
): Record<string, Json> {
  const { baseNamed } = definition;
  if (!baseNamed) return parsed(definition, settings);
  const own = settings.filter((setting) => !setting.startsWith(OF_BASE));
  const named = own.findLast((setting) => optionOf(setting) === "base");
  const base = baseNamed(
    named === undefined ? usualBase(definition) : String(parsed(definition, [named]).base),
  );
  for (const setting of own) checkPlace(definition, base, optionOf(setting));
  const ofBase = settings.filter((setting) => setting.startsWith(OF_BASE));
  const baseOptions = parsed(
    base,
    ofBase.map((setting) => setting.slice(OF_BASE.length)),
  );
  return { ...parsed(definition, own), ...(ofBase.length > 0 && { baseOptions }) };
}

/** The base that a learner made of another one has unless it is told. */
export function usualBase({ options }: LearnerDefinition): string {
  return String(options.parse({}).base);
}

/** Options by the names that they have on a command line: those of a base one by one. */
export function settingsOf<Value>(options: Readonly<Record<string, Value>>): Record<string, unknown> {
  const { baseOptions, ...own } = options;
  if (typeof baseOptions !== "object" || baseOptions === null) return options;
  const ofBase = Object.entries(baseOptions).map(([name, value]) => [OF_BASE + name, value]);
  return { ...own, ...Object.fromEntries(ofBase) };
}

/** The value of an option as it is written in a setting. */
export function settingText(value: unknown): string {
  if (Array.isArray(value)) return value.map(settingText).join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function parsed({ name, options }: LearnerDefinition, settings: readonly string[]): Record<string, Json> {
  const each = settings.map((setting) => parseSetting(name, options, setting));
  return Object.fromEntries(each.map((setting) => [setting.name, setting.value]));
}

function optionOf(setting: string): string {
  return setting.slice(0, Math.max(0, setting.indexOf("="))).trim();
}

/** An option of the base is not set as if it were one of the learner. */
function checkPlace({ name, options }: LearnerDefinition, base: LearnerDefinition, option: string): void {
  const isOfBase = !Object.hasOwn(options.shape, option) && Object.hasOwn(base.options.shape, option);
  if (!isOfBase && option !== "baseOptions") return;
  throw new VouchError("option/unknown", `${name} has no setting ${option}.`, {
    hint: `Options of its base ${base.name} are set as ${OF_BASE}${isOfBase ? option : "NAME"}=VALUE.`,
  });
}
