import * as z from "zod";

/** Headings of the options in help and docs, in their order. */
export const FIELD_GROUPS = {
  data: "Data",
  model: "Model",
  measuring: "Measuring",
  decisions: "Decisions",
  run: "Run",
  output: "Output",
  cluster: "Cluster",
} as const;

/** How the text of an option is read. */
export type TextForm =
  | "choice"
  | "metric"
  | "whole number"
  | "fraction"
  | "percentage"
  | "duration"
  | "memory"
  | "delimiter"
  | "list"
  | "repeated"
  | "class weights"
  | "report parts"
  | "process share";

/** What help, programs and commands need to know about a field of a request. */
export interface Field {
  /**
   * How the option is typed, such as `-t, --target <column>`. The name of the field is the long name in camel case.
   * `--no-header` is the option of a field that is true by default.
   */
  readonly flags: string;
  /** One line of help. */
  readonly help: string;
  /** Help of the option `--no-…`, for a field that may be true, false or absent. */
  readonly negatedHelp?: string;
  readonly group: keyof typeof FIELD_GROUPS;
  /** Position of the option among the ten most common ones, which help lists first. */
  readonly place?: number;
  /** Absent for an option without an argument, and for unparsed text. */
  readonly form?: TextForm;
  /** Environment variable with a default. */
  readonly env?: string;
  /** Whether the command that trains the same model again includes the field: unless it has its default, or always. */
  readonly inModel?: boolean | "always";
  /** Whether all shards must have the same value, may differ, or do not support the option, and why. */
  readonly shards: "same" | "any" | { readonly refused: string };
}

/** The fields of requests, by the schemas of their values. */
export const requestFields = z.registry<Field>();

/** A field with its name and the schema of its value. */
export interface NamedField extends Field {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  /** The long option, such as `--class-weights`. */
  readonly option: string;
}

/** Lists the fields of a request in the order of its schema. */
export function fieldsIn({ shape }: z.ZodObject): NamedField[] {
  return Object.entries(shape).map(([name, schema]) => {
    const field = requestFields.get(schema);
    if (!field) throw new TypeError(`The field ${name} of a request is not registered.`);
    return { ...field, name, schema, option: optionOf(name) };
  });
}

/** Returns the default of a field; undefined if it has none. */
export function defaultOf({ schema }: NamedField): unknown {
  return z.safeParse(schema, undefined).data;
}

/** Whether a field may have a value. */
export function isAllowed({ schema }: NamedField, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}

/** Returns the long option of a field. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
