import * as z from "zod";
import type { MergedClasses } from "./column.js";
import { DATE_FORMS, type DateForm } from "./date-form.js";

/** A column of numbers or categories. */
export type PlainColumnSchema =
  | { readonly kind: "numeric"; readonly name: string }
  | { readonly kind: "categorical"; readonly name: string; readonly levels: readonly string[] };

/** A raw column of a model. */
export type ColumnSchema =
  | PlainColumnSchema
  | { readonly kind: "date"; readonly name: string; readonly form: DateForm }
  | { readonly kind: "text"; readonly name: string };

/** The raw columns that a model uses, and the column that it predicts. */
export interface Schema {
  /** Feature columns, in the order of the training data. */
  readonly columns: readonly ColumnSchema[];
  /** Name of the column with the class. */
  readonly target: string;
  /** The classes, in the order of class indices. */
  readonly classes: readonly string[];
  /** Other spellings of classes that count as them in labelled rows; absent if none were merged. */
  readonly merged?: MergedClasses | undefined;
}

/** A schema without dates and text. */
export interface PlainSchema extends Schema {
  readonly columns: readonly PlainColumnSchema[];
}

/** Lists the names of the columns of categories. */
export function categoricalNames({ columns }: Schema): string[] {
  return columns.filter(({ kind }) => kind === "categorical").map(({ name }) => name);
}

const distinct = (names: readonly string[]): boolean => new Set(names).size === names.length;

const distinctNames = z.array(z.string()).refine(distinct, "names repeat");

const plainColumnShapes = [
  z.strictObject({ kind: z.literal("numeric"), name: z.string() }),
  z.strictObject({ kind: z.literal("categorical"), name: z.string(), levels: distinctNames.readonly() }),
] as const;

const columnShape = z.discriminatedUnion("kind", [
  ...plainColumnShapes,
  z.strictObject({ kind: z.literal("date"), name: z.string(), form: z.enum(DATE_FORMS) }),
  z.strictObject({ kind: z.literal("text"), name: z.string() }),
]);

/** Makes the codec of a schema from its columns' codec. */
function schemaOf<Shape extends z.ZodType<ColumnSchema>>(shape: Shape) {
  return z.strictObject({
    columns: z
      .array(shape)
      .min(1)
      .refine((columns) => distinct(columns.map((column) => column.name)), "columns repeat")
      .readonly(),
    target: z.string(),
    classes: distinctNames.min(1).readonly(),
    merged: z
      .array(z.strictObject({ spelling: z.string(), name: z.string() }))
      .readonly()
      .optional(),
  });
}

/** Codec of a schema. */
export const schemaShape = schemaOf(columnShape);

/** Codec of a schema without dates and text. */
export const plainSchemaShape = schemaOf(z.discriminatedUnion("kind", plainColumnShapes));
