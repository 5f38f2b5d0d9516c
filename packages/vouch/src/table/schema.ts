import * as z from "zod";

/** A raw column as the model knows it. */
export type ColumnSchema =
  | { readonly kind: "numeric"; readonly name: string }
  | { readonly kind: "categorical"; readonly name: string; readonly levels: readonly string[] };

/** The raw columns that a model uses, and the column that it predicts. */
export interface Schema {
  /** Feature columns, in the order of the training data. */
  readonly columns: readonly ColumnSchema[];
  /** Name of the column with the class. */
  readonly target: string;
  /** The classes, in the order of class indices. */
  readonly classes: readonly string[];
}

/** Lists the names of the columns of categories. */
export function categoricalNames({ columns }: Schema): string[] {
  return columns.filter(({ kind }) => kind === "categorical").map(({ name }) => name);
}

const distinct = (names: readonly string[]): boolean => new Set(names).size === names.length;

const distinctNames = z.array(z.string()).refine(distinct, "names repeat");

/** Codec of a schema. */
export const schemaShape = z.strictObject({
  columns: z
    .array(
      z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("numeric"), name: z.string() }),
        z.strictObject({
          kind: z.literal("categorical"),
          name: z.string(),
          levels: distinctNames.readonly(),
        }),
      ]),
    )
    .min(1)
    .refine((columns) => distinct(columns.map((column) => column.name)), "columns repeat")
    .readonly(),
  target: z.string(),
  classes: distinctNames.min(1).readonly(),
});
