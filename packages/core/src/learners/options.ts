import * as z from "zod";
import type { Json } from "../runtime/codec/state.js";
import { suggestName } from "../runtime/text/synonyms.js";
import { VouchError } from "../runtime/vouch-error.js";

/** One option of a learner, as help, docs and forms show it. */
export interface OptionDescription {
  readonly name: string;
  /** Allowed values, as in "a whole number from 1 to 100". */
  readonly allowed: string;
  /** The words that are allowed; empty if there are none. */
  readonly choices: readonly string[];
  /** Absent if the option has no default. */
  readonly default?: Json;
  readonly description: string;
  /** Settings of other options that make this one have no effect, as in `{ patience: ["0"] }`; absent if it always has one. */
  readonly ignoredIf?: Readonly<Record<string, readonly string[]>>;
}

/** The parts of JSON Schema that options are described with. */
export type ValueSchema = z.core.JSONSchema.BaseSchema;

/** Describes every option of a schema, in the order of the schema. */
export function describeOptions(schema: z.ZodObject): OptionDescription[] {
  return Object.entries(valueSchemas(schema)).map(([name, value]) => ({
    name,
    allowed: inWords(value),
    choices: choicesOf(value),
    ...(value.default !== undefined && { default: z.json().parse(value.default) }),
    description: value.description ?? "",
    ...(value.ignoredIf !== undefined && { ignoredIf: conditions.parse(value.ignoredIf) }),
  }));
}

/** What the schema of an option may say about the others in its metadata. */
const conditions = z.record(z.string(), z.array(z.string()));

/** Checks options and fills in defaults. Throws on unknown options and on values that are not allowed. */
export function parseOptions<Schema extends z.ZodObject>(
  learner: string,
  schema: Schema,
  given: unknown = {},
): z.output<Schema> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new VouchError(
      "option/invalid",
      `The options of ${learner} must be an object, not ${inCode(given)}.`,
    );
  }
  for (const name of Object.keys(given)) checkName(learner, schema, name);
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue.path[0] ?? "");
  if (!Object.hasOwn(schema.shape, name)) {
    throw new VouchError(
      "option/invalid",
      `The options of ${learner} do not fit together: ${issue.message}.`,
    );
  }
  const value: unknown = Reflect.get(given, name);
  throw wrongOption(learner, name, valueSchemas(schema)[name], inCode(value));
}

/** Returns the error that says which values an option takes. */
export function wrongOption(learner: string, name: string, wanted: ValueSchema, given: string): VouchError {
  return new VouchError("option/invalid", `${learner}: ${name} must be ${inWords(wanted)}, not ${given}.`);
}

/** Throws if a learner has no option of this name, with a suggestion. */
export function checkName(learner: string, schema: z.ZodObject, name: string): void {
  if (Object.hasOwn(schema.shape, name)) return;
  const names = Object.keys(schema.shape);
  const near = suggestName("option", name, names);
  const all = names.length === 0 ? "It has no options." : `Its options are ${names.join(", ")}.`;
  throw new VouchError("option/unknown", `${learner} has no option ${name}.`, {
    hint: near === undefined ? all : `${near} ${all}`,
  });
}

/** Converts the schema of each option to JSON Schema. */
export function valueSchemas(schema: z.ZodObject): Record<string, ValueSchema> {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const schemas: Record<string, ValueSchema> = {};
  for (const [name, value] of Object.entries(properties))
    if (typeof value === "object") schemas[name] = value;
  return schemas;
}

/** Describes the allowed values, as a phrase after "must be". */
function inWords(value: ValueSchema): string {
  if (value.enum !== undefined) return `one of ${value.enum.join(", ")}`;
  if (value.const !== undefined) return String(value.const);
  const choices = value.anyOf ?? value.oneOf;
  if (choices !== undefined) return choices.filter(isWritable).map(inWords).join(", or ");
  switch (value.type) {
    case "integer":
      return `a whole number${rangeInWords(value)}`;
    case "number":
      return `a number${rangeInWords(value)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list, each item ${inWords(itemSchema(value))}`;
    case "string":
      return "text";
    default:
      return "a value as described";
  }
}

/** Returns whether a value can be written as text; a learner, for example, can only be passed by a program. */
function isWritable(value: ValueSchema): boolean {
  return Object.keys(value).length > 0;
}

function choicesOf(value: ValueSchema): string[] {
  if (value.enum !== undefined) return value.enum.map(String);
  if (value.const !== undefined) return [String(value.const)];
  if (value.type === "boolean") return ["true", "false"];
  return (value.anyOf ?? value.oneOf ?? []).flatMap(choicesOf);
}

function rangeInWords({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ValueSchema): string {
  // zod adds the range of safe integers, which does not help readers.
  const low = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const high = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`;
  if (exclusiveMinimum !== undefined && exclusiveMaximum !== undefined) {
    return ` between ${exclusiveMinimum} and ${exclusiveMaximum}`;
  }
  const limits = [
    low !== undefined && `≥ ${low}`,
    exclusiveMinimum !== undefined && `> ${exclusiveMinimum}`,
    high !== undefined && `≤ ${high}`,
    exclusiveMaximum !== undefined && `< ${exclusiveMaximum}`,
  ].filter((limit) => limit !== false);
  return limits.length === 0 ? "" : ` ${limits.join(" and ")}`;
}

/** Returns the schema of the items of a list. */
export function itemSchema(list: ValueSchema): ValueSchema {
  const { items } = list;
  return typeof items === "object" && !Array.isArray(items) ? items : {};
}

/** Writes a value as in code, even if JSON cannot hold it. */
export function inCode(value: unknown): string {
  const printable = typeof value === "string" || (typeof value === "object" && value !== null);
  return printable ? JSON.stringify(value) : String(value);
}
