import type * as z from "zod";
import type { Json } from "../runtime/codec/state.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { LearnerKind } from "./learner.js";
import { checkName, inCode, itemSchema, type ValueSchema, valueSchemas, wrongOption } from "./options.js";

/**
 * Reads a setting as written on a command line, such as `rounds=200` or `degrees=1,2,3`, into the name and a value of the
 * option's type. Ranges are left to `parseOptions`.
 */
export function parseSetting(
  learner: string,
  schema: z.ZodObject,
  setting: string,
): { name: string; value: Json } {
  const equals = setting.indexOf("=");
  if (equals < 1) {
    throw new VouchError("option/invalid", `"${setting}" does not set an option of ${learner}.`, {
      hint: "Write NAME=VALUE, without spaces around the equals sign.",
    });
  }
  const name = setting.slice(0, equals).trim();
  checkName(learner, schema, name);
  const wanted = valueSchemas(schema)[name];
  const text = setting.slice(equals + 1).trim();
  const value = fromText(wanted, text);
  if (value !== undefined) return { name, value };
  throw wrongOption(learner, name, wanted, inCode(text));
}

/** Reads text as a value of the option's type; undefined if it is not one. */
function fromText(wanted: ValueSchema, text: string): Json | undefined {
  const choices = wanted.anyOf ?? wanted.oneOf;
  if (choices !== undefined) return firstFitting(choices, text);
  if (wanted.const !== undefined) return String(wanted.const) === text ? wanted.const : undefined;
  switch (wanted.type) {
    case "integer":
    case "number":
      return numberFrom(text);
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "array":
      return listFrom(itemSchema(wanted), text);
    case "string":
      return text;
    default:
      return undefined;
  }
}

function firstFitting(choices: readonly ValueSchema[], text: string): Json | undefined {
  for (const choice of choices) {
    const value = fromText(choice, text);
    if (value !== undefined) return value;
  }
  return undefined;
}

function numberFrom(text: string): number | undefined {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

/** Reads items between commas, or a list in JSON; empty text is an empty list. */
function listFrom(item: ValueSchema, text: string): Json[] | undefined {
  if (text.startsWith("[")) return jsonListFrom(text);
  const values: Json[] = [];
  for (const part of text === "" ? [] : text.split(",")) {
    const value = fromText(item, part.trim());
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function jsonListFrom(text: string): Json[] | undefined {
  try {
    const value: Json = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Prefix of the settings of a base learner. */
const BASE_PREFIX = "base.";

/**
 * Reads settings as written on a command line into options of a learner. If the learner has a base, as one-vs-rest has,
 * `base.NAME=VALUE` sets an option of the base, which must have been loaded: call it inside `withLearners`.
 */
export function parseSettings(kind: LearnerKind, settings: readonly string[]): Record<string, Json> {
  if (!kind.baseNamed) return readSettings(kind, settings);
  const own = settings.filter((setting) => !setting.startsWith(BASE_PREFIX));
  const named = own.findLast((setting) => optionOf(setting) === "base");
  const base = kind.baseNamed(
    named === undefined ? defaultBase(kind) : String(readSettings(kind, [named]).base),
  );
  for (const setting of own) checkPlace(kind, base, optionOf(setting));
  const ofBase = settings
    .filter((setting) => setting.startsWith(BASE_PREFIX))
    .map((setting) => setting.slice(BASE_PREFIX.length));
  return {
    ...readSettings(kind, own),
    ...(ofBase.length > 0 && { baseOptions: readSettings(base, ofBase) }),
  };
}

/** Returns the name of the default base of a learner that has one. */
export function defaultBase({ options }: LearnerKind): string {
  return String(options.parse({}).base);
}

/** Returns options under their names on the command line, where the options of a base are `base.NAME`. */
export function settingsOf<Value>(options: Readonly<Record<string, Value>>): Record<string, unknown> {
  const { baseOptions, ...own } = options;
  if (typeof baseOptions !== "object" || baseOptions === null) return options;
  const ofBase = Object.entries(baseOptions).map(([name, value]) => [BASE_PREFIX + name, value]);
  return { ...own, ...Object.fromEntries(ofBase) };
}

/** Writes the value of an option as in a setting; a list with objects as JSON. */
export function settingText(value: unknown): string {
  if (!Array.isArray(value)) return isObject(value) ? JSON.stringify(value) : String(value);
  return value.some(isObject) ? JSON.stringify(value) : value.map(settingText).join(",");
}

/**
 * Writes the value of an option for people: the members of an ensemble as the names of their learners, numbers of a list
 * rounded.
 */
export function settingSummary(value: unknown): string {
  if (Array.isArray(value)) {
    return value
      .map((one) => settingSummary(typeof one === "number" ? Number(one.toPrecision(4)) : one))
      .join(",");
  }
  return isObject(value) && "learner" in value ? String(value.learner) : settingText(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function readSettings({ name, options }: LearnerKind, settings: readonly string[]): Record<string, Json> {
  const each = settings.map((setting) => parseSetting(name, options, setting));
  return Object.fromEntries(each.map((setting) => [setting.name, setting.value]));
}

function optionOf(setting: string): string {
  return setting.slice(0, Math.max(0, setting.indexOf("="))).trim();
}

/** Throws if an option of the base is set as if it were one of the learner. */
function checkPlace({ name, options }: LearnerKind, base: LearnerKind, option: string): void {
  const isOfBase = !Object.hasOwn(options.shape, option) && Object.hasOwn(base.options.shape, option);
  if (!isOfBase && option !== "baseOptions") return;
  throw new VouchError("option/unknown", `${name} has no setting ${option}.`, {
    hint: `Options of its base ${base.name} are set as ${BASE_PREFIX}${isOfBase ? option : "NAME"}=VALUE.`,
  });
}
